import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Dispatcher } from "undici";
import type { Exchange, Failure, WireRequest, WireResponse } from "./exchange.js";

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

const MAX_BYTES = 16 * 1024 * 1024;

/** Opens a wire. The HTTP client is loaded with the first request, since loading it is slow. */
export function openWire({ timeoutMs, maxBytes = MAX_BYTES }: WireLimits): Wire {
  let client: Promise<{ request: typeof import("undici").request; agent: Dispatcher }> | undefined;
  const load = async () => {
    const { Agent, request } = await import("undici");
    return {
      request,
      agent: new Agent({ connections: 256, pipelining: 1, connect: { timeout: timeoutMs }, headersTimeout: 0, bodyTimeout: 0 }),
    };
  };
  const answer = async ({ method, url, headers, body }: WireRequest, signal: AbortSignal): Promise<Answer> => {
    client ??= load();
    const { request, agent } = await client;
    const reply = await request(url, {
      dispatcher: agent,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
      signal,
    });
    const bytes = await readBounded(reply.body, maxBytes);
    if (!bytes) return tooLarge(maxBytes);
    return decode(reply.statusCode, flat(reply.headers), bytes, maxBytes);
  };
  return {
    async send(request, signal) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const startedAt = Date.now();
      const came = await answer(request, signal ? AbortSignal.any([deadline, signal]) : deadline).catch((error: unknown) => ({
        failure: signal?.aborted ? { kind: "aborted" as const, message: "the run was stopped" } : failureOf(error, timeoutMs),
      }));
      return { request, startedAt, endedAt: Date.now(), ...came };
    },
    async close() {
      await (await client)?.agent.destroy();
    },
  };
}

async function readBounded(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined; // leaving the loop destroys the stream
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const DECODERS = { gzip: gunzipSync, "x-gzip": gunzipSync, deflate: inflateSync, br: brotliDecompressSync };

function decode(status: number, headers: Record<string, string>, bytes: Buffer, maxBytes: number): Answer {
  const decoder = DECODERS[(headers["content-encoding"] ?? "") as keyof typeof DECODERS];
  if (!decoder || bytes.length === 0) return { response: { status, headers, body: bytes } };
  try {
    return { response: { status, headers, body: decoder(bytes, { maxOutputLength: maxBytes }) } };
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes);
    return {
      failure: { kind: "protocol", message: `the body is not what content-encoding "${headers["content-encoding"]}" says` },
    };
  }
}

function tooLarge(maxBytes: number): Answer {
  return { failure: { kind: "too-large", message: `the answer is larger than ${maxBytes} bytes` } };
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function failureOf(error: unknown, timeoutMs: number): Failure {
  const { name = "", code = "", message = String(error) } = error as { name?: string; code?: string; message?: string };
  if (name === "TimeoutError" || /TIMEOUT|ETIMEDOUT/.test(code))
    return { kind: "timeout", message: `no whole answer within ${timeoutMs / 1000} s` };
  if (code === "ECONNREFUSED" || /ECONNREFUSED/.test(message))
    return { kind: "refused", message: "nobody listens at this address" };
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return { kind: "dns", message: "the host name is not known" };
  if (/CERT|TLS|SSL|SELF_SIGNED/.test(code)) return { kind: "tls", message: `no trusted TLS connection (${wordsOf(code)})` };
  if (/ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code))
    return { kind: "reset", message: "the server closed the connection before the whole answer was there" };
  return { kind: "protocol", message };
}

/** `ERR_SSL_WRONG_VERSION_NUMBER` in words: what the TLS library says in its messages is of no use to a reader. */
function wordsOf(code: string): string {
  return code
    .replace(/^ERR_(SSL|TLS)_/, "")
    .replaceAll("_", " ")
    .toLowerCase();
}
