import { isDeepStrictEqual } from "node:util";
import { showsList } from "../http/exchange.js";
import { hasMethod } from "../http/mcp-revisions.js";
import { listReplacingEvents } from "../pacing/changes.js";
import { type Covers, findCovers } from "../scenario/dimensions.js";
import { mustBeRefused } from "../scenario/effects.js";
import type { Row } from "../scenario/format.js";
import { interpolate, interpolateText, isRecord, listVariables } from "../scenario/interpolate.js";
import type { CompiledStep, Scenario } from "../scenario/scenario.js";
import { type Check, createCurl, createInconclusiveOutcome, createNotExecutedOutcome, LESS_BUSY, type Outcome } from "./check.js";
import { findUntrueClaim } from "./claims.js";
import { type Execution, lookAtClock } from "./execution.js";
import { runKeyword } from "./keywords.js";
import { fillRequestRow } from "./request.js";
import { explainStop } from "./run.js";
import { createShownSteps } from "./shown-steps.js";

/**
 * Executes the steps of a scenario, each once for every row, up to the first failure that later steps depend on. If a write for a row failed,
 * later steps skip that row. Adds the results to `checks`.
 */
export async function executeSteps(execution: Execution, checks: Check[]): Promise<void> {
  const { scenario, run } = execution;
  let skipped: Outcome | undefined;
  const skippedRows: { row: Row; outcome: Outcome }[] = [];
  for (const step of scenario.steps) {
    for (const [index, row] of (step.text.rows ?? [{}]).entries()) {
      const name = step.name + (step.text.rows ? `[${index + 1}]` : "");
      const reason = explainStop(run);
      if (reason !== undefined) skipped ??= { verdict: "not-observed", subjects: 0, reason };
      execution.log.enter(name);
      run.onStep?.(name);
      const skip = skipped ?? skippedRows.find((skippedRow) => isDeepStrictEqual(skippedRow.row, row))?.outcome;
      const outcome = skip ?? nameSavingStep(scenario, checks, await executeStep(execution, step, row));
      if (step.isCheck || outcome.verdict !== "passed")
        checks.push({ ...createCheck(execution, step, name, row, outcome), ...listCovers(execution, step, row, outcome) });
      const next = createNotExecutedOutcome({ step: name, verdict: outcome.verdict });
      if (endsScenario(outcome, scenario, step)) skipped ??= next;
      if (endsRow(outcome, step)) skippedRows.push({ row, outcome: next });
    }
  }
}

/**
 * For a step whose variable has no value, adds the step that should have saved it and the basis of that step's outcome. Of several steps
 * it names the last one that did not pass.
 */
function nameSavingStep({ steps }: Scenario, checks: readonly Check[], outcome: Outcome): Outcome {
  const [, name = ""] = /^(?:the control could not be sent: )?\{(\w+)\} has no value$/.exec(outcome.reason ?? "") ?? [];
  const names = new Set(steps.filter(({ text }) => text.save?.[name] !== undefined).map((compiledStep) => compiledStep.name));
  const saving = checks.findLast(({ step, verdict }) => names.has(step.replace(/\[\d+\]$/, "")) && verdict in WITHOUT_VALUE);
  if (outcome.verdict !== "inconclusive" || !saving) return outcome;
  const { step, verdict, basis } = saving;
  const reason = `${outcome.reason}, because ${step} ${WITHOUT_VALUE[verdict as keyof typeof WITHOUT_VALUE]}`;
  return { ...outcome, reason, blocked_by: step, ...(basis && { basis }) };
}

/** Descriptions of the verdicts of a step that may have saved nothing. */
const WITHOUT_VALUE = {
  failed: "failed",
  inconclusive: "was inconclusive",
  "not-observed": "was not executed",
  "not-applicable": "does not apply",
} satisfies Partial<Record<Check["verdict"], string>>;

/** Executes one row of a step and returns its outcome. The execution keeps what the step saves. */
export async function executeStep(execution: Execution, step: CompiledStep, variables: Row): Promise<Outcome> {
  const { usesClock } = step;
  const unknownTime = await lookAtClock(execution, { usesClock });
  if (unknownTime !== undefined) return createInconclusiveOutcome(unknownTime);
  const isMissing = (name: string) => execution.look(name) === undefined;
  for (const [name, value] of Object.entries(variables)) {
    // JSON.stringify would drop an unknown variable of an object
    const missing = listVariables(value).find(isMissing);
    if (missing !== undefined) return createInconclusiveOutcome(`{${missing}} has no value`);
    execution.saved.set(name, interpolate(value, execution.look));
  }
  noteEvent(execution, step);
  const absent = findAbsentMethod(execution, step);
  if (absent !== undefined) return { verdict: "not-applicable", subjects: 0, reason: absent };
  const missing = step.variables.find(isMissing);
  if (missing !== undefined) return createInconclusiveOutcome(`{${missing}} has no value`);
  const outcome = await runKeyword(execution, step);
  if (lacksValue(execution, outcome) && isOffered(execution, step.otherwise)) {
    const replaced = await executeStep(execution, step.otherwise, variables);
    return replaced.verdict === "passed" ? replaced : { ...replaced, reason: `${outcome.reason}; then ${replaced.reason}` };
  }
  return outcome.verdict === "failed" ? ((await excuse(execution, step, outcome)) ?? outcome) : outcome;
}

/** Returns whether a setup step got a list that lacks a value or does not match. The run must not be stopping. */
function lacksValue({ run, log }: Execution, { verdict, request, basis }: Outcome): boolean {
  const last = log.entries().at(-1);
  if (verdict !== "inconclusive" || !request || basis === "no-answer" || explainStop(run) !== undefined) return false;
  const response = last && "exchange" in last ? last.exchange.response : undefined;
  return response !== undefined && showsList(response);
}

/** Returns whether the run may trigger the event that replaces a setup step, and the target offers it. */
function isOffered({ run, environment }: Execution, step: CompiledStep | undefined): step is CompiledStep {
  const { profile } = run;
  return step?.text.drive !== undefined && listReplacingEvents({ profile, target: environment.target }).has(step.text.drive);
}

/** Returns why a step does not apply: no revision of MCP that the run uses has the method of its message. Undefined if it applies. */
function findAbsentMethod({ target, look }: Execution, { text: { mcp, json } }: CompiledStep): string | undefined {
  const message = mcp?.raw ?? json;
  if (!isRecord(message) || !("jsonrpc" in message) || typeof message.method !== "string") return undefined;
  const method = interpolateText(message.method, look);
  if (hasMethod(target, method)) return undefined;
  return `the run uses MCP ${target.mcpRevision ?? "with a handshake"}, which has no method ${method}`;
}

/** Returns an inconclusive outcome if a failure may come from a delay or from the target file instead of the server. */
async function excuse(execution: Execution, step: CompiledStep, outcome: Outcome): Promise<Outcome | undefined> {
  const { expected, actual, request, mismatches } = outcome;
  if (step.usesClock && execution.isDelayed())
    return createInconclusiveOutcome(`time passed during a wait after a refusal. ${LESS_BUSY} (then: ${actual})`);
  const untrue = await findUntrueClaim(execution, outcome);
  if (untrue === undefined) return undefined;
  return createInconclusiveOutcome(`${untrue}; the check expected ${expected} and got ${actual}`, request, mismatches);
}

/** Records events and clock changes of a step. */
function noteEvent({ log, look, served }: Execution, { text }: CompiledStep): void {
  const { drive, with: values = {}, clock } = text;
  if (drive !== undefined || clock) served.noteEvent();
  if (drive !== undefined) log.event(`drive ${drive} ${JSON.stringify(interpolate(values, look))}`);
  if (clock) log.event(`clock ${JSON.stringify(interpolate(clock, look))}`);
}

/**
 * Returns whether a step ends the scenario because it did not pass. Rows of a check are independent, and so are steps with
 * `continueAfterFailure`: these end the scenario only after an uncertain write or a failed setup. A setup that only reads
 * and saves values does not end it either: only the steps that use these values are affected.
 */
function endsScenario({ verdict, incomplete, serverError }: Outcome, { text }: Scenario, step: CompiledStep): boolean {
  if (verdict !== "failed" && verdict !== "inconclusive") return false;
  if (!text.continueAfterFailure && !(step.text.rows && step.isCheck)) return true;
  if (!step.isCheck) return step.effect !== "read" || step.text.save === undefined;
  return (incomplete || serverError) === true && step.effect !== "read" && !mustBeRefused(step.text);
}

/** Returns whether later steps skip this row: a write for it failed or is uncertain. */
function endsRow({ verdict }: Outcome, { text, effect }: CompiledStep): boolean {
  const isUnsure = verdict === "failed" || verdict === "inconclusive";
  return isUnsure && text.rows !== undefined && effect !== "read" && !mustBeRefused(text);
}

function createCheck({ run, scenario, log }: Execution, step: CompiledStep, name: string, row: Row, outcome: Outcome): Check {
  const { clauses, file, line, requests } = step;
  const { request: _, judged, ...rest } = outcome;
  const [first] = requests;
  const operation = first && run.suite.requests.nameOf(fillRequestRow(first.text, { ...scenario.variables, ...row }));
  return {
    id: `${scenario.name}/${name}`,
    scenario: scenario.name,
    step: name,
    clauses: [...clauses],
    file,
    line,
    ...rest,
    ...(operation !== undefined && { operation }),
    ...createCurl(outcome, run.mask, run.suite.defaultRole),
    ...(judged && { exchanges: createShownSteps(run, log, judged) }),
  };
}

/** Returns the values that a judged check covers; nothing for a check without a verdict `passed` or `failed`. */
function listCovers(
  { run: { suite }, scenario }: Execution,
  step: CompiledStep,
  row: Row,
  { verdict }: Outcome,
): { covers?: Covers } {
  if (step.clauses.length === 0 || (verdict !== "passed" && verdict !== "failed")) return {};
  const wanted = new Set(step.clauses.flatMap((clause) => suite.clauses[clause]?.over ?? []));
  return { covers: findCovers(scenario, step, row, suite.coverage, wanted) };
}
