import { setMaxListeners } from "node:events";
import type { Exchange, WireRequest } from "./exchange.js";
import type { Wire } from "./rest.js";

/** When an activity must end: after a time in milliseconds, or when one of the signals aborts. */
export interface Deadline {
  afterMs?: number;
  signals?: readonly (AbortSignal | undefined)[];
}

/**
 * Runs a function with a signal that aborts at the deadline. The timer and the listeners keep the signal alive until the function ends. `AbortSignal.any`
 * does not: its signal may be garbage-collected before a timeout fires.
 */
export async function runWithDeadline<T>(
  { afterMs, signals = [] }: Deadline,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
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

/** How long a stopped run waits for a response. */
const STOP_TIMEOUT_MS = 1000;

/**
 * Limits a wire so that a stopped run ends soon. After the stop, each request waits at most one second for its response. After the first request without
 * a response, no more requests are sent.
 */
export function addStopTimeout(wire: Wire, stop: AbortSignal | undefined): Wire {
  if (!stop) return wire;
  const timeout = new AbortController();
  setMaxListeners(0, timeout.signal); // because each request in progress adds a listener
  const onStop = () => setTimeout(() => timeout.abort(), STOP_TIMEOUT_MS).unref();
  stop.addEventListener("abort", onStop, { once: true });
  let isUnanswered = false;
  const sendWithTimeout = (request: WireRequest, signal: AbortSignal | undefined): Promise<Exchange> => {
    if (signal === stop) return wire.send(request, stop);
    const deadline = stop.aborted ? { afterMs: STOP_TIMEOUT_MS, signals: [signal] } : { signals: [signal, timeout.signal] };
    return runWithDeadline(deadline, (end) => wire.send(request, end));
  };
  return {
    async send(request, signal) {
      if (isUnanswered) return createUnsent(request);
      const exchange = await sendWithTimeout(request, signal);
      isUnanswered ||= stop.aborted && exchange.failure?.kind === "aborted" && signal?.aborted !== true;
      return exchange;
    },
    close() {
      stop.removeEventListener("abort", onStop);
      return wire.close();
    },
  };
}

function createUnsent(request: WireRequest): Exchange {
  const now = Date.now();
  const message = "not sent: the run was stopped, and the server has not answered an earlier request since";
  return { request, startedAt: now, endedAt: now, failure: { kind: "aborted", message } };
}
