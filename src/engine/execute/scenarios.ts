import { openQueue } from "../pacing/order.js";
import type { Scenario } from "../scenario/scenario.js";
import type { ScenarioResult } from "./result.js";
import { type Run, whyStopped } from "./run.js";
import { executeScenario, type failingCheck } from "./scenario.js";

/** Who executes scenarios where somebody wants to know of each, those that are left out among them. */
export interface Executor {
  execute: typeof executeScenario;
  leaveOut(result: ScenarioResult): Promise<void>;
  /** Executes a counterexample; of its tries only the one that fails is of interest. */
  confirm: typeof failingCheck;
}

const SIDE_BY_SIDE = 6;

/**
 * Executes scenarios side by side where each has its own world, else one after the other in the order in which they need not wait, until the run
 * is stopped or its time is used up. The order of results is the suite's.
 */
export async function executeAll(
  run: Run,
  scenarios: readonly Scenario[],
  onResult: (result: ScenarioResult, done: number) => void,
  executor?: Executor,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  const { execute } = executor ?? { execute: executeScenario };
  const numbered = scenarios.map((scenario, index) => ({ ...{ index, scenario }, demands: scenario.demands }));
  const queue = openQueue(numbered, { ...run, rates: run.suite.rates });
  let done = 0;
  const work = async () => {
    for (let next = queue.next(); next; next = queue.next()) {
      const { index, scenario } = next;
      const stop = whyStopped(run);
      const result: ScenarioResult =
        stop === undefined
          ? await execute(run, scenario, `${run.id}-${index}`)
          : { scenario, verdict: "not-observed", reason: stop, requests: 0, checks: [] };
      if (stop !== undefined) await executor?.leaveOut(result);
      results[index] = result;
      done += 1;
      onResult(result, done);
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? SIDE_BY_SIDE : 1 }, work));
  return results;
}
