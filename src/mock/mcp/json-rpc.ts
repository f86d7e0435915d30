import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { KeyCaller } from "../../service/call.js";
import type { Service } from "../call/service.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { applies, type VariedCall } from "../variations/variations.js";
import type { WorldEntry } from "../worlds/worlds.js";

/** Codes of JSON-RPC, and of MCP's HTTP transport. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  transport: -32000,
  noSession: -32001,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** Answers one JSON-RPC method; throws the protocol's error. */
export type Method = (params: Params, context: RequestContext) => Result;
/** The parameters of a request. */
export type Params = Readonly<Record<string, unknown>>;
/** The result of a method. */
export type Result = Record<string, unknown>;

/** The parts of an HTTP request to the tool server that its eras and methods use. */
export interface RequestContext {
  service: Service;
  worldEntry: WorldEntry;
  caller: KeyCaller;
  request: IncomingMessage;
  response: ServerResponse;
  tools: { sessions: boolean; sse: boolean };
  /** The id of the session that this request may open. */
  session: string | undefined;
  /** The variations of this request; null in a world without variations. */
  varied: VariedCall | null;
}

/**
 * Returns an exception that becomes a JSON-RPC error with this code and message. The SDK's error class adds words to the
 * message.
 */
export function protocolError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Answers a request by its method. */
export function answerBy(method: Method, { id, params = {} }: JSONRPCRequest, context: RequestContext): JSONRPCMessage {
  try {
    return { result: method(params, context), jsonrpc: "2.0", id };
  } catch (thrown) {
    return errorMessage(id, thrown);
  }
}

/** Returns the JSON-RPC error for an exception, as the SDK writes it. */
export function errorMessage(id: RequestId, thrown: unknown): JSONRPCMessage {
  const { code, message } = thrown as Error & { code?: unknown };
  return { jsonrpc: "2.0", id, error: { code: typeof code === "number" ? code : codes.internalError, message } };
}

/** Number of entries on a page of a varied list. */
const pageLength = 7;

/** Returns the method that lists these entries: on one page, or on several pages if the list is varied. */
export function listMethod(name: string, entries: readonly object[]): Method {
  return ({ cursor }, { varied }) => {
    const start = cursor === undefined ? 0 : varied ? startOf(cursor, entries) : Number.NaN;
    if (Number.isNaN(start)) throw protocolError(codes.invalidParams, "This cursor is unknown.");
    const isPaged = varied !== null && (start > 0 || (entries.length > pageLength && applies(varied, "tool-lists")));
    if (!isPaged) return { [name]: entries };
    const end = start + pageLength;
    return { [name]: entries.slice(start, end), ...(end < entries.length && { nextCursor: `behind ${end}` }) };
  };
}

/** Returns the position in a cursor; NaN for an unknown cursor. */
function startOf(cursor: unknown, entries: readonly object[]): number {
  const place = Number(/^behind (\d{1,4})$/.exec(String(cursor))?.[1]);
  return place % pageLength === 0 && place > 0 && place < entries.length ? place : Number.NaN;
}

/** Returns the name of a call. Throws the protocol's error if it is no string. */
export function readName({ name }: Params): string {
  if (typeof name !== "string") throw protocolError(codes.invalidParams, "params.name must be a string.");
  return name;
}

/** Returns the arguments of a call, {} without any. Throws the protocol's error if they are no object. */
export function readArguments({ arguments: given = {} }: Params): Readonly<Record<string, unknown>> {
  if (isObject(given)) return given;
  throw protocolError(codes.invalidParams, "params.arguments must be an object.");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
