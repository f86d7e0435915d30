import { setTimeout as sleep } from "node:timers/promises";

/** Opens sleep in real time, unless a signal ends it. What is slept side by side counts once. Nobody is late here. */
export function openSleep(tally: { waitedSeconds: number }): (seconds: number, signal: AbortSignal) => Promise<number> {
  let sleepers = 0;
  let begun = 0;
  let until = 0;
  return async (seconds, signal) => {
    const now = performance.now() / 1000;
    if (sleepers++ === 0) [begun, until] = [now, 0];
    const isAlone = until === 0;
    const end = now + seconds;
    until = Math.max(until, end);
    await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
    const passed = Math.min(until, performance.now() / 1000) - begun;
    if (--sleepers === 0) tally.waitedSeconds += isAlone && until === end && !signal.aborted ? seconds : passed;
    return 0;
  };
}
