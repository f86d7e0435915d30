import type { Exchange, WireRequest, WireResponse } from "../../../src/engine/http/exchange.js";
import type { Wire } from "../../../src/engine/http/rest.js";

/** The fault of one request: whether it reaches the server, and the response or failure that the runner gets. */
export interface Fault {
  reaches: boolean;
  gets: { failure: NonNullable<Exchange["failure"]>; response?: never } | { response: WireResponse; failure?: never };
}

const broken = { failure: { kind: "reset", message: "the connection broke" } } as const;

/** Faults of networks and servers that any request can meet. */
export const faults = {
  "gets no answer": { reaches: false, gets: broken },
  "loses its answer": { reaches: true, gets: broken },
  "gets a 500 and is not performed": { reaches: false, gets: refusal(500, "server_error", "internal_error") },
  "gets a 500 after it was performed": { reaches: true, gets: refusal(500, "server_error", "internal_error") },
  "is answered 503": { reaches: false, gets: refusal(503, "server_error", "unavailable") },
  "is answered 403": { reaches: false, gets: refusal(403, "permission_error", "forbidden") },
  "is answered 429": { reaches: false, gets: refusal(429, "rate_limit_error", "rate_limit_qps") },
} as const satisfies Record<string, Fault>;

/** The name of a fault. */
export type FaultName = keyof typeof faults;

/** A wire whose requests meet the fault that `getFault` returns for them before they are sent. */
export function faultyWire(wire: Wire, faultOf: (request: WireRequest) => Fault | undefined): Wire {
  return {
    ...wire,
    async send(request, signal) {
      const fault = faultOf(request);
      if (!fault) return wire.send(request, signal);
      const now = Date.now();
      const { startedAt, endedAt } = fault.reaches ? await wire.send(request, signal) : { startedAt: now, endedAt: now };
      return { request, startedAt, endedAt, ...fault.gets };
    },
  };
}

/** A refusal as in the contract. */
export function refusal(
  status: number,
  type: string,
  code: string,
  told: Record<string, string> = {},
): { response: WireResponse } {
  const error = { type, code, message: "Nobody knows why.", request_id: "req_of_a_test" };
  const body = new TextEncoder().encode(JSON.stringify({ error }));
  return { response: { status, headers: { "content-type": "application/json", ...told }, body } };
}
