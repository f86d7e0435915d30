import { seconds } from "../scenario/format.js";
import { interpolate } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { inconclusive, noTime, type Outcome, passedOutcome } from "./check.js";
import { moveClock, pause } from "./clock.js";
import type { Execution } from "./execution.js";

/** Runs a clock step: waits, or moves the target's clock. */
export async function letTimePass({ run, environment, look }: Execution, { text }: CompiledStep): Promise<Outcome> {
  const change = interpolate(text.clock, look);
  if (!change) return inconclusive("the clock step names no time");
  const waitResult =
    "by" in change
      ? await pause(run, environment, seconds(change.by), "time to pass")
      : await moveClock(run, environment, change);
  return waitResult.ok ? passedOutcome(1) : noTime(`time could not pass: ${waitResult.why}`);
}
