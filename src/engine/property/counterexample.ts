import type { Check } from "../execute/check.js";
import type { Run } from "../execute/run.js";
import { executeOnce, failingCheck } from "../execute/scenario.js";
import type { Draft } from "../execute/scenarios.js";
import { compileScenario } from "../scenario/compile.js";
import type { ScenarioText, Step } from "../scenario/format.js";
import type { Failure } from "./property.js";
import { shrinkSteps } from "./shrink-steps.js";
import { withWholeCase } from "./whole-case.js";

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
  tracer?: Pick<Draft, "confirm"> | undefined;
}

/** A failure, and all steps of the case that has failed so. */
interface FailedCase {
  failure: Failure;
  played: readonly Step[];
}

/** Tries on the target of one way to show a failure, where a try may cost. */
const MOST_CONFIRMATIONS = 3;

/**
 * Makes a failure as small as it gets and sees it happen again on the target: from the steps that it names, or where these do not show it, from
 * all that its case has played. A shorter scenario is still a sound test only if a server that keeps the contract passes it, so without a
 * sandbox nothing is left out. Where worlds cost nothing the target, too, is asked of every step; elsewhere in at most three tries, from the
 * shortest to the whole, and one more of the whole case.
 */
export async function shrink(
  property: string,
  { failure, played }: FailedCase,
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
  for (const steps of stepListsToTry(failure, played)) {
    if (run.target.worlds && !(await failsHere(steps))) continue;
    const isSmall = run.target.worlds !== undefined || steps === failure.steps;
    const trail = sandbox && isSmall ? await shrinkSteps(steps, (fewer) => stillShows(sandbox, fewer)) : [steps];
    for (const fewer of listsToConfirm(trail)) {
      const confirmed = await failsHere(fewer, tracer?.confirm);
      if (confirmed) return { text: run.mask.hideIn(textOf(fewer)), confirmed };
    }
  }
  return { text: run.mask.hideIn(textOf(failure.steps)) };
}

/** What may show a failure again, the shorter first. */
function stepListsToTry({ steps }: Failure, played: readonly Step[]): (readonly Step[])[] {
  const whole = withWholeCase(played, steps);
  return whole && whole.length > steps.length ? [steps, whole] : [steps];
}

/** Name of the scenario that a property's counterexample is. */
export function nameOfCounterexample(property: string): string {
  return `found-${property}`;
}

/** The shortest, one half-way and the whole. */
function listsToConfirm<T>(trail: readonly T[]): T[] {
  const places = [trail.length - 1, Math.floor(trail.length / 2), 0].slice(0, MOST_CONFIRMATIONS);
  return [...new Set(places)].flatMap((place) => trail.slice(place, place + 1));
}

function scenarioOf(name: string, { clauses, why }: Failure, steps: readonly Step[]): ScenarioText {
  return { scenario: name, title: why, proves: [...clauses], steps: [...steps] };
}
