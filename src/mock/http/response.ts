import { formatJson } from "../../common/escape/visible.js";
import type { ServiceResponse } from "../../service/call.js";
import { readShownText } from "../../service/world/lookups.js";
import { endInPieces, pieceBytes } from "./backlog.js";
import { endSlowly } from "./bandwidth.js";
import { buildCorsHeaders } from "./cors.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";

let dated = { second: Number.NaN, text: "" };

/** The parts of a reply that a client receives. */
export type ResponseParts = Pick<ServiceResponse, "status" | "headers" | "body">;

/** How the JSON of a response is written. Its value stays the same. */
export interface Writing {
  /** JSON on many lines. */
  indented?: true;
  /** JSON with escapes that are allowed and not needed. */
  escaped?: true;
  /** Returns another spelling of a header name. */
  headerName?: (name: string) => string;
}

/** How a response is sent, if not in the plain way. */
export interface Sending {
  /** Closes the connection after the response. */
  close?: boolean;
  /** Maximum speed in bytes per second. */
  bandwidth?: number | undefined;
  writing?: Writing | undefined;
}

/** Sends a reply as JSON with the world's time as its Date. Returns the text of the body. */
export function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  serviceResponse: ResponseParts,
  now: number,
  { close, bandwidth, writing }: Sending = {},
): string | undefined {
  const head = ["date", formatDate(now)];
  for (const name of Object.keys(serviceResponse.headers)) head.push(name, serviceResponse.headers[name]!);
  if (request.headers.origin !== undefined) head.push(...buildCorsHeaders(request));
  if (close) head.push("connection", "close");
  response.sendDate = false;
  if (serviceResponse.body === undefined) {
    response.writeHead(serviceResponse.status, renameHeaders(head, writing)).end();
    return undefined;
  }
  const type = serviceResponse.headers["content-type"];
  // only an overridden answer has another type, such as the page of a gateway
  const text =
    typeof serviceResponse.body === "string" && type?.includes("json") === false
      ? serviceResponse.body
      : writeJson(serviceResponse.body, writing);
  if (type === undefined) head.push("content-type", "application/json; charset=utf-8");
  head.push("content-length", String(Buffer.byteLength(text)));
  response.writeHead(serviceResponse.status, renameHeaders(head, writing));
  if (bandwidth === undefined) endText(response, text);
  else endSlowly(response, Buffer.from(text), bandwidth);
  return text;
}

/** Returns alternating names and values. Each name has another spelling. */
function renameHeaders(head: string[], { headerName }: Writing = {}): string[] {
  return headerName ? head.map((part, at) => (at % 2 === 0 ? headerName(part) : part)) : head;
}

/** Sends a response of the control plane as JSON. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  { type = "application/json", headers = [] }: { type?: string; headers?: readonly string[] } = {},
): void {
  if (body === undefined) {
    response.writeHead(status, buildCorsHeaders(request)).end();
    return;
  }
  const text = formatJson(body);
  const head = ["content-type", `${type}; charset=utf-8`, "content-length", String(Buffer.byteLength(text))];
  endText(response.writeHead(status, [...head, ...headers, ...buildCorsHeaders(request)]), text);
}

/** Ends a response with a text, a long one in pieces. */
export function endText(response: ServerResponse, text: string): void {
  if (text.length <= pieceBytes) response.end(text);
  else endInPieces(response, [Buffer.from(text)]);
}

/** Returns the path of a request line, without query. Reads the absolute form (`GET http://host/path`) too. */
export function readPath(request: IncomingMessage): string {
  const url = readTarget(request);
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Returns the path and query of a request line. */
export function readTarget({ url = "/" }: IncomingMessage): string {
  return url.charCodeAt(0) === 47 ? url : (/^https?:\/\/[^/?]*(.*)/is.exec(url)?.[1] ?? url) || "/";
}

/** Returns a time as an HTTP date. */
export function formatDate(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== dated.second) dated = { second, text: new Date(now).toUTCString() };
  return dated.text;
}

/** Writes the JSON of a response. An error can repeat what a client sent, so it contains control characters only as escapes. */
export function writeJson(body: unknown, { indented, escaped }: Writing = {}): string {
  const indent = indented ? 2 : undefined;
  const text = isError(body) ? formatJson(body, indent) : indented ? JSON.stringify(body, null, 2) : stringify(body);
  return escaped ? text.replaceAll("/", "\\/").replace(/[^\n -~]/g, escapeCodeUnit) : text;
}

/** Returns the JSON of a value. The JSON of a row is written once, until the row changes. */
function stringify(value: unknown): string {
  const known = readShownText(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return `[${value.map(stringify)}]`;
  if (!hasRows(value)) return JSON.stringify(value);
  let text = "";
  for (const [name, inner] of Object.entries(value))
    if (inner !== undefined) text += `${text === "" ? "{" : ","}${JSON.stringify(name)}:${stringify(inner)}`;
  return `${text}}`;
}

/** Returns whether a value is a page of rows, or a message with a tool result of one row. */
function hasRows(value: unknown): value is object {
  const { data, result } = (value ?? {}) as { data?: unknown; result?: unknown };
  return readShownText(Array.isArray(data) ? data[0] : result) !== undefined;
}

/** Returns whether a body is the error of a route, of a tool or of JSON-RPC. */
function isError(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  const { error, result } = body as { error?: unknown; result?: { isError?: boolean } };
  return (typeof error === "object" && error !== null) || result?.isError === true;
}

function escapeCodeUnit(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Returns the address of the caller: the address of the socket, or null without a socket. Reads `X-Mock-Client-IP` only if the mock was
 * started to trust it. Ignores other forwarding headers.
 */
export function readClientAddress(request: IncomingMessage, trustClientIp: boolean): string | null {
  const claimed = trustClientIp ? request.headers["x-mock-client-ip"] : undefined;
  return typeof claimed === "string" ? claimed : (request.socket.remoteAddress ?? null);
}
