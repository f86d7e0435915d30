import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { ClauseId } from "../../contract/types.js";
import type { KeyCaller } from "../../service/call.js";
import type { Service } from "../call/service.js";
import type { ReceivedBody } from "../http/body.js";
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

/** The parts of an HTTP request to the tool server that its families and methods use. */
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
export function createProtocolError(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Answers a request by its method. */
export function respondWithMethod(method: Method, { id, params = {} }: JSONRPCRequest, context: RequestContext): JSONRPCMessage {
  try {
    return { result: method(params, context), jsonrpc: "2.0", id };
  } catch (thrown) {
    return createErrorMessage(id, thrown);
  }
}

/** Returns the JSON-RPC error for an exception, as the SDK writes it. */
export function createErrorMessage(id: RequestId, thrown: unknown): JSONRPCMessage {
  const { code, message } = thrown as Error & { code?: unknown };
  return { jsonrpc: "2.0", id, error: { code: typeof code === "number" ? code : codes.internalError, message } };
}

/** Number of entries on a page of a varied list. */
const pageLength = 7;

/** Returns the method that lists these entries: on one page, or on several pages if the list is varied. */
export function createListMethod(name: string, entries: readonly object[]): Method {
  return ({ cursor }, { varied }) => {
    const start = cursor === undefined ? 0 : varied ? readCursor(cursor, entries) : Number.NaN;
    if (Number.isNaN(start)) throw createProtocolError(codes.invalidParams, "This cursor is unknown.");
    const isPaged = varied !== null && (start > 0 || (entries.length > pageLength && applies(varied, "tool-lists")));
    if (!isPaged) return { [name]: entries };
    const end = start + pageLength;
    return { [name]: entries.slice(start, end), ...(end < entries.length && { nextCursor: `behind ${end}` }) };
  };
}

/** Returns the position in a cursor; NaN for an unknown cursor. */
function readCursor(cursor: unknown, entries: readonly object[]): number {
  const place = Number(/^behind (\d{1,4})$/.exec(String(cursor))?.[1]);
  return place % pageLength === 0 && place > 0 && place < entries.length ? place : Number.NaN;
}

/** Returns the name of a call. Throws the protocol's error if it is not a string. */
export function readName({ name }: Params): string {
  if (typeof name !== "string") throw createProtocolError(codes.invalidParams, "params.name must be a string.");
  return name;
}

/** Returns the arguments of a call, {} without any. Throws the protocol's error if they are not an object. */
export function readArguments({ arguments: given = {} }: Params): Readonly<Record<string, unknown>> {
  if (isObject(given)) return given;
  throw createProtocolError(codes.invalidParams, "params.arguments must be an object.");
}

/** Returns whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A refusal by the HTTP transport. `status`: HTTP status. `code`: JSON-RPC code. */
export interface Refusal {
  status: number;
  code: number;
  message: string;
  data?: object;
  headers?: Record<string, string>;
  /** The clause of the contract; default MCP-ENDPOINT-PATH. */
  clause?: ClauseId;
}

/** The media type of an event stream. */
export const streamType = "text/event-stream";

/** The Accept header that was read last. Nearly all requests send the same one. */
let lastAccept: { accept: string; types: string[] } = { accept: "", types: [""] };

function readType(range: string): string {
  return range.replace(/;.*/s, "").trim().toLowerCase();
}

/** Refuses a message whose sender does not accept these forms of a response. MCP-HEADER-ACCEPT. */
export function refuseAccept({ headers }: IncomingMessage, needed: readonly string[]): Refusal | null {
  const { accept = "" } = headers;
  if (accept !== lastAccept.accept) lastAccept = { accept, types: accept.split(",").map(readType) };
  if (needed.every((type) => lastAccept.types.includes(type))) return null;
  const message = `Not Acceptable: the client must accept ${needed.join(" and ")}.`;
  return { status: 406, code: codes.transport, message, clause: "MCP-HEADER-ACCEPT" };
}

/** Refuses a body that is not one JSON value. Batches, which only one old revision has, are refused in every revision (assumed). */
export function refuseBody({ body }: ReceivedBody): Refusal | null {
  switch (body.kind) {
    case "none":
      return createParseError("the body is empty.");
    case "malformed":
      return createParseError(body.problem);
    case "wrong-type":
      return {
        status: 415,
        code: codes.transport,
        message: "Unsupported Media Type: send the message as application/json.",
        clause: "MCP-HEADER-ACCEPT",
        ...(body.isEncoded && { headers: { "accept-encoding": "identity" } }),
      };
    case "too-large":
      return {
        status: 413,
        code: codes.transport,
        message: `Payload Too Large: the body is larger than ${body.limit} bytes.`,
      };
    case "json":
      return Array.isArray(body.value) ? createInvalidRequest("batches are not supported.") : null;
    default:
      return body satisfies never;
  }
}

/** Returns the refusal of a message that is not a valid request. */
export function createInvalidRequest(problem: string): Refusal {
  return { status: 400, code: codes.invalidRequest, message: `Invalid Request: ${problem}` };
}

function createParseError(problem: string): Refusal {
  return { status: 400, code: codes.parseError, message: `Parse error: ${problem}`, clause: "GEN-JSON-REQUEST" };
}
