import type { Scenario } from "../scenario/scenario.js";
import { hideCredentials } from "../target/credentials.js";
import { closeEnvironment, type Environment, openEnvironment } from "../target/environment.js";
import { checkBindings } from "./binding-proofs.js";
import { type Check, reportCheck, type Verdict } from "./check.js";
import { createHookContext } from "./clock.js";
import { confirm, mayHaveOtherCause } from "./confirm.js";
import { openExecution } from "./execution.js";
import { openExecutions } from "./executions.js";
import {
  CONCLUSIVE_VERDICTS,
  combineChecks,
  createDeadlineVerdict,
  createStopVerdict,
  isSettled,
  type ScenarioResult,
  type SkipReason,
} from "./result.js";
import type { Run } from "./run.js";
import { waitForRoom } from "./send.js";
import { findSkipReason } from "./skip-reason.js";
import { executeSteps } from "./steps.js";
import { executeFinalSteps } from "./tear-down.js";

/**
 * Executes one scenario in its own environment. A failure that others may have caused is a finding only if it happens again. A failure with a
 * binding is a finding only if the server shows the binding to be true.
 */
export async function executeScenario(run: Run, scenario: Scenario, unique: string): Promise<ScenarioResult> {
  let step = "";
  const lateSteps = new Set<string>();
  const timedRun: Run = {
    ...run,
    onStep(name) {
      step = name;
      run.onStep?.(name);
    },
    onNoTime: () => lateSteps.add(step),
  };
  const result = await executeOnce(timedRun, scenario, unique);
  const verdict = createStopVerdict(run) ?? (isOpenAfter(lateSteps, result) ? createDeadlineVerdict(run) : undefined);
  if (verdict && isCutOff(result)) return { ...result, ...verdict, checks: [] };
  const scenarioResult = result.verdict === "failed" ? await judgeFailure(run, scenario, result, unique) : result;
  return { ...scenarioResult, checks: scenarioResult.checks.map(reportCheck) };
}

/** Returns whether only the waits of these steps left the checks of a scenario open. */
function isOpenAfter(lateSteps: ReadonlySet<string>, { checks }: ScenarioResult): boolean {
  const openChecks = checks.filter(({ verdict }) => !CONCLUSIVE_VERDICTS.has(verdict));
  return lateSteps.size > 0 && openChecks.every(({ step, blocked_by }) => blocked_by !== undefined || lateSteps.has(step));
}

async function judgeFailure(run: Run, scenario: Scenario, result: ScenarioResult, unique: string): Promise<ScenarioResult> {
  const isClear = !result.checks.some((check) => mayHaveOtherCause(check, run.target));
  const scenarioResult = isClear ? result : await confirm(run, result, unique, (another) => executeOnce(run, scenario, another));
  return checkBindings({ run, execute: executeOnce, unique }, scenario, scenarioResult);
}

/** Executes a counterexample once. Returns its last check if that check fails again, else undefined. */
export async function findFailingCheck(run: Run, scenario: Scenario, unique: string): Promise<Check | undefined> {
  const last = (await executeOnce(run, scenario, unique)).checks.at(-1);
  return last?.verdict === "failed" ? last : undefined;
}

/** The need of a scenario that sends requests to the tool server. */
const TOOL_SERVER_NEED = "surface.mcp";

/** Called after the steps and before the cleanup, with the environment and the checks. The execution waits for its promise. */
export type EndListener = (environment: Environment, checks: readonly Check[]) => Promise<void>;

/** Executes one scenario, and again in a new environment if it lost a connection or the server was away. */
export async function executeOnce(run: Run, scenario: Scenario, unique: string, onEnd?: EndListener): Promise<ScenarioResult> {
  const executions = openExecutions(run, scenario.name, unique);
  for (let requests = 0; ; ) {
    const next = executions.begin();
    const result = await runScenarioOnce(next.run, scenario, next.unique, onEnd);
    requests += result.requests;
    if (result.skippedBy !== undefined || !(await executions.mayRepeat(isSettled(result)))) return { ...result, requests };
  }
}

/** Executes one scenario once. `finally` steps always run, also when the run is being stopped. */
async function runScenarioOnce(
  run: Run,
  scenario: Scenario,
  unique: string,
  onEnd: EndListener = async () => {},
): Promise<ScenarioResult> {
  const emptyResult = (verdict: Verdict, reason: string): ScenarioResult => ({
    scenario,
    verdict,
    reason,
    requests: 0,
    checks: [],
  });
  const skip = findSkipReason(run, scenario);
  if (skip) return createSkippedResult(scenario, skip);
  const { mcpRefusal } = run.target;
  if (mcpRefusal !== undefined && scenario.needs.some(({ need }) => need === TOOL_SERVER_NEED))
    return emptyResult("inconclusive", mcpRefusal);
  const hooks = createHookContext(run, { world: "" });
  run.onStep?.("environment");
  const result = await openEnvironment(run.target, scenario.text.fixture, hooks);
  if (!result.ok) return emptyResult("inconclusive", result.why);
  const { environment } = result;
  hideCredentials(run.mask, environment);
  try {
    const unmet = findSkipReason(run, scenario, environment);
    if (unmet) return createSkippedResult(scenario, unmet);
    return await executeIn(run, environment, scenario, { unique, onEnd });
  } catch (error) {
    return emptyResult("harness-error", error instanceof Error ? error.message : String(error));
  } finally {
    await closeEnvironment(environment, hooks);
  }
}

function createSkippedResult(
  scenario: Scenario,
  { why: reason, by: skippedBy, missing, isUnusable }: SkipReason,
): ScenarioResult {
  const means = !isUnusable && { missing };
  return { scenario, verdict: "not-applicable", reason, skippedBy, ...means, requests: 0, checks: [] };
}

/** Returns whether stopping the run interrupted this scenario. A failure that was found before still counts. */
function isCutOff({ verdict, checks }: ScenarioResult): boolean {
  if (verdict === "failed" || verdict === "not-applicable") return false;
  return checks.length === 0 || checks.some((check) => check.verdict !== "passed" && check.verdict !== "informational");
}

async function executeIn(
  run: Run,
  environment: Environment,
  scenario: Scenario,
  { unique, onEnd }: { unique: string; onEnd: EndListener },
): Promise<ScenarioResult> {
  const { execution, requests } = openExecution(run, environment, scenario, unique);
  // wait before the first step, because a later wait would change the setup; after a wait that is too long, the steps are inconclusive
  await waitForRoom(run, environment, () => run.throttle.waitForAll(scenario.demands, environment.keys));
  const checks: Check[] = [];
  try {
    await executeSteps(execution, checks);
    await onEnd(environment, checks);
  } finally {
    await executeFinalSteps(execution);
  }
  return { scenario, ...combineChecks(checks), requests: requests(), served: execution.served.names(), checks };
}
