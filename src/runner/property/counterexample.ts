import { playOnce } from "../play/play.js";
import type { Run } from "../play/run.js";
import type { Scenario, ScenarioText, Step } from "../scenario/format.js";
import { dropSteps } from "./drop-steps.js";
import type { Failure } from "./property.js";

/** A failure as a scenario that anybody can play, and what came of playing it on the target again. */
export interface Counterexample {
  text: ScenarioText;
  /** How the play that failed again was judged; undefined when none of the tries failed. */
  confirmed?: { expected?: string; actual?: string; curl?: string };
}

/** Tries on the target, where a try may cost. */
const MOST_CONFIRMATIONS = 3;

/**
 * Makes a failure as small as it gets and sees it happen again on the target. In worlds that cost nothing the target itself says which steps
 * matter. Elsewhere a server that keeps the contract does: a shorter scenario is still a sound test if that one passes it; then the target is
 * asked, in at most three tries, from the shortest to the whole.
 */
export async function minimise(run: Run, name: string, failure: Failure, rehearsal?: Run): Promise<Counterexample> {
  const textOf = (steps: readonly Step[]) => scenarioOf(name, failure, steps);
  const plays = async (on: Run, steps: readonly Step[], tag: string) =>
    (await playOnce(on, ready(textOf(steps)), `${on.id}-${tag}`)).checks.at(-1);
  const hidden = (steps: readonly Step[]) => run.mask.hideIn(textOf(steps));
  let tries = 0;
  const passesElsewhere = async (on: Run, steps: readonly Step[]) =>
    (await plays(on, steps, `d${tries++}`))?.verdict === "passed";
  const failsHere = async (steps: readonly Step[]) => {
    const last = await plays(run, steps, `c${tries++}`);
    return last?.verdict === "failed" ? last : undefined;
  };
  if (run.target.worlds) {
    const whole = await failsHere(failure.steps);
    if (!whole) return { text: hidden(failure.steps) };
    const trail = await dropSteps(failure.steps, async (steps) => (await failsHere(steps)) !== undefined);
    const least = trail.at(-1) ?? failure.steps;
    return { text: hidden(least), confirmed: (await failsHere(least)) ?? whole };
  }
  const trail = rehearsal ? await dropSteps(failure.steps, (steps) => passesElsewhere(rehearsal, steps)) : [failure.steps];
  for (const steps of candidates(trail)) {
    const confirmed = await failsHere(steps);
    if (confirmed) return { text: hidden(steps), confirmed };
  }
  return { text: hidden(failure.steps) };
}

/** The shortest, one half-way and the whole. */
function candidates<T>(trail: readonly T[]): T[] {
  const places = [trail.length - 1, Math.floor(trail.length / 2), 0].slice(0, MOST_CONFIRMATIONS);
  return [...new Set(places)].map((place) => trail[place] as T);
}

function scenarioOf(name: string, { clauses, why }: Failure, steps: readonly Step[]): ScenarioText {
  return { scenario: name, title: why, proves: [...clauses], steps: [...steps] };
}

/** A scenario text as the player takes it. */
function ready(text: ScenarioText): Scenario {
  return { name: text.scenario, text, variables: {}, file: text.scenario, line: 1, stepLines: [] };
}
