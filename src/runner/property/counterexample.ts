import type { Check } from "../play/check.js";
import { convict } from "../play/convict.js";
import { playOnce } from "../play/play.js";
import type { Player } from "../play/play-all.js";
import type { Run } from "../play/run.js";
import { type ScenarioText, type Step, unfiled } from "../scenario/format.js";
import { dropSteps } from "./drop-steps.js";
import type { Failure } from "./property.js";

/** A failure as a scenario that anybody can play, and what came of playing it on the target again. */
export interface Counterexample {
  text: ScenarioText;
  /** The check of the play that failed again; undefined when none of the tries failed. */
  confirmed?: Check;
}

/** Where a failure is made small and seen again. */
export interface Court {
  /** On the target. */
  run: Run;
  /** On a server that keeps the contract and costs nothing. */
  rehearsal?: Run | undefined;
  /** Keeps what the play that convicts was told. */
  witness?: Player | undefined;
}

/** Tries on the target, where a try may cost. */
const MOST_CONFIRMATIONS = 3;

/**
 * Makes a failure as small as it gets and sees it happen again on the target. A shorter scenario is still a sound test only if a server that
 * keeps the contract passes it, so without a rehearsal nothing is left out. Where worlds cost nothing the target, too, is asked of every step;
 * elsewhere in at most three tries, from the shortest to the whole.
 */
export async function minimise(property: string, failure: Failure, { run, rehearsal, witness }: Court): Promise<Counterexample> {
  const name = nameOfCounterexample(property);
  const textOf = (steps: readonly Step[]) => scenarioOf(name, failure, steps);
  const hidden = (steps: readonly Step[]) => run.mask.hideIn(textOf(steps));
  let tries = 0;
  const uniqueOn = (on: Run) => `${on.id}-${name}-${tries++}`;
  const isSound = async (on: Run, steps: readonly Step[]) =>
    (await playOnce(on, unfiled(textOf(steps)), uniqueOn(on))).checks.at(-1)?.verdict === "passed";
  const failsHere = (steps: readonly Step[], play = convict) => play(run, unfiled(textOf(steps)), uniqueOn(run));
  const trail = rehearsal
    ? await dropSteps(
        failure.steps,
        async (steps) => (await isSound(rehearsal, steps)) && (!run.target.worlds || (await failsHere(steps)) !== undefined),
      )
    : [failure.steps];
  for (const steps of candidates(trail)) {
    const confirmed = await failsHere(steps, witness?.convict);
    if (confirmed) return { text: hidden(steps), confirmed };
  }
  return { text: hidden(failure.steps) };
}

/** Name of the scenario that a property's counterexample is. */
export function nameOfCounterexample(property: string): string {
  return `found-${property}`;
}

/** The shortest, one half-way and the whole. */
function candidates<T>(trail: readonly T[]): T[] {
  const places = [trail.length - 1, Math.floor(trail.length / 2), 0].slice(0, MOST_CONFIRMATIONS);
  return [...new Set(places)].map((place) => trail[place] as T);
}

function scenarioOf(name: string, { clauses, why }: Failure, steps: readonly Step[]): ScenarioText {
  return { scenario: name, title: why, proves: [...clauses], steps: [...steps] };
}
