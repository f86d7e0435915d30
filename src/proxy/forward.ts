import { once } from "node:events";
import { request as http, type IncomingMessage, type ServerResponse } from "node:http";
import { request as https } from "node:https";
import { Readable } from "node:stream";
import type { SendRequest } from "../engine/http/connections.js";
import { isEventStream } from "../engine/http/event-stream.js";
import { classifyFailure } from "../engine/http/failure.js";
import { writeRefusal } from "./refused.js";

/** The upstream server, and how long it may stay silent. */
export interface Upstream {
  /** Without a slash at its end. */
  url: string;
  ask: SendRequest;
  timeoutMs: number;
}

/** One request and its response. A body beyond the bound is null; so is a missing answer. */
export interface Passage {
  requestBody: Buffer | null;
  answer: { status: number; headers: Record<string, string>; body: Buffer | null } | null;
  /** Why the proxy answered itself, or ended the response early. */
  failure: string | null;
  /** The request did not reach the upstream: no server listens, the name is unknown, or there is no TLS connection. */
  isUnreachable?: boolean;
}

/** The proxy keeps at most this many bytes of a body, and forwards all of it. */
export const maxKeptBytes = 524_288;

/** Headers of one connection only (RFC 9110, 7.6.1), and those that undici sets. */
const connectionHeaderNames = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "expect", "host"],
]);
/** Failures before a connection is open. */
const unreachableKinds = new Set(["refused", "dns", "tls", "no-tls"]);
const statusesWithoutBody = new Set([204, 205, 304]);

interface SendOptions {
  method: "GET";
  /** Names and values in turn. */
  headers: string[];
  body: Readable | null;
  signal: AbortSignal;
}

/** The head of a response, and its body as it arrives. */
interface UpstreamResponse {
  statusCode: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Buffer>;
}

/** Forwards a request and streams the response back. Returns both. Ends the upstream request when the client disconnects. */
export async function forward(
  upstream: Upstream,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Passage> {
  const clientAbort = new AbortController();
  response.once("close", () => clientAbort.abort());
  // the reading and the writing report errors
  for (const aborter of [request, response]) aborter.on("error", () => {});
  const idleTimer = watchSilence(upstream.timeoutMs, clientAbort);
  const sent = openCopy(idleTimer.renew);
  const responseHasBegun = openCopy(idleTimer.renew);
  let hasBegun: Passage["answer"] = null;
  try {
    const {
      statusCode: status,
      headers: raw,
      body,
    } = await ask(upstream, readRequestTarget(request), {
      method: request.method as "GET",
      headers: listForwardedHeaders(request),
      body: hasBody(request) ? Readable.from(sent.of(request)) : null,
      signal: clientAbort.signal,
    });
    const headers = flattenHeaders(raw);
    if (isEventStream(headers)) {
      idleTimer.stop();
      hasBegun = { status, headers, body: null };
    }
    sendHead(request, response, status, raw, { upstream: upstream.url, origin });
    const isBare = request.method === "HEAD" || statusesWithoutBody.has(status);
    for await (const chunk of responseHasBegun.of(body)) if (!isBare && !response.write(chunk)) await waitUntilDrained(response);
    response.end();
    return { requestBody: sent.bytes(), answer: { status, headers, body: responseHasBegun.bytes() }, failure: null };
  } catch (error) {
    // a client that closes an event stream has received its response
    if (hasBegun && clientAbort.signal.aborted) return { requestBody: sent.bytes(), answer: hasBegun, failure: null };
    const failure = explain(error, upstream, response, idleTimer.isOver());
    return { requestBody: sent.bytes(), answer: null, ...failure };
  } finally {
    idleTimer.stop();
  }
}

/** Sends a request to the upstream server. The server reads dots and escapes in its path as the client wrote them. */
async function ask({ url, ask: send }: Upstream, target: string, options: SendOptions): Promise<UpstreamResponse> {
  const { origin, pathname } = new URL(url);
  if (target !== "*") return send({ ...options, origin, path: pathname.replace(/\/$/, "") + target });
  // undici cannot send the asterisk form (RFC 9112, 3.2.4)
  const openConnection = origin.startsWith("https:") ? https : http;
  const sent = openConnection(origin, {
    method: options.method,
    path: "*",
    headers: [...options.headers, "host", new URL(origin).host],
    signal: options.signal,
  });
  options.body ? options.body.pipe(sent) : sent.end();
  const [body] = (await once(sent, "response")) as [IncomingMessage];
  return { statusCode: body.statusCode ?? 0, headers: body.headers, body };
}

/**
 * Returns the path and query of a request. A client that takes the proxy for a forward proxy sends the absolute form, `GET http://host/path`
 * (RFC 9112, 3.2.2).
 */
export function readRequestTarget({ url = "/" }: IncomingMessage): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, "");
  return /^[?]|^$/.test(path) ? `/${path}` : path;
}

/** Returns why the response is missing or incomplete, and sends it to a client that still waits. */
function explain(error: unknown, { url, timeoutMs }: Upstream, response: ServerResponse, isOver: boolean) {
  if (response.destroyed && !isOver) return { failure: "the client went away" };
  const { kind, message } = isOver
    ? { kind: "timeout", message: `no data within ${timeoutMs / 1000} s` }
    : classifyFailure(error, timeoutMs);
  refuse(response, kind === "timeout" ? 504 : 502, url, message);
  const noConnection = (error as { code?: string }).code === "UND_ERR_CONNECT_TIMEOUT";
  return { failure: message, isUnreachable: !isOver && (noConnection || unreachableKinds.has(kind)) };
}

/** Tells whether the headers of a request announce a body (RFC 9112, 6). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Returns the headers to forward, names and values in turn, repeated ones included. */
function listForwardedHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = listConnectionHeaders(headers.connection);
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (!connectionHeaderNames.has(name) && !named.has(name)) kept.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return kept;
}

/** Returns the header names in `Connection`: they belong to this connection only (RFC 9110, 7.6.1). */
function listConnectionHeaders(connection: string | string[] | undefined): Set<string> {
  return new Set(
    String(connection ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );
}

function sendHead(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  raw: Record<string, string | string[] | undefined>,
  places: { upstream: string; origin: string },
): void {
  const named = listConnectionHeaders(raw.connection);
  const head = Object.entries(raw).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || connectionHeaderNames.has(name) || named.has(name)
      ? []
      : [[name, name === "location" ? relocate(String(value), places) : value]],
  );
  response.sendDate = false;
  response.writeHead(status, Object.fromEntries(head));
  // send the headers at once, because the client of an event stream waits for them
  if (request.method !== "HEAD" && raw["content-length"] === undefined) response.flushHeaders();
}

/** Rewrites a redirect to the upstream, so that the client stays with the proxy. */
function relocate(location: string, { upstream, origin }: { upstream: string; origin: string }): string {
  return location.startsWith(`${upstream}/`) ? origin + location.slice(upstream.length) : location;
}

function waitUntilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) {
      reject(new Error("the client went away"));
      return;
    }
    const onClose = () => reject(new Error("the client went away"));
    response.once("close", onClose);
    response.once("drain", () => {
      response.off("close", onClose);
      resolve();
    });
  });
}

/** Keeps a copy of a stream up to a bound. A longer stream is not kept at all. */
function openCopy(renew: () => void) {
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    async *of(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of stream) {
        renew();
        size += chunk.length;
        if (size <= maxKeptBytes) pieces.push(chunk);
        else pieces.length = 0;
        yield chunk;
      }
    },
    bytes: () => (size > maxKeptBytes ? null : Buffer.concat(pieces)),
  };
}

/** Ends a request after too long a silence. Each piece of data restarts the time. */
function watchSilence(timeoutMs: number, clientAbort: AbortController) {
  let over = false;
  let isStopped = false;
  const end = () => {
    over = true;
    clientAbort.abort();
  };
  let timer = setTimeout(end, timeoutMs);
  return {
    renew() {
      clearTimeout(timer);
      if (!isStopped) timer = setTimeout(end, timeoutMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    isOver: () => over,
  };
}

/** Answers in the service's error envelope. Ends a response that has begun. */
function refuse(response: ServerResponse, status: 502 | 504, upstream: string, why: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const code = status === 502 ? "bad_gateway" : "gateway_timeout";
  const message = `The proxy got no answer from ${upstream}: ${why}.`;
  const text = writeRefusal(code, "server_error", message);
  response
    .writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      "x-counterpart-proxy": code,
    })
    .end(text);
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}
