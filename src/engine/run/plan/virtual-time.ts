/** A clock that stops while a task is active, and jumps ahead when all tasks sleep. */
export interface VirtualTime {
  /** Returns the seconds since the clock started. */
  now(): number;
  sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}

interface Sleeper {
  until: number;
  wake(): void;
}

/** Opens a virtual clock at 0, for tasks that do nothing but sleep. */
export function openVirtualTime(): VirtualTime {
  let now = 0;
  let isMoving = false;
  const sleepers = new Set<Sleeper>();
  const move = () => {
    isMoving = false;
    const [first, ...others] = sleepers;
    if (!first) return;
    const next = others.reduce((soonest, sleeper) => (sleeper.until < soonest.until ? sleeper : soonest), first);
    now = Math.max(now, next.until);
    next.wake();
  };
  const begin = () => {
    if (!isMoving && sleepers.size > 0) setImmediate(move); // after all work that does not sleep
    isMoving ||= sleepers.size > 0;
  };
  return {
    now: () => now,
    sleep: (seconds, signal) =>
      new Promise((resolve) => {
        const sleeper: Sleeper = {
          until: now + seconds,
          wake() {
            sleepers.delete(sleeper);
            resolve();
            begin();
          },
        };
        signal?.addEventListener("abort", sleeper.wake, { once: true });
        sleepers.add(sleeper);
        begin();
      }),
  };
}
