import { setTimeout as sleep } from "node:timers/promises";

/**
 * Returns a function that sleeps in real time until the seconds are over or the signal aborts, and resolves to 0. It adds the slept seconds to the
 * tally; concurrent sleeps count once.
 */
export function openSleep(tally: { waitedSeconds: number }): (seconds: number, signal: AbortSignal) => Promise<number> {
  let sleepers = 0;
  let startedAt = 0;
  let until = 0;
  return async (seconds, signal) => {
    const now = performance.now() / 1000;
    if (sleepers++ === 0) [startedAt, until] = [now, 0];
    const isAlone = until === 0;
    const end = now + seconds;
    until = Math.max(until, end);
    await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
    const passed = Math.min(until, performance.now() / 1000) - startedAt;
    if (--sleepers === 0) tally.waitedSeconds += isAlone && until === end && !signal.aborted ? seconds : passed;
    return 0;
  };
}
