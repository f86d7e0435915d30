/** What ends an activity early: its time, in ms, or any of these signals. */
export interface Deadline {
  afterMs?: number;
  signals?: readonly (AbortSignal | undefined)[];
}

/**
 * Does something that ends early, by its signal, when its time is over or another signal says so. Its timer and listeners hold the signal until
 * it is done: what `AbortSignal.any` makes of a timeout may be collected before it fires, and a request whose deadline never comes never ends.
 */
export async function withDeadline<T>({ afterMs, signals = [] }: Deadline, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const over = () => end.abort(new DOMException(`not done within ${afterMs} ms`, "TimeoutError"));
  const timer = afterMs === undefined ? undefined : setTimeout(over, afterMs);
  const heard = signals.filter((signal) => signal !== undefined);
  const stop = () => end.abort(heard.find(({ aborted }) => aborted)?.reason);
  for (const signal of heard) signal.addEventListener("abort", stop, { once: true });
  if (heard.some(({ aborted }) => aborted)) stop();
  try {
    return await act(end.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of heard) signal.removeEventListener("abort", stop);
  }
}
