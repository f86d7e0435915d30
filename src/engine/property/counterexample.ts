import type { Check } from "../execute/check.js";
import type { Run } from "../execute/run.js";
import { executeOnce, findFailingCheck } from "../execute/scenario.js";
import type { Draft } from "../execute/scenarios.js";
import { compileScenario } from "../scenario/compile.js";
import type { ScenarioText, Step } from "../scenario/format.js";
import type { Failure } from "./property.js";
import { addWholeCase } from "./whole-case.js";

/** A failure as a scenario, with the result of executing it on the target again. */
export interface Counterexample {
  text: ScenarioText;
  /** The check that failed again; undefined if no execution failed. */
  confirmed?: Check;
}

/** Runs on which a failure is shrunk and confirmed. */
interface ShrinkContext {
  /** The run on the target. */
  run: Run;
  /** The run on a conforming server without cost. */
  sandbox?: Run | undefined;
  /** Traces the execution that confirms the failure. */
  tracer?: Pick<Draft, "confirm"> | undefined;
}

/** A failure and all steps of its case. */
interface FailedCase {
  failure: Failure;
  executedSteps: readonly Step[];
}

/** Number of executions on the target for one list of steps. An execution may cost money. */
const MAX_CONFIRMATIONS = 3;
/** Largest number of executions while shrinking. */
const MAX_SHRINK_TRIES = 80;
/** Longest duration of shrinking, in milliseconds. */
const MAX_SHRINK_MS = 20_000;

/**
 * Shrinks a failure and confirms it on the target. It starts from the steps of the failure, and if these do not fail, from all steps of the case.
 * The sandbox is a conforming server, which must pass each shorter scenario. Without a sandbox no step is removed. A target with worlds executes
 * every candidate.
 * Any other target executes at most three candidates, from the shortest to the longest, and once the whole case.
 */
export async function shrink(
  property: string,
  { failure, executedSteps }: FailedCase,
  { run, sandbox, tracer }: ShrinkContext,
): Promise<Counterexample> {
  const name = nameCounterexample(property);
  const getText = (steps: readonly Step[]) => createScenario(name, failure, steps);
  let tries = 0;
  const uniqueOn = (on: Run) => `${on.id}-${name}-${tries++}`;
  const isSound = async (on: Run, steps: readonly Step[]) =>
    (await executeOnce(on, compileScenario(getText(steps), on.suite), uniqueOn(on))).checks.at(-1)?.verdict === "passed";
  const failsHere = (steps: readonly Step[], confirm = findFailingCheck) =>
    confirm(run, compileScenario(getText(steps), run.suite), uniqueOn(run));
  const stillShows = async (on: Run, steps: readonly Step[]) =>
    (await isSound(on, steps)) && (!run.target.worlds || (await failsHere(steps)) !== undefined);
  for (const steps of listStepLists(failure, executedSteps)) {
    if (run.target.worlds && !(await failsHere(steps))) continue;
    const isSmall = run.target.worlds !== undefined || steps === failure.steps;
    const shrunkSteps = sandbox && isSmall ? await shrinkSteps(steps, (fewer) => stillShows(sandbox, fewer)) : [steps];
    for (const fewer of listStepsToConfirm(shrunkSteps)) {
      const confirmedCheck = await failsHere(fewer, tracer?.confirm);
      if (confirmedCheck) return { text: run.mask.hideIn(getText(fewer)), confirmed: confirmedCheck };
    }
  }
  return { text: run.mask.hideIn(getText(failure.steps)) };
}

/** Returns the lists of steps that may fail again, with the shorter first. */
function listStepLists({ steps }: Failure, executedSteps: readonly Step[]): (readonly Step[])[] {
  const wholeSteps = addWholeCase(executedSteps, steps);
  return wholeSteps && wholeSteps.length > steps.length ? [steps, wholeSteps] : [steps];
}

/** Returns the scenario name for the counterexample of a property. */
export function nameCounterexample(property: string): string {
  return `found-${property}`;
}

/** Returns the shortest list, one in the middle and the longest. */
function listStepsToConfirm<T>(shrunkSteps: readonly T[]): T[] {
  const places = [shrunkSteps.length - 1, Math.floor(shrunkSteps.length / 2), 0].slice(0, MAX_CONFIRMATIONS);
  return [...new Set(places)].flatMap((place) => shrunkSteps.slice(place, place + 1));
}

function createScenario(name: string, { clauses, why }: Failure, steps: readonly Step[]): ScenarioText {
  return { scenario: name, title: why, proves: [...clauses], steps: [...steps] };
}

/**
 * Removes steps as long as `stillShows` accepts the rest. Never removes the last step, which is judged.
 * Returns every accepted list, from the complete list to the shortest.
 */
async function shrinkSteps<Step>(
  steps: readonly Step[],
  stillShows: (fewer: readonly Step[]) => Promise<boolean>,
): Promise<(readonly Step[])[]> {
  const shrunkSteps = [steps];
  let keptSteps = steps;
  let tries = 0;
  const until = Date.now() + MAX_SHRINK_MS;
  for (let size = Math.ceil((steps.length - 1) / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = keptSteps.length - 1; end > 0; end -= size) {
      const fewer = [...keptSteps.slice(0, Math.max(0, end - size)), ...keptSteps.slice(end)];
      if (tries++ >= MAX_SHRINK_TRIES || Date.now() > until) return shrunkSteps;
      if (!(await stillShows(fewer))) continue;
      keptSteps = fewer;
      shrunkSteps.push(keptSteps);
    }
  }
  return shrunkSteps;
}
