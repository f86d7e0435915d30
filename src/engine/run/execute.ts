import { closeKeptSessions } from "../execute/mcp-sessions.js";
import { mayWait, sleepUntil } from "../execute/place.js";
import type { ScenarioResult } from "../execute/result.js";
import { createScenarioTasks, executeAll, type ResultListener } from "../execute/scenarios.js";
import { executeConcurrently, isShared } from "../pacing/concurrent-tasks.js";
import { type CheckAllParameters, checkAllProperties, createPropertyTasks } from "../property/check-all.js";
import type { PropertyResult } from "../property/result.js";
import type { Suite } from "../suite.js";
import type { Checkpoints } from "./checkpoints.js";
import type { VerifyOptions } from "./options.js";
import type { RunInput } from "./prepare.js";
import type { Recorders } from "./recorders.js";
import { openSandbox } from "./sandbox.js";

/** The results of scenarios and properties, in the order of the selection. */
export interface Results {
  scenarios: ScenarioResult[];
  properties: PropertyResult[];
}

/**
 * Executes the scenarios and checks the properties. Skips those that an earlier run has completed. On a shared target, properties run while scenarios
 * wait; elsewhere they run last. Counterexamples are shrunk in a sandbox if there is one.
 */
export async function execute(
  suite: Suite,
  options: VerifyOptions,
  input: RunInput,
  recorders: Recorders,
  checkpoints: Checkpoints,
): Promise<Results> {
  const { run, progress, tracer } = recorders;
  const { properties, seed, earlier } = input;
  const completed = earlier?.scenarios ?? new Map<string, ScenarioResult>();
  const remainingScenarios = input.scenarios.filter(({ name }) => !completed.has(name));
  const onResult: ResultListener = (result) => {
    progress.onScenario(result.scenario.name);
    checkpoints.onScenario(result);
  };
  const onProperty = (result: PropertyResult) => {
    progress.onProperty(result.line.id);
    checkpoints.onProperty(result);
  };
  const sandbox = openSandbox(suite, options);
  const parameters: CheckAllParameters = {
    ...{ runs: options.runs, seed, deadline: run.deadline, sandbox: sandbox?.open, tracer },
    ...{ onCase: progress.onCase, onProperty, earlier: earlier?.properties },
  };
  const results: Results = { scenarios: [], properties: [] };
  try {
    if (isShared(run.target)) {
      const scenarios = createScenarioTasks(run, remainingScenarios, results.scenarios, onResult, tracer);
      await executeConcurrently([...scenarios, ...createPropertyTasks(run, properties, results.properties, parameters)], {
        throttle: run.throttle,
        wait: (seconds, ended, isBurst) => sleepUntil(run, seconds, ended, isBurst),
        mayWait: (seconds) => mayWait(run, seconds),
      });
    } else {
      results.scenarios = await executeAll(run, remainingScenarios, onResult, tracer);
      results.properties = await checkAllProperties(run, properties, parameters);
    }
  } finally {
    await Promise.all([closeKeptSessions(run), sandbox?.close(), checkpoints.close()]);
  }
  const executed = results.scenarios.values();
  return { ...results, scenarios: input.scenarios.flatMap(({ name }) => completed.get(name) ?? executed.next().value ?? []) };
}
