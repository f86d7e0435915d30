import type { Check } from "../../execute/check.js";
import { nameCounterexample } from "../../property/counterexample.js";
import { readFailureDetails } from "../../property/result.js";
import type { Report } from "../../report/report.js";
import type { Scenario } from "../../scenario/scenario.js";

/** The counterexample of a failed property. It is executed instead of the property. */
export interface PropertyScenario {
  /** The name of the property in checks and scenarios: `property:ID`. */
  property: string;
  scenario: Scenario;
}

/** Returns the counterexamples of a report by their scenario name in the trace. Omits those that cannot be parsed. */
export function readCounterexamples(
  { properties }: Report,
  read: (name: string, yaml: string) => Scenario | undefined,
): Map<string, PropertyScenario> {
  return new Map(
    properties.flatMap(({ id, verdict, counterexample }): [string, PropertyScenario][] => {
      if (verdict !== "failed" || counterexample === undefined) return [];
      const name = nameCounterexample(id);
      const scenario = read(name, counterexample);
      return scenario?.name === name ? [[name, { property: `property:${id}`, scenario }]] : [];
    }),
  );
}

/** Replaces the details of failed property checks with those of the counterexamples that were executed again. */
export function addCounterexamples(checks: readonly Check[], repeatedChecks: ReadonlyMap<string, Check>): Check[] {
  return checks.map((check) => {
    const replayedCheck = repeatedChecks.get(check.scenario);
    if (!replayedCheck || check.verdict !== "failed") return check;
    const { expected: _, actual: __, curl: ___, mismatches: ____, operation: _____, exchanges: ______, ...rest } = check;
    return { ...rest, ...readFailureDetails(replayedCheck) };
  });
}
