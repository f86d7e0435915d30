import { closeKeptSessions } from "../execute/mcp-sessions.js";
import { mayWait, sleepUntil } from "../execute/place.js";
import type { ScenarioResult } from "../execute/result.js";
import { executeAll, type ResultListener, scenarioTasks } from "../execute/scenarios.js";
import { executeConcurrently, isShared } from "../pacing/concurrent-tasks.js";
import { type CheckAllParameters, checkAllProperties, propertyTasks } from "../property/check-all.js";
import type { PropertyResult } from "../property/result.js";
import type { Suite } from "../suite.js";
import type { VerifyOptions } from "./options.js";
import type { RunInput } from "./prepare.js";
import type { Recorders } from "./recorders.js";
import { openSandbox } from "./sandbox.js";

/** What scenarios and properties came to, in the order of the selection. */
export interface Results {
  scenarios: ScenarioResult[];
  properties: PropertyResult[];
}

/**
 * Executes the scenarios and checks the properties, but those that an earlier run has been through. The properties come last; where waits are
 * long they fill them. Failures of properties are made small in a sandbox, where there is one.
 */
export async function execute(suite: Suite, options: VerifyOptions, input: RunInput, records: Recorders): Promise<Results> {
  const { run, progress, tracer } = records;
  const { properties, seed, earlier } = input;
  const before = earlier?.scenarios ?? new Map<string, ScenarioResult>();
  const left = input.scenarios.filter(({ name }) => !before.has(name));
  const onResult: ResultListener = ({ scenario }) => progress.onScenario(scenario.name);
  const sandbox = openSandbox(suite, options);
  const parameters: CheckAllParameters = {
    ...{ runs: options.runs, seed, deadline: run.deadline, sandbox: sandbox?.open, tracer },
    ...{ onCase: progress.onCase, onProperty: progress.onProperty, earlier: earlier?.properties },
  };
  const results: Results = { scenarios: [], properties: [] };
  try {
    if (isShared(run.target)) {
      const scenarios = scenarioTasks(run, left, results.scenarios, onResult, tracer);
      await executeConcurrently([...scenarios, ...propertyTasks(run, properties, results.properties, parameters)], {
        throttle: run.throttle,
        wait: (seconds, ended, isBurst) => sleepUntil(run, seconds, ended, isBurst),
        mayWait: (seconds) => mayWait(run, seconds),
      });
    } else {
      results.scenarios = await executeAll(run, left, onResult, tracer);
      results.properties = await checkAllProperties(run, properties, parameters);
    }
  } finally {
    await Promise.all([closeKeptSessions(run), sandbox?.close()]);
  }
  const rest = results.scenarios.values();
  return { ...results, scenarios: input.scenarios.flatMap(({ name }) => before.get(name) ?? rest.next().value ?? []) };
}
