import type { Check } from "../../execute/check.js";
import { nameOfCounterexample } from "../../property/counterexample.js";
import { failureDetails } from "../../property/result.js";
import type { Report } from "../../report/report.js";
import type { Scenario } from "../../scenario/scenario.js";

/** The counterexample of a property that failed, which is executed again in its place. */
export interface PropertyScenario {
  /** The property as checks and scenarios name it. */
  property: string;
  scenario: Scenario;
}

/** The counterexamples of a report by the names that they have in a trace; one that cannot be read is none. */
export function counterexamplesOf(
  { properties }: Report,
  read: (name: string, yaml: string) => Scenario | undefined,
): Map<string, PropertyScenario> {
  return new Map(
    properties.flatMap(({ id, verdict, counterexample }): [string, PropertyScenario][] => {
      if (verdict !== "failed" || counterexample === undefined) return [];
      const name = nameOfCounterexample(id);
      const scenario = read(name, counterexample);
      return scenario?.name === name ? [[name, { property: `property:${id}`, scenario }]] : [];
    }),
  );
}

/** The checks of a report with what the counterexamples showed when they were executed again in place of what it says they showed. */
export function withCounterexamples(checks: readonly Check[], again: ReadonlyMap<string, Check>): Check[] {
  return checks.map((check) => {
    const shown = again.get(check.scenario);
    if (!shown || check.verdict !== "failed") return check;
    const { expected: _, actual: __, curl: ___, mismatches: ____, asks: _____, exchanges: ______, ...rest } = check;
    return { ...rest, ...failureDetails(shown) };
  });
}
