import type { Dispatcher } from "undici";
import { type Connections, openConnections, type RawResponse } from "./connections.js";
import { createTooLarge, decodeBody } from "./decode-body.js";
import { isEventStream } from "./event-stream.js";
import type { Exchange, Failure, WireRequest, WireResponse } from "./exchange.js";
import { classifyFailure } from "./failure.js";
import { listenForResponse } from "./mcp.js";

/** Limits of one request: its timeout, and the most bytes of its response before and after decompression (default 8 MiB). */
export interface WireLimits {
  timeoutMs: number;
  maxBytes?: number;
}

/** Sends requests over kept-alive connections. Follows no redirects. Never throws: the exchange contains the failure. */
export interface Wire {
  send(request: WireRequest, signal?: AbortSignal): Promise<Exchange>;
  close(): Promise<void>;
}

type CollectedResponse = { response: WireResponse } | { failure: Failure };

const MAX_BYTES = 8 * 1024 * 1024;

/** Opens a wire. The first request loads the HTTP client, because loading is slow. */
export function openWire({ timeoutMs, maxBytes = MAX_BYTES }: WireLimits): Wire {
  let connections: Connections | undefined;
  const response = async (request: WireRequest, signal: AbortSignal | undefined): Promise<CollectedResponse> => {
    const { method, url, headers, body = null } = request;
    connections ??= openConnections(timeoutMs);
    const listen = (named: RawResponse["headers"]) =>
      isEventStream(flattenHeaders(named)) ? listenForResponse(request) : undefined;
    const limits = { timeoutMs, signal, maxBytes, listen };
    const raw = await connections.collect(url, { method: method as Dispatcher.HttpMethod, headers, body }, limits);
    if (raw.isCut) return { failure: createTooLarge(maxBytes) };
    const named = flattenHeaders(raw.headers);
    const plainBody = decodeBody(raw.bytes, named["content-encoding"] ?? "", maxBytes);
    return plainBody.failure ? plainBody : { response: { status: raw.status, headers: named, body: plainBody.bytes } };
  };
  return {
    async send(request, signal) {
      const startedAt = Date.now();
      const outcome = await response(request, signal).catch((error: unknown) => ({
        failure: signal?.aborted
          ? { kind: "aborted" as const, message: "the run was stopped" }
          : classifyFailure(error, timeoutMs),
      }));
      return { request, startedAt, endedAt: Date.now(), ...outcome };
    },
    async close() {
      await connections?.close();
    },
  };
}

/** Returns headers with one value each. Repeated equal values count once, except content codings: each of them was applied. */
function flattenHeaders(headers: RawResponse["headers"]): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (typeof value === "string") named[lower] = value;
    else named[lower] = (lower === "content-encoding" ? value : [...new Set(value)]).join(", ");
  }
  return named;
}
