import type { Dispatcher } from "undici";
import type { RawAnswer } from "./collect.js";
import { type Connections, openConnections } from "./connections.js";
import { decodeBody, tooLarge } from "./decode-body.js";
import { isEventStream } from "./event-stream.js";
import type { Exchange, Failure, WireRequest, WireResponse } from "./exchange.js";
import { failureOf } from "./failure.js";
import { listenForAnswer } from "./mcp.js";

/** Bounds of one request: its deadline, and the most bytes an answer may have (also after decompression). */
export interface WireLimits {
  timeoutMs: number;
  maxBytes?: number;
}

/** Sends requests over kept-alive connections. Follows no redirect and never throws: what goes wrong is in the exchange. */
export interface Wire {
  send(request: WireRequest, signal?: AbortSignal): Promise<Exchange>;
  close(): Promise<void>;
}

type Answer = { response: WireResponse } | { failure: Failure };

const MAX_BYTES = 8 * 1024 * 1024;

/** Opens a wire. The HTTP client is loaded with the first request, since loading it is slow. */
export function openWire({ timeoutMs, maxBytes = MAX_BYTES }: WireLimits): Wire {
  let connections: Connections | undefined;
  const answer = async (request: WireRequest, signal: AbortSignal | undefined): Promise<Answer> => {
    const { method, url, headers, body = null } = request;
    connections ??= openConnections(timeoutMs);
    const listen = (named: RawAnswer["headers"]) => (isEventStream(flat(named)) ? listenForAnswer(request) : undefined);
    const limits = { timeoutMs, signal, maxBytes, listen };
    const came = await connections.collect(url, { method: method as Dispatcher.HttpMethod, headers, body }, limits);
    if (came.isCut) return { failure: tooLarge(maxBytes) };
    const named = flat(came.headers);
    const plain = decodeBody(came.bytes, named["content-encoding"] ?? "", maxBytes);
    return plain.failure ? plain : { response: { status: came.status, headers: named, body: plain.bytes } };
  };
  return {
    async send(request, signal) {
      const startedAt = Date.now();
      const came = await answer(request, signal).catch((error: unknown) => ({
        failure: signal?.aborted ? { kind: "aborted" as const, message: "the run was stopped" } : failureOf(error, timeoutMs),
      }));
      return { request, startedAt, endedAt: Date.now(), ...came };
    },
    async close() {
      await connections?.close();
    },
  };
}

/** A header that is there twice with one value says nothing more than once; but each coding of a body was applied. */
function flat(headers: RawAnswer["headers"]): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (typeof value === "string") named[lower] = value;
    else named[lower] = (lower === "content-encoding" ? value : [...new Set(value)]).join(", ");
  }
  return named;
}
