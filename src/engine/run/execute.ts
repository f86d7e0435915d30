import type { ScenarioResult } from "../execute/result.js";
import { executeAll } from "../execute/scenarios.js";
import type { RunInput } from "./prepare.js";
import type { Records } from "./records.js";

/** Executes the scenarios, but those that an earlier run has executed; the results of all, in the order of the selection. */
export async function execute({ run, progress, tracer }: Records, { scenarios, earlier }: RunInput): Promise<ScenarioResult[]> {
  const before = earlier?.scenarios ?? new Map<string, ScenarioResult>();
  const left = scenarios.filter(({ name }) => !before.has(name));
  const results = await executeAll(run, left, ({ scenario }, done) => progress.onScenario(scenario.name, done), tracer);
  const rest = results.values();
  return scenarios.flatMap(({ name }) => before.get(name) ?? rest.next().value ?? []);
}
