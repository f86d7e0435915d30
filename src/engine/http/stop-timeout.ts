import { setMaxListeners } from "node:events";
import { withDeadline } from "./deadline.js";
import type { Exchange, WireRequest } from "./exchange.js";
import type { Wire } from "./rest.js";

/** How long a stopped run waits for an answer. */
const PATIENCE_MS = 1000;

/**
 * A wire that waits no longer than a second for an answer once the run is stopped. A server that leaves one request without an answer then is
 * asked nothing more, so that a run ends soon also where the server hangs.
 */
export function withStopTimeout(wire: Wire, stop: AbortSignal | undefined): Wire {
  if (!stop) return wire;
  const late = new AbortController();
  setMaxListeners(0, late.signal); // each request under way listens
  const onStop = () => setTimeout(() => late.abort(), PATIENCE_MS).unref();
  stop.addEventListener("abort", onStop, { once: true });
  let hangs = false;
  const sendPatiently = (request: WireRequest, signal: AbortSignal | undefined): Promise<Exchange> => {
    if (signal === stop) return wire.send(request, stop);
    const patience = stop.aborted ? { afterMs: PATIENCE_MS, signals: [signal] } : { signals: [signal, late.signal] };
    return withDeadline(patience, (end) => wire.send(request, end));
  };
  return {
    async send(request, signal) {
      if (hangs) return unsent(request);
      const exchange = await sendPatiently(request, signal);
      hangs ||= stop.aborted && exchange.failure?.kind === "aborted" && signal?.aborted !== true;
      return exchange;
    },
    close() {
      stop.removeEventListener("abort", onStop);
      return wire.close();
    },
  };
}

function unsent(request: WireRequest): Exchange {
  const now = Date.now();
  const message = "the run was stopped, and the server has left another request without an answer since";
  return { request, startedAt: now, endedAt: now, failure: { kind: "aborted", message } };
}
