import { listChanges, listReplacingEvents, NO_CHANGES } from "../pacing/changes.js";
import type { Task } from "../pacing/concurrent-tasks.js";
import { orderByInformation } from "../pacing/scenario-order.js";
import type { Scenario } from "../scenario/scenario.js";
import { runAt } from "./place.js";
import { createDeadlineVerdict, createStopVerdict, isSettled, type ScenarioResult } from "./result.js";
import { explainStop, type Run } from "./run.js";
import { executeScenario, type findFailingCheck } from "./scenario.js";
import { findSkipReason } from "./skip-reason.js";

/** Executes scenarios and also receives those that are left out, for example to record them. */
export interface Executor {
  execute: typeof executeScenario;
  leaveOut(result: ScenarioResult): Promise<void>;
  /** Executes a counterexample. Only an execution that fails is recorded. */
  confirm: typeof findFailingCheck;
  /** Opens a draft for an execution that may have to be repeated. */
  draft(): Draft;
}

/** Executes a scenario that may have to be repeated. Only `keep` makes the result final. */
export interface Draft extends Pick<Executor, "execute" | "confirm"> {
  keep(): Promise<void>;
}

/** Called with the result of each scenario. */
export type ResultListener = (result: ScenarioResult) => void;

/** Number of scenarios that are executed at the same time if each has its own world. */
export const MAX_PARALLEL_SCENARIOS = 6;

/**
 * Executes scenarios in parallel if each has its own world, else one after the other, until the run is stopped or out of time. Returns the
 * results in the order of the suite.
 */
export async function executeAll(
  run: Run,
  scenarios: readonly Scenario[],
  onResult: ResultListener,
  executor?: Executor,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  const { execute } = executor ?? { execute: executeScenario };
  const left = sortScenarios(run, scenarios).values();
  const work = async () => {
    for (const { scenario, index } of left) {
      const result =
        (await createSkippedOutcome(run, scenario, executor)) ?? (await execute(run, scenario, `${run.id}-${index}`));
      results[index] = result;
      onResult(result);
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? MAX_PARALLEL_SCENARIOS : 1 }, work));
  return results;
}

/**
 * Returns scenarios as tasks on one shared server. If a scenario did not pass while another task changed the server, it is executed again
 * alone, and the second result counts. Adds the results to `results` in the order of the suite.
 */
export function createScenarioTasks(
  run: Run,
  scenarios: readonly Scenario[],
  results: ScenarioResult[],
  onResult: ResultListener,
  executor?: Executor,
): Task[] {
  const events = listReplacingEvents(run);
  return sortScenarios(run, scenarios).map(({ scenario, index, demands }) => ({
    reservation: run.throttle.reservationFor(demands),
    changes: demands.length > 0 ? listChanges(scenario, run.suite.requests, events) : NO_CHANGES,
    async execute(context) {
      const draft = executor?.draft();
      const { execute } = draft ?? { execute: executeScenario };
      const unique = `${run.id}-${index}${context.isRetry ? "-again" : ""}`;
      const result =
        (await createSkippedOutcome(run, scenario, executor)) ?? (await execute(runAt(run, context), scenario, unique));
      if (context.wasDisturbed() && !isSettled(result) && explainStop(run) === undefined) return "retry";
      await draft?.keep();
      results[index] = result;
      onResult(result);
      return "done";
    },
  }));
}

/** A scenario with its place in the suite. A skipped one sends and judges nothing. */
interface Entry extends Pick<Scenario, "claims" | "demands" | "steps"> {
  scenario: Scenario;
  index: number;
}

/** Returns scenarios in the order of execution. Without waits and without a deadline, it is the order of the suite. */
function sortScenarios(run: Run, scenarios: readonly Scenario[]): Entry[] {
  const { worlds, clock } = run.target;
  const entries = scenarios.map((scenario, index) => {
    const isSkipped = findSkipReason(run, scenario) !== undefined;
    const { claims, demands, steps } = isSkipped ? { claims: [], demands: [], steps: [] } : scenario;
    return { scenario, index, claims, demands, steps };
  });
  const hasTime = worlds && clock && run.deadlineSeconds === undefined;
  return hasTime ? entries : orderByInformation(entries, run.suite.rates, run.target);
}

/** Returns the result of a scenario that is left out because the run has stopped, or has no time for it; undefined if it is run. */
async function createSkippedOutcome(
  run: Run,
  scenario: Scenario,
  executor: Executor | undefined,
): Promise<ScenarioResult | undefined> {
  if (findSkipReason(run, scenario)) return undefined; // the run executes it although it sends nothing, because its result names the missing items
  const verdict = createStopVerdict(run) ?? (run.hasNoTimeFor?.(scenario) ? createDeadlineVerdict(run) : undefined);
  if (!verdict) return undefined;
  const result: ScenarioResult = { scenario, ...verdict, requests: 0, checks: [] };
  await executor?.leaveOut(result);
  return result;
}
