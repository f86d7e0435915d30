import fc from "fast-check";
import { findUnshownBinding } from "../execute/binding-proofs.js";
import type { Verdict } from "../execute/check.js";
import { openExecutions } from "../execute/executions.js";
import { createStopVerdict } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import { executeOnce } from "../execute/scenario.js";
import type { Draft } from "../execute/scenarios.js";
import { compileScenario } from "../scenario/compile.js";
import type { Step } from "../scenario/format.js";
import { meetsNeed } from "../target/needs.js";
import { type Counterexample, shrink } from "./counterexample.js";
import { type Coverage, openCoverage } from "./coverage.js";
import { addPassed, countPassedClauses, type PassedClauses } from "./passed-clauses.js";
import { type CaseOutcome, countCases, type Failure, findPropertySkipReason, type Property } from "./property.js";
import { type CaseCounts, createPropertyResult, type PropertyResult } from "./result.js";
import { openSystemUnderTest } from "./system-under-test.js";

/** Options for checking a property. */
export interface CheckParameters {
  /** Number of cases; default: `runs` of the property. */
  runs?: number | undefined;
  seed: number;
  /** Time to stop, in wall-clock milliseconds. */
  deadline: number;
  /** Opens a run against a conforming server without cost. Shrinking uses it. */
  sandbox?: (() => Promise<Run>) | undefined;
  /** Traces the execution that confirms a counterexample. */
  tracer?: Pick<Draft, "confirm"> | undefined;
  /** Called after every case. */
  onCase?: (id: string, done: number, of: number) => void;
}

/** Number of cases that are drawn with the same coverage. */
const CASES_PER_BATCH = 20;
/** Number of inconclusive cases in a row after which the check stops, for example because a budget is used up. */
const MAX_IDLE_CASES = 20;
/** Longest duration of shrinking. */
const SHRINK_MS = 20_000;

/** The results of the cases of one property so far. */
interface RunDetails extends CaseCounts {
  passedClauses: PassedClauses;
  /** Why the first inconclusive case was inconclusive. */
  why?: string;
  /** The smallest failure so far. */
  failure?: Failure;
  /** All steps of the case with this failure. */
  executedSteps?: readonly Step[];
  /** Message of an error in the property or the runner. */
  fault?: string;
  /** Time at which shrinking must end, in wall-clock milliseconds. */
  shrinkUntil: number;
}

/** The state of checking one property. */
interface PropertyCheck {
  run: Run;
  property: Property;
  parameters: CheckParameters;
  details: RunDetails;
  coverage: Coverage;
}

/**
 * Draws cases of a property and runs each on its own system. The first case that contradicts the contract is shrunk and confirmed.
 * Continues from an incomplete earlier check.
 */
export async function checkProperty(
  run: Run,
  property: Property,
  parameters: CheckParameters,
  earlier?: PropertyResult,
): Promise<PropertyResult> {
  const { seed, sandbox, tracer } = parameters;
  const skipReason = findPropertySkipReason(property, run);
  if (skipReason) {
    const { why, by, missing, isUnusable } = skipReason;
    const means = !isUnusable && { missing };
    return createPropertyResult(property, seed, { verdict: "not-applicable", why, skippedBy: by, ...means });
  }
  const { mcpRefusal: why } = run.target;
  if (why !== undefined && property.needs.includes("surface.mcp"))
    return createPropertyResult(property, seed, { verdict: "inconclusive", why });
  const coverage = openCoverage();
  const details = startDetails(countCases(property, parameters.runs), coverage, earlier);
  const check = { run, property, parameters, details, coverage };
  await runBatches(check);
  const { failure, executedSteps = [] } = details;
  if (!failure) return createPropertyResult(property, seed, { ...computeVerdict(run, details), counts: details, coverage });
  const unshown = await findUnshown(check, [...executedSteps, ...failure.steps]);
  if (unshown !== undefined) {
    const why = `${unshown}; the property found: ${failure.why}`;
    return createPropertyResult(property, seed, { verdict: "inconclusive", why, counts: details, coverage });
  }
  const counterexample = await shrink(property.id, { failure, executedSteps }, { run, sandbox: await sandbox?.(), tracer });
  return createPropertyResult(property, seed, {
    ...computeFailureVerdict(failure, counterexample),
    counts: details,
    coverage,
    counterexample,
  });
}

/** Returns which binding that the failing case uses the server does not show to be true. */
async function findUnshown({ run, property }: PropertyCheck, steps: readonly Step[]): Promise<string | undefined> {
  const uses = (property.uses ?? []).filter((need) => meetsNeed(need, run.target));
  const text = {
    scenario: property.id,
    title: property.title,
    proves: [],
    needs: [...property.needs, ...uses],
    steps: [...steps],
  };
  const context = { run, execute: executeOnce, unique: `${run.id}-${property.id}-proof` };
  return findUnshownBinding(context, compileScenario(text, run.suite));
}

/** Returns empty results, or the results of the incomplete earlier check. */
function startDetails(wanted: number, coverage: Coverage, earlier: PropertyResult | undefined): RunDetails {
  const { runs = 0, inconclusive = 0, not_run: notRun = wanted, coverage: points = {} } = earlier?.line ?? {};
  for (const [kind, names] of Object.entries(points)) coverage.add(kind, names);
  const subjects = earlier?.scenario.checks[0]?.subjects ?? 0;
  const requests = earlier?.scenario.requests ?? 0;
  const passedClauses = countPassedClauses(earlier?.scenario.checks ?? []);
  return {
    runs,
    subjects,
    inconclusive,
    requests,
    passedClauses,
    notRun: Math.min(notRun, wanted),
    shrinkUntil: Number.POSITIVE_INFINITY,
  };
}

async function runBatches(check: PropertyCheck): Promise<void> {
  const { property, parameters, details } = check;
  const wanted = countCases(property, parameters.runs);
  let idle = 0;
  while (details.notRun > 0 && mayContinue(check) && !details.failure && idle < MAX_IDLE_CASES) {
    const batch = property.coverageGuided ? 1 : CASES_PER_BATCH;
    const size = Math.min(batch, details.notRun);
    const before = details.runs;
    await runBatch(check, Math.floor((wanted - details.notRun) / batch), size);
    if (mayContinue(check) && !details.failure) details.notRun -= size;
    idle = details.runs === before ? idle + size : 0;
  }
}

/** Runs one batch of cases. fast-check shrinks a failure only if the target has worlds, where cases cost nothing. */
async function runBatch(check: PropertyCheck, batch: number, size: number): Promise<void> {
  const { run, property, parameters, details, coverage } = check;
  const offers = (need: string) => meetsNeed(need, run.target);
  let number = countCases(property, parameters.runs) - details.notRun;
  const predicate = async (value: unknown): Promise<boolean> => {
    if (Date.now() > details.shrinkUntil || !mayContinue(check)) return true;
    return runCase(check, value, `${run.id}-${property.id}-${number++}`);
  };
  await fc.check(fc.asyncProperty(property.cases({ coverage, offers }), predicate), {
    seed: (parameters.seed ^ Math.imul(batch, 0x9e3779b1)) | 0,
    numRuns: size,
    endOnFailure: run.target.worlds === undefined,
  });
}

/**
 * Runs one case, and again in a new environment if it lost a connection or the server was away. Returns false if it fails in the same way as the
 * first failure.
 */
async function runCase(check: PropertyCheck, value: unknown, unique: string): Promise<boolean> {
  const { run, property, details } = check;
  const executions = openExecutions(run, `property:${property.id}`, unique);
  for (;;) {
    const next = executions.begin();
    const executedSteps = await executeCase({ ...check, run: next.run }, value, next.unique);
    if (!executedSteps) return true;
    if (mayContinue(check) && (await executions.mayRepeat(executedSteps.outcome.verdict === "passed"))) continue;
    return count(details, executedSteps.outcome, executedSteps.steps);
  }
}

/** Runs one case once. Returns undefined after an error in the property or the runner. */
async function executeCase(
  { run, property, parameters, details, coverage }: PropertyCheck,
  value: unknown,
  unique: string,
): Promise<{ outcome: CaseOutcome; steps?: readonly Step[] } | undefined> {
  await run.yieldTurn?.(async () => {}); // tasks with a completed wait run first
  const result = await openSystemUnderTest(run, { name: property.id, unique, coverage });
  if (!result.ok) return { outcome: { verdict: "inconclusive", why: result.why } };
  const { sut, requests, hasUnknownEffect, hasServed, hideSecrets, close } = result;
  try {
    const caseOutcome = await property.run(sut, value);
    const outcome = caseOutcome.verdict === "failed" && hasUnknownEffect() ? removeCertainty(caseOutcome) : caseOutcome;
    if (outcome.verdict === "failed" || (outcome.verdict === "inconclusive" && details.why === undefined)) hideSecrets();
    return { outcome: hasServed() ? outcome : removePasses(outcome), steps: sut.steps };
  } catch (error) {
    details.fault ??= error instanceof Error ? error.message : String(error);
    return undefined;
  } finally {
    await close();
    details.requests += requests();
    parameters.onCase?.(property.id, details.runs + details.inconclusive, countCases(property, parameters.runs));
  }
}

/** Marks a failure as uncertain: a request without a response may have had an effect, so the failure must be confirmed. */
function removeCertainty({ certain: _, ...failure }: Failure): Failure {
  return failure;
}

/**
 * Removes the clauses that a case passed. A case whose requests were all refused has no contrast, so it is not evidence about a
 * clause.
 */
function removePasses(outcome: CaseOutcome): CaseOutcome {
  return outcome.verdict === "passed" ? { verdict: "passed", subjects: outcome.subjects } : outcome;
}

function count(details: RunDetails, outcome: CaseOutcome, executedSteps: readonly Step[] = []): boolean {
  switch (outcome.verdict) {
    case "inconclusive":
      details.inconclusive += 1;
      details.why ??= outcome.why;
      return true;
    case "failed":
      return keepFailure(details, outcome, executedSteps);
    case "passed":
      if (!details.failure) details.runs += 1; // shrinking does not count cases
      details.subjects += outcome.subjects;
      addPassed(details.passedClauses, outcome.judged ?? []);
      return true;
    default:
      return outcome satisfies never;
  }
}

/** Keeps a failure as the smallest so far. Returns true without keeping it if it breaks other clauses than the first failure. */
function keepFailure(details: RunDetails, failure: Failure, executedSteps: readonly Step[]): boolean {
  const same = !details.failure || details.failure.clauses.join() === failure.clauses.join();
  if (!same) return true;
  if (!details.failure) details.shrinkUntil = Date.now() + SHRINK_MS;
  details.failure = failure;
  details.executedSteps = executedSteps;
  return false;
}

function mayContinue({ run, parameters, details }: PropertyCheck): boolean {
  return !run.signal.aborted && Date.now() < parameters.deadline && details.fault === undefined;
}

/** Returns the verdict without a failure. A property passes only if all its cases ran and at least one was judged. */
function computeVerdict(
  run: Run,
  { runs, inconclusive, notRun, fault, why = "the run ended" }: RunDetails,
): Pick<Parameters<typeof createPropertyResult>[2], "verdict" | "why" | "missing"> {
  if (fault !== undefined) return { verdict: "harness-error", why: fault };
  const { verdict, reason = why, missing } = (notRun > 0 && createStopVerdict(run)) || { verdict: "passed" };
  if (missing) return { verdict, why: reason, missing };
  if (runs > 0 && notRun > 0) return { verdict: "inconclusive", why: `${notRun} cases were not run: ${why}` };
  if (runs > 0) return { verdict: "passed" };
  return inconclusive > 0
    ? { verdict: "inconclusive", why }
    : { verdict: "not-observed", why: "the run ended before a case ran" };
}

/** Returns the verdict of a failure. An unconfirmed failure is a finding only if its responses prove it. */
function computeFailureVerdict({ why, certain }: Failure, { confirmed }: Counterexample): { verdict: Verdict; why: string } {
  if (confirmed) return { verdict: "failed", why };
  if (certain) return { verdict: "failed", why: `${why} (happened once; a race may not happen again)` };
  return { verdict: "inconclusive", why: `${why} (happened once, but not when it was replayed)` };
}
