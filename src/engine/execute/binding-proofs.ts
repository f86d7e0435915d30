import { compileScenario } from "../scenario/compile.js";
import type { Step } from "../scenario/format.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Alternative, BindingProof } from "../target/rules.js";
import { type Check, createNotExecutedOutcome } from "./check.js";
import { combineChecks, type ScenarioResult } from "./result.js";
import type { Run } from "./run.js";

/** Executes a scenario once in its own environment. No other execution of the run has the same `unique`. */
type Execute = (run: Run, scenario: Scenario, unique: string) => Promise<ScenarioResult>;

/** A run, the function that executes scenarios in it, and a text that no other execution has. */
export interface ProofContext {
  run: Run;
  execute: Execute;
  unique: string;
}

/**
 * Makes the failures of a scenario inconclusive if they may come from the target file: the scenario uses a binding that the server does not show
 * to be true. The proofs are executed only after a failure.
 */
export async function checkBindings(context: ProofContext, scenario: Scenario, result: ScenarioResult): Promise<ScenarioResult> {
  if (result.verdict !== "failed") return result;
  const reason = await findUnshownBinding(context, scenario);
  if (reason === undefined) return result;
  const failing = new Set(result.checks.flatMap(({ verdict, step }) => (verdict === "failed" ? [step] : [])));
  const checks = result.checks.map((check) => excuseCheck(check, failing, reason));
  const { reason: _, ...rest } = result;
  return { ...rest, checks, ...combineChecks(checks) };
}

/** Returns which binding that a scenario needs may be untrue, and why; undefined if the server shows all of them to be true. */
export async function findUnshownBinding(context: ProofContext, { needs }: Pick<Scenario, "needs">): Promise<string | undefined> {
  const isNeeded = (name: string) => needs.some(({ need }) => need === name || need.startsWith(`${name}.`));
  const { suite, target, shownNeeds } = context.run;
  const otherNeed = needs.find(({ need }) => isKeyOfDefaultRole(need, context.run));
  if (otherNeed) return `${otherNeed.need.replace("key", "keys")} may be untrue: it is the key of ${suite.defaultRole}`;
  const stated = { bindings: target.bindings, keys: Object.keys(target.keys) };
  for (const [name, proof] of Object.entries(suite.target.names?.proofs ?? {})) {
    const alternatives = proof.alternatives?.(stated).filter((alternative) => alternative.needs.some(isNeeded));
    if (alternatives ? alternatives.length === 0 : shownNeeds.has(name) || !isNeeded(name)) continue;
    const why = await explainUnshown(context, name, proof, alternatives);
    if (why !== undefined) return `${readField(name)} may be untrue: ${why}`;
    if (!alternatives) shownNeeds.add(name);
  }
  return undefined;
}

/** Returns the field of the target file that states a need. */
function readField(need: string): string {
  return need
    .replace(/^(binding|key|session)/, "$1s")
    .replace(/^surface\.(\w+)/, "$1_url")
    .replace(/ .*/, "");
}

/** Returns whether a need names a role that the target file gives the key of the default role. */
function isKeyOfDefaultRole(need: string, { target: { keys }, suite: { defaultRole } }: Run): boolean {
  const [kind, role = ""] = need.split(".");
  return kind === "key" && role !== defaultRole && keys[role] !== undefined && keys[role] === keys[defaultRole];
}

/**
 * Returns why no way of a proof shows that the binding is true; undefined if one does, or if the target allows none. With alternatives, the
 * server must show one of them, unless the target allows to try none.
 */
async function explainUnshown(
  context: ProofContext,
  name: string,
  { contradiction, ways, waysInWorlds = [], failuresToDoubt = 0 }: BindingProof,
  alternatives: readonly Alternative[] | undefined,
): Promise<string | undefined> {
  const contradicted = contradiction?.(context.run.target.bindings);
  if (contradicted !== undefined) return contradicted;
  let first: string | undefined;
  let failures = 0;
  for (const [index, steps] of [...ways, ...waysInWorlds].entries()) {
    const needs = index < ways.length ? [] : ["worlds"];
    const { verdict, reason } = await tryWay(context, { name, number: index + 1, steps, needs });
    if (verdict === "passed") return undefined;
    if (verdict !== "not-applicable") first ??= reason;
    if (verdict === "failed") failures += 1;
  }
  if (failures < failuresToDoubt) return undefined;
  if (!alternatives || first === undefined) return first;
  let isTried = false;
  for (const [index, { why, bindings, steps }] of alternatives.entries()) {
    const target = { ...context.run.target, bindings };
    const run = { ...context.run, target };
    const { verdict } = await tryWay({ ...context, run }, { name, number: ways.length + waysInWorlds.length + index + 1, steps });
    if (verdict === "passed") return why;
    isTried ||= verdict !== "not-applicable";
  }
  return isTried ? undefined : first;
}

/** A way of a proof: its place among the ways, its steps, and what the target must offer. */
interface Way {
  name: string;
  number: number;
  steps: readonly (Step | readonly Step[])[];
  needs?: string[];
}

/** Executes the steps of one way of a proof in their own environment. A choice of steps passes if one of them does. */
async function tryWay({ run, execute, unique }: ProofContext, { name, number, steps, needs = [] }: Way): Promise<ScenarioResult> {
  const choices = steps.map((step, index) =>
    isChoice(step) ? step.map((one, at) => ({ ...one, id: `choice-${index}-${at}` })) : [step],
  );
  const text = {
    scenario: `proof of ${name}`,
    title: `The server shows ${name} to be true`,
    proves: [],
    needs,
    steps: choices.flat(),
    ...(steps.some(isChoice) && { continueAfterFailure: true }),
  };
  const id = `${unique}-${name.replaceAll(/[^a-z]+/g, "-")}-${number}`;
  const result = await execute(run, compileScenario(text, run.suite), id);
  const passedIds = new Set(result.checks.flatMap(({ step, verdict }) => (verdict === "passed" ? [step] : [])));
  const made = choices.filter((choice) => choice.length > 1 && choice.some(({ id }) => passedIds.has(id ?? "")));
  const others = new Set(made.flatMap((choice) => choice.map(({ id }) => id)));
  const checks = result.checks.filter(({ step, verdict }) => verdict === "passed" || !others.has(step));
  return made.length > 0 ? { ...result, ...combineChecks(checks) } : result;
}

function isChoice(step: Step | readonly Step[]): step is readonly Step[] {
  return Array.isArray(step);
}

function excuseCheck(check: Check, failing: ReadonlySet<string>, why: string): Check {
  const { expected, actual, ...rest } = check;
  const { blocked_by: blockedBy } = check;
  if (check.verdict === "failed")
    return { ...rest, verdict: "inconclusive", subjects: 0, reason: `${why}; the check expected ${expected} and got ${actual}` };
  if (blockedBy === undefined || !failing.has(blockedBy)) return check;
  return { ...check, ...createNotExecutedOutcome({ step: blockedBy, verdict: "inconclusive" }) };
}
