import type { Check } from "../execute/check.js";
import type { Run } from "../execute/run.js";
import { executeOnce, failingCheck } from "../execute/scenario.js";
import type { Executor } from "../execute/scenarios.js";
import { compileScenario } from "../scenario/compile.js";
import type { ScenarioText, Step } from "../scenario/format.js";
import type { Failure } from "./property.js";
import { shrinkSteps } from "./shrink-steps.js";

/** A failure as a scenario that anybody can execute, and what came of executing it on the target again. */
export interface Counterexample {
  text: ScenarioText;
  /** The check that failed again; undefined when none of the tries failed. */
  confirmed?: Check;
}

/** Where a failure is made small and seen again. */
interface ShrinkContext {
  /** On the target. */
  run: Run;
  /** On a server that keeps the contract and costs nothing. */
  sandbox?: Run | undefined;
  /** Traces the execution that fails again. */
  tracer?: Executor | undefined;
}

/** Tries on the target, where a try may cost. */
const MOST_CONFIRMATIONS = 3;

/**
 * Makes a failure as small as it gets and sees it happen again on the target. A shorter scenario is still a sound test only if a server that
 * keeps the contract passes it, so without a sandbox nothing is left out. Where worlds cost nothing the target, too, is asked of every step;
 * elsewhere in at most three tries, from the shortest to the whole.
 */
export async function shrink(
  property: string,
  failure: Failure,
  { run, sandbox, tracer }: ShrinkContext,
): Promise<Counterexample> {
  const name = nameOfCounterexample(property);
  const textOf = (steps: readonly Step[]) => scenarioOf(name, failure, steps);
  let tries = 0;
  const uniqueOn = (on: Run) => `${on.id}-${name}-${tries++}`;
  const isSound = async (on: Run, steps: readonly Step[]) =>
    (await executeOnce(on, compileScenario(textOf(steps), on.suite), uniqueOn(on))).checks.at(-1)?.verdict === "passed";
  const failsHere = (steps: readonly Step[], confirm = failingCheck) =>
    confirm(run, compileScenario(textOf(steps), run.suite), uniqueOn(run));
  const stillShows = async (on: Run, steps: readonly Step[]) =>
    (await isSound(on, steps)) && (!run.target.worlds || (await failsHere(steps)) !== undefined);
  const trail = sandbox ? await shrinkSteps(failure.steps, (steps) => stillShows(sandbox, steps)) : [failure.steps];
  for (const steps of candidates(trail)) {
    const confirmed = await failsHere(steps, tracer?.confirm);
    if (confirmed) return { text: run.mask.hideIn(textOf(steps)), confirmed };
  }
  return { text: run.mask.hideIn(textOf(failure.steps)) };
}

/** Name of the scenario that a property's counterexample is. */
export function nameOfCounterexample(property: string): string {
  return `found-${property}`;
}

/** The shortest, one half-way and the whole. */
function candidates<T>(trail: readonly T[]): T[] {
  const places = [trail.length - 1, Math.floor(trail.length / 2), 0].slice(0, MOST_CONFIRMATIONS);
  return [...new Set(places)].flatMap((place) => trail.slice(place, place + 1));
}

function scenarioOf(name: string, { clauses, why }: Failure, steps: readonly Step[]): ScenarioText {
  return { scenario: name, title: why, proves: [...clauses], steps: [...steps] };
}
