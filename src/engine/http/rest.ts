import type { Dispatcher } from "undici";
import { decode, readBounded } from "./body.js";
import { type Connections, openConnections } from "./connections.js";
import { isEventStream } from "./event-stream.js";
import type { Exchange, Failure, WireRequest, WireResponse } from "./exchange.js";
import { failureOf } from "./failure.js";
import { listenForAnswer } from "./mcp.js";
import { until } from "./until.js";

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
  let connections: Promise<Connections> | undefined;
  const answer = async (request: WireRequest, signal: AbortSignal): Promise<Answer> => {
    const { method, url, headers, body = null } = request;
    connections ??= openConnections(timeoutMs);
    const { ask } = await connections;
    const reply = await ask(url, { method: method as Dispatcher.HttpMethod, headers, body, signal });
    const named = flat(reply.headers);
    const read = await readBounded(reply.body, maxBytes, isEventStream(named) ? listenForAnswer(request) : undefined);
    const plain = read.bytes ? decode(read.bytes, named["content-encoding"] ?? "", maxBytes) : read;
    return plain.failure ? plain : { response: { status: reply.statusCode, headers: named, body: plain.bytes } };
  };
  return {
    async send(request, signal) {
      const startedAt = Date.now();
      const ends = { afterMs: timeoutMs, signals: [signal] };
      const came = await until(ends, (end) => answer(request, end)).catch((error: unknown) => ({
        failure: signal?.aborted ? { kind: "aborted" as const, message: "the run was stopped" } : failureOf(error, timeoutMs),
      }));
      return { request, startedAt, endedAt: Date.now(), ...came };
    },
    async close() {
      await (await connections)?.close();
    },
  };
}

/** A header that is there twice with one value says nothing more than once; but each coding of a body was applied. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => {
      const values = [value].flat();
      return [name.toLowerCase(), (name === "content-encoding" ? values : [...new Set(values)]).join(", ")];
    }),
  );
}
