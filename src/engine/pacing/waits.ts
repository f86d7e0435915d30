import { type Step, seconds } from "../scenario/format.js";
import type { Target } from "../target/target.js";

/** Real time that a step waits for itself, in seconds. */
export interface Waits {
  /** To let time pass. */
  clock: number;
  /** For the scheduler, half a tick at a time. */
  dispatches: number;
}

/** A poll that lasts longer than this waits for the scheduler. */
const LONG_POLL_SECONDS = 60;

/** How long a step waits in real time, in all its rows; where the target's clock is moved it does not. */
export function waitsOf({ clock, until, rows }: Step, { clock: isMoved, timing }: Target): Waits {
  if (isMoved) return { clock: 0, dispatches: 0 };
  const times = rows?.length ?? 1;
  const isLong = until !== undefined && seconds(until.within) >= LONG_POLL_SECONDS;
  return {
    clock: clock && "by" in clock ? times * secondsOf(clock.by, timing.rateMinuteSeconds) : 0,
    dispatches: isLong ? (times * timing.dispatchTickSeconds) / 2 : 0,
  };
}

/** What is known only later is what a refusal asks for: as long as a limit takes to be empty. */
function secondsOf(duration: string, otherwise: number): number {
  const known = seconds(duration);
  return Number.isNaN(known) ? otherwise : known;
}
