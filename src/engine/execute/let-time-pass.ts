import { parseSeconds } from "../scenario/format.js";
import { interpolate } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { createInconclusiveOutcome, createNoTimeOutcome, createPassedOutcome, type Outcome } from "./check.js";
import { moveClock, pause } from "./clock.js";
import type { Execution } from "./execution.js";

/** Runs a clock step: waits, or moves the target's clock. */
export async function moveClockOrWait({ run, environment, look }: Execution, { text }: CompiledStep): Promise<Outcome> {
  const change = interpolate(text.clock, look);
  if (!change) return createInconclusiveOutcome("the clock step names no time");
  const waitResult =
    "by" in change
      ? await pause(run, environment, parseSeconds(change.by), "time to pass")
      : await moveClock(run, environment, change);
  return waitResult.ok ? createPassedOutcome(1) : createNoTimeOutcome(`time could not pass: ${waitResult.why}`);
}
