import { contract } from "../contract/load.js";
import { resolveRoute } from "../contract/routes.js";
import type { RouteName } from "../contract/types.js";

/** A connection of a client: the same object for all requests that came over it. */
export interface Connection {
  /** When the client ended it, in milliseconds of the real clock; absent while it is open. */
  endedAt?: number;
  /** The reference by which earlier calls remember it. */
  reference?: WeakRef<Connection>;
}

/** The part of a socket that reports its end. A request without a socket has none. */
interface SocketLike {
  once?(event: "end" | "close", listener: () => void): unknown;
}

/** The connection of each socket. */
export const connections: WeakMap<object, Connection> = new WeakMap();

/** Returns the connection of a socket. */
export function findConnection(socket: SocketLike): Connection {
  const knownConnection = connections.get(socket);
  if (knownConnection) return knownConnection;
  const connection: Connection = {};
  const end = () => {
    connection.endedAt ??= performance.now();
  };
  connections.set(socket, connection);
  socket.once?.("end", end);
  socket.once?.("close", end);
  return connection;
}

/** One request of a client and its response. */
export interface Exchange {
  /** Its number in a journal; null when no journal holds it. */
  number: number | null;
  /** When it came, in milliseconds of the server's clock. */
  at: number;
  /** When it came, in milliseconds of the real clock since any fixed moment. */
  wall: number;
  /** Milliseconds until the response; absent for a response at once. */
  took?: number;
  connection: Connection;
  method: string;
  /** Path and query. */
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when there is none, or one that is not JSON. */
  body: unknown;
  hasBody: boolean;
  /** The operation; absent when it is not resolved yet. */
  route?: RouteName | null | undefined;
  /** Null when there was no response. */
  status: number | null;
  responseHeaders: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON of the response. */
  answer: unknown;
  /** Whether a fault or a preference replaced the response, so that it shows nothing about the request. */
  overridden: boolean;
  /** Whether the mock skips the wait of a `Retry-After`, so that the client need not wait. */
  skipsWait: boolean;
  /** Whether jobs advance only by polls or by a test, so that a pause between polls has no use. */
  skipsPause: boolean;
  /** The code of the refusal, if the response does not show it: the tool server answers every 401 alike. */
  refusal?: string | null;
}

/** An exchange as the rules read it, alike on both surfaces. */
export interface Call {
  exchange: Exchange;
  surface: "rest" | "mcp";
  /** The credential of the caller. It never leaves memory. */
  caller: string;
  path: string;
  /** The route of the request, or of the tool that it calls. */
  route: RouteName | null;
  /** The route, the tool, the JSON-RPC method, or else the HTTP method and path. */
  operation: string;
  isTool: boolean;
  /** Path parameters, query and body, or a tool's arguments. */
  input: Readonly<Record<string, unknown>>;
  /** The status of REST; a tool error has that of its code. */
  status: number | null;
  /** The response's JSON, unwrapped from a tool's result. */
  payload: Readonly<Record<string, unknown>>;
  code: string | null;
  /** The seconds of `Retry-After`. */
  retryAfter: number | null;
  /** Equal for equal requests; null until `fingerprint` computes it. */
  fingerprint: string | null;
}

const emptyObject = {};
let unreadBodies = 0;
const routeOfTool = new Map(
  Object.values(contract.tools).map(({ name, route }): [string, RouteName | null] => [name, route ?? null]),
);

/** Reads an exchange as a call. Never throws. */
export function readCall(exchange: Exchange): Call {
  const { url } = exchange;
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  return path === "/mcp/" || path === "/mcp" ? readToolCall(exchange, path) : readRestCall(exchange, path, mark);
}

/** Tells whether every server reads a path as one below `/api/`. A server may resolve the segments `.` and `..` (RFC 3986, 6.2.2.3). */
export function isApiPath(path: string): boolean {
  return path.startsWith("/api/") && !/\/(\.|%2e){1,2}(\/|$)/i.test(path);
}

/** Returns an object as it is, and an empty one for any other value. */
export function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : emptyObject;
}

/** Returns a string as it is, and any other JSON value as JSON text. */
export function readWord(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Returns a text that is equal for equal requests of a caller. */
export function fingerprint(call: Call): string {
  call.fingerprint ??= readFingerprint(call);
  return call.fingerprint;
}

function readFingerprint({ caller, exchange: { method, url, body, hasBody } }: Call): string {
  // a body that is not kept equals no other
  const sent = body !== undefined ? JSON.stringify(withoutId(body)) : hasBody ? `(body ${++unreadBodies})` : "";
  return computeDigest(`${caller} ${method} ${url} ${sent}`);
}

/** Returns four characters that identify a text: two 32-bit FNV-1a hashes. The report remembers thousands of requests by them. */
function computeDigest(text: string): string {
  let [one, other] = [0x811c9dc5, 0x2545f491];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x01000193);
  }
  return String.fromCharCode(one & 0xffff, one >>> 16, other & 0xffff, other >>> 16);
}

function readRestCall(exchange: Exchange, path: string, mark: number): Call {
  const { method, headers, body, status, answer: response, responseHeaders } = exchange;
  const routeName = exchange.route === undefined ? resolveOperation(method, path) : exchange.route;
  const payload = readFields(response);
  return {
    exchange,
    surface: "rest",
    caller: readText(headers.authorization) ?? readText(headers.cookie) ?? "",
    path,
    route: routeName,
    operation: routeName ?? `${method} ${path}`,
    isTool: false,
    input:
      mark < 0
        ? readFields(body)
        : { ...readFields(body), ...Object.fromEntries(new URLSearchParams(exchange.url.slice(mark + 1))) },
    status,
    payload,
    code: status !== null && status < 400 ? null : readErrorCode(payload),
    retryAfter: parseSeconds(responseHeaders["retry-after"]),
    fingerprint: null,
  };
}

function readToolCall(exchange: Exchange, path: string): Call {
  const { headers, method, status, responseHeaders } = exchange;
  const message = readFields(exchange.body);
  const params = readFields(message.params);
  const isTool = message.method === "tools/call" && typeof params.name === "string";
  const result = readFields(readFields(exchange.answer).result);
  const payload = isTool ? readContent(result) : readFields(exchange.answer);
  const code = result.isError === true || !isTool ? readErrorCode(payload) : null;
  const error = readFields(payload.error);
  return {
    exchange,
    surface: "mcp",
    caller: readText(headers.authorization) ?? "",
    path,
    route: isTool ? (routeOfTool.get(params.name as string) ?? null) : null,
    operation: isTool ? (params.name as string) : (readText(message.method) ?? `${method} ${path}`),
    isTool,
    input: isTool ? readFields(params.arguments) : emptyObject,
    status: status === 200 && result.isError === true ? readToolStatus(code) : status,
    payload,
    code,
    retryAfter: parseSeconds(responseHeaders["retry-after"]) ?? (code === null ? null : parseSeconds(error.retry_after)),
    fingerprint: null,
  };
}

/** Returns the JSON of a tool's result: its structured content, else its text. */
function readContent({ structuredContent, content }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (structuredContent !== undefined) return readFields(structuredContent);
  const [first] = Array.isArray(content) ? content : [];
  const { text } = readFields(first);
  if (typeof text !== "string" || !text.startsWith("{")) return emptyObject;
  try {
    return readFields(JSON.parse(text));
  } catch {
    return emptyObject;
  }
}

function resolveOperation(method: string, path: string): RouteName | null {
  const resolution = resolveRoute(method === "HEAD" ? "GET" : method, path);
  return resolution.found === "route" ? resolution.route.name : null;
}

function readErrorCode(payload: Readonly<Record<string, unknown>>): string | null {
  return readText(readFields(payload.error).code);
}

/** Returns the status that REST has for the code of a tool error; 400 for an unknown code. */
function readToolStatus(code: string | null): number {
  return code !== null && Object.hasOwn(contract.errors, code)
    ? contract.errors[code as keyof typeof contract.errors].status
    : 400;
}

function parseSeconds(value: unknown): number | null {
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds : null;
}

function readText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Returns a JSON-RPC message without its id: a repeated message has another one. */
function withoutId(body: unknown): unknown {
  const { jsonrpc, method, params, result, error } = readFields(body);
  return jsonrpc === undefined ? body : { method, params, result, error };
}
