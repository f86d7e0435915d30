/** When an activity must end: after a time in milliseconds, or when one of the signals aborts. */
export interface Deadline {
  afterMs?: number;
  signals?: readonly (AbortSignal | undefined)[];
}

/**
 * Runs a function with a signal that aborts at the deadline. The timer and the listeners keep the signal alive until the function ends. `AbortSignal.any`
 * does not: its signal may be garbage-collected before a timeout fires.
 */
export async function withDeadline<T>({ afterMs, signals = [] }: Deadline, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const onTimeout = () => end.abort(new DOMException(`not finished within ${afterMs} ms`, "TimeoutError"));
  const timer = afterMs === undefined ? undefined : setTimeout(onTimeout, afterMs);
  const present = signals.filter((signal) => signal !== undefined);
  const onAbort = () => end.abort(present.find(({ aborted }) => aborted)?.reason);
  for (const signal of present) signal.addEventListener("abort", onAbort, { once: true });
  if (present.some(({ aborted }) => aborted)) onAbort();
  try {
    return await act(end.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of present) signal.removeEventListener("abort", onAbort);
  }
}
