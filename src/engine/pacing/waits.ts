import { type Step, seconds } from "../scenario/format.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Target } from "../target/target.js";

/** Time that a plan waits for, in minutes. */
export interface Waits {
  /** For an empty bucket before each burst. */
  bursts: number;
  /** Steps that let time pass. */
  clock: number;
  /** For the scheduler, half a tick at a time. */
  dispatches: number;
}

/** A poll that lasts longer than this waits for the scheduler. */
const LONG_POLL_SECONDS = 60;

/** How long scenarios wait in real time; where the target's clock is moved they do not. */
export function waitsOf(scenarios: readonly Scenario[], { clock, worlds, timing }: Target): Waits {
  if (clock) return { bursts: 0, clock: 0, dispatches: 0 };
  const steps = scenarios.flatMap(({ text }) => text.steps.flatMap((step) => (step.rows ?? [{}]).map(() => step)));
  const sum = (of: (step: Step) => number) => steps.reduce((total, step) => total + of(step), 0) / 60;
  return {
    bursts: sum(({ burst }) => (burst && !worlds ? timing.rateMinuteSeconds : 0)),
    clock: sum(({ clock }) => (clock && "by" in clock ? secondsOf(clock.by, timing.rateMinuteSeconds) : 0)),
    dispatches: sum(({ until }) =>
      (until ? seconds(until.within) : 0) >= LONG_POLL_SECONDS ? timing.dispatchTickSeconds / 2 : 0,
    ),
  };
}

/** What is known only later is what a refusal asks for: as long as a limit takes to be empty. */
function secondsOf(duration: string, otherwise: number): number {
  const known = seconds(duration);
  return Number.isNaN(known) ? otherwise : known;
}
