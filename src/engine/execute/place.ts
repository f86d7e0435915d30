import { runWithDeadline } from "../http/deadline.js";
import type { TaskContext } from "../pacing/concurrent-tasks.js";
import { explainStop, type Run } from "./run.js";

/** The maximum delay of the end of a wait, in seconds, that does not count as a disturbance. */
const LATE_SECONDS = 1;

/** Returns a run that lets other tasks act during its waits. */
export function runAt(run: Run, { throttle, yieldTurn, markDisturbed }: TaskContext): Run {
  return {
    ...{ ...run, throttle, yieldTurn },
    async sleep(seconds, signal) {
      let wakeTime = 0;
      await yieldTurn(() => run.sleep(seconds, signal).finally(() => (wakeTime = performance.now())));
      const late = Math.round((performance.now() - wakeTime) / 10) / 100;
      if (late > LATE_SECONDS) markDisturbed();
      return late;
    },
  };
}

/** Returns whether the run may wait for this time. */
export function mayWait(run: Run, seconds: number): boolean {
  if (explainStop(run) !== undefined || seconds > run.maxWaitSeconds) return false;
  return !Number.isFinite(run.deadline) || run.now() + seconds * 1000 <= run.deadline;
}

/** Waits for room below a rate. The signal `ended` stops the wait early when another task can act. */
export async function sleepUntil(run: Run, seconds: number, ended: AbortSignal, isBurst: boolean): Promise<void> {
  run.onWait?.(isBurst ? "an empty bucket" : "room below a rate", seconds);
  await runWithDeadline({ signals: [run.signal, ended] }, (signal) => run.sleep(seconds, signal));
}
