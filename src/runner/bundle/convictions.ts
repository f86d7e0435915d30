import type { Check } from "../play/check.js";
import { convict } from "../play/convict.js";
import { nameOfCounterexample } from "../property/counterexample.js";
import { shownBy } from "../property/held.js";
import type { Report } from "../report/report.js";
import type { Scenario } from "../scenario/format.js";
import { parseScenario } from "../scenario/parse.js";
import { ledger } from "../suite.js";
import type { Told } from "../trace/read.js";
import { playTold } from "./play-told.js";

/** A failure of a property, which is judged again by its counterexample. */
interface Conviction {
  /** The property as checks and scenarios name it. */
  name: string;
  scenario: Scenario;
}

/** The counterexamples of a report by the names that they have in a trace; one that cannot be read is none. */
export function convictionsOf({ properties }: Report): Map<string, Conviction> {
  return new Map(
    properties.flatMap(({ id, verdict, counterexample }): [string, Conviction][] => {
      if (verdict !== "failed" || counterexample === undefined) return [];
      const name = nameOfCounterexample(id);
      const parsed = parseScenario(name, counterexample, ledger);
      const scenario = parsed.ok ? parsed.scenarios[0] : undefined;
      return scenario?.name === name ? [[name, { name: `property:${id}`, scenario }]] : [];
    }),
  );
}

/** Plays a counterexample on what it was told: the check that fails again, or how it departs from the trace. */
export async function convictAgain(scenario: Scenario, told: Told): Promise<{ check?: Check; departure?: string }> {
  const { result, departure } = await playTold(told, (run, unique) => convict(run, scenario, unique));
  if (departure !== undefined) return { departure };
  return result ? { check: result } : { departure: "it does not fail when it is played again" };
}

/** The checks of a report with what the counterexamples showed when they were played again in place of what it says they showed. */
export function withConvictions(checks: readonly Check[], again: ReadonlyMap<string, Check>): Check[] {
  return checks.map((check) => {
    const convicting = again.get(check.scenario);
    if (!convicting || check.verdict !== "failed") return check;
    const { expected: _, actual: __, curl: ___, ...rest } = check;
    return { ...rest, ...shownBy(convicting) };
  });
}
