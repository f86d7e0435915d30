import { contract } from "../contract/load.js";
import { resolveRoute } from "../contract/routes.js";
import type { RouteName } from "../contract/types.js";

/** A connection of a client: the same object for all requests that came over it. */
export interface Connection {
  /** When the client ended it, by the clock on the wall in milliseconds; absent while it is open. */
  endedAt?: number;
}

/** The parts of a socket that tell when it ends. A request that comes without a socket has none of them. */
interface SocketLike {
  once?(event: "end" | "close", listener: () => void): unknown;
}

/** The connections of sockets, as `connectionOf` keeps them. */
export const connections: WeakMap<object, Connection> = new WeakMap();

/** Returns the connection of a socket. */
export function connectionOf(socket: SocketLike): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection: Connection = {};
  const end = () => {
    connection.endedAt ??= performance.now();
  };
  connections.set(socket, connection);
  socket.once?.("end", end);
  socket.once?.("close", end);
  return connection;
}

/** One request of a client and what was answered to it, as whoever stood beside it saw them. */
export interface Exchange {
  /** Where it stands in a journal; null when none holds it. */
  number: number | null;
  /** By the clock of whoever answered, in milliseconds. */
  at: number;
  /** By the clock on the wall, in milliseconds from anywhere. */
  wall: number;
  /** How long its answer took, in milliseconds, where it is not at once. */
  took?: number;
  connection: Connection;
  method: string;
  /** Path and query. */
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined when there was none, or none that could be read. */
  body: unknown;
  hasBody: boolean;
  /** The operation, where it is known already. */
  route?: RouteName | null | undefined;
  /** Null when there was no answer. */
  status: number | null;
  answerHeaders: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON of the answer. */
  answer: unknown;
  /** Whether the answer was bent on purpose, so that it tells nothing of what was asked. */
  bent: boolean;
  /** Whether a wait that it asks for is skipped, so that nobody needs to wait. */
  skipsWait: boolean;
  /** Whether time or work only moves on when the client asks or a test says so, so that a pause between polls has no use. */
  skipsPause: boolean;
  /** The code of the refusal, where it is known apart from the answer: the tool server answers every 401 alike. */
  refusal?: string | null;
}

/** An exchange as the rules look at it: the same on both surfaces. */
export interface Call {
  exchange: Exchange;
  surface: "rest" | "mcp";
  /** Who called: a credential, which never leaves memory. */
  caller: string;
  path: string;
  /** The operation of REST, that of the tool called included. */
  route: RouteName | null;
  /** What was called: a route, a tool, a method of the protocol, or just method and path. */
  operation: string;
  isTool: boolean;
  /** Path parameters, query and body, or a tool's arguments. */
  input: Readonly<Record<string, unknown>>;
  /** Of the service, so that of a tool error is REST's. */
  status: number | null;
  /** What was answered, out of the wrapping of a tool's result. */
  payload: Readonly<Record<string, unknown>>;
  code: string | null;
  /** The seconds to wait that were named. */
  retryAfter: number | null;
  /** What makes it the same request as another, where that was asked. */
  fingerprint: string | null;
}

const nothing = {};
let unreadBodies = 0;
const routeOfTool = new Map(
  Object.values(contract.tools).map(({ name, route }): [string, RouteName | null] => [name, route ?? null]),
);

/** Reads an exchange. Never throws, whatever was sent and answered. */
export function readCall(exchange: Exchange): Call {
  const { url } = exchange;
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  return path === "/mcp/" || path === "/mcp" ? readToolCall(exchange, path) : readRestCall(exchange, path, mark);
}

/** A value as an object; what is none is one without fields. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : nothing;
}

/** A value of JSON as a word: whatever a client sends has one. */
export function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** What makes two requests the same one. */
export function fingerprint(call: Call): string {
  call.fingerprint ??= readFingerprint(call);
  return call.fingerprint;
}

function readFingerprint({ caller, exchange: { method, url, body, hasBody } }: Call): string {
  // a body that was not kept is not known to be the same as any other
  const sent = body !== undefined ? JSON.stringify(withoutId(body)) : hasBody ? `(body ${++unreadBodies})` : "";
  return `${caller} ${method} ${url} ${sent}`;
}

function readRestCall(exchange: Exchange, path: string, mark: number): Call {
  const { method, headers, body, status, answer, answerHeaders } = exchange;
  const found = exchange.route === undefined ? resolve(method, path) : exchange.route;
  const payload = fieldsOf(answer);
  return {
    exchange,
    surface: "rest",
    caller: textOf(headers.authorization) ?? textOf(headers.cookie) ?? "",
    path,
    route: found,
    operation: found ?? `${method} ${path}`,
    isTool: false,
    input:
      mark < 0 ? fieldsOf(body) : { ...fieldsOf(body), ...Object.fromEntries(new URLSearchParams(exchange.url.slice(mark + 1))) },
    status,
    payload,
    code: status !== null && status < 400 ? null : codeOf(payload),
    retryAfter: secondsOf(answerHeaders["retry-after"]),
    fingerprint: null,
  };
}

function readToolCall(exchange: Exchange, path: string): Call {
  const { headers, method, status, answerHeaders } = exchange;
  const message = fieldsOf(exchange.body);
  const params = fieldsOf(message.params);
  const isTool = message.method === "tools/call" && typeof params.name === "string";
  const result = fieldsOf(fieldsOf(exchange.answer).result);
  const payload = isTool ? saidIn(result) : fieldsOf(exchange.answer);
  const code = result.isError === true || !isTool ? codeOf(payload) : null;
  const error = fieldsOf(payload.error);
  return {
    exchange,
    surface: "mcp",
    caller: textOf(headers.authorization) ?? "",
    path,
    route: isTool ? (routeOfTool.get(params.name as string) ?? null) : null,
    operation: isTool ? (params.name as string) : (textOf(message.method) ?? `${method} ${path}`),
    isTool,
    input: isTool ? fieldsOf(params.arguments) : nothing,
    status: status === 200 && result.isError === true ? statusOf(code) : status,
    payload,
    code,
    retryAfter: secondsOf(answerHeaders["retry-after"]) ?? (code === null ? null : secondsOf(error.retry_after)),
    fingerprint: null,
  };
}

/** What a tool answered; which of the two forms it takes is not shown, so where it is only text, that is read. */
function saidIn({ structuredContent, content }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (structuredContent !== undefined) return fieldsOf(structuredContent);
  const [first] = Array.isArray(content) ? content : [];
  const { text } = fieldsOf(first);
  if (typeof text !== "string" || !text.startsWith("{")) return nothing;
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return nothing;
  }
}

function resolve(method: string, path: string): RouteName | null {
  const resolution = resolveRoute(method === "HEAD" ? "GET" : method, path);
  return resolution.found === "route" ? resolution.route.name : null;
}

function codeOf(payload: Readonly<Record<string, unknown>>): string | null {
  return textOf(fieldsOf(payload.error).code);
}

/** The status that REST gives the refusal in a tool error; one whose code nobody knows is some refusal. */
function statusOf(code: string | null): number {
  return code !== null && Object.hasOwn(contract.errors, code)
    ? contract.errors[code as keyof typeof contract.errors].status
    : 400;
}

function secondsOf(value: unknown): number | null {
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A message of JSON-RPC repeated has a number of its own. */
function withoutId(body: unknown): unknown {
  const { jsonrpc, id, ...rest } = fieldsOf(body);
  return jsonrpc === undefined ? body : rest;
}
