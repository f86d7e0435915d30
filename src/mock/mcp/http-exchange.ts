import { randomUUID } from "node:crypto";
import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import type { ClauseId } from "../../contract/types.js";
import type { KeyCaller } from "../../service/call.js";
import type { Service } from "../call/service.js";
import type { Answer } from "../http/answer.js";
import type { ReceivedBody } from "../http/body.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { applies, type VariedCall, varyAnswer } from "../variations/variations.js";
import { endSession, openSession, type ToolSession, useSession } from "../worlds/tool-sessions.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { openStream } from "./event-stream.js";
import { codes, type JournalNotes } from "./json-rpc.js";
import type { ToolServer } from "./json-rpc-bridge.js";
import type { ToolServerSettings } from "./options.js";
import { toolSubject } from "./variations.js";

/** One HTTP request to the endpoint, read to its end. */
export interface HttpExchange {
  service: Service;
  tools: ToolServerSettings;
  server: ToolServer;
  worldEntry: WorldEntry;
  request: IncomingMessage;
  response: ServerResponse;
  received: ReceivedBody;
  /** The caller's address. */
  ip: string | null;
  notes: JournalNotes;
  /** What befalls the request in a world with variations. */
  varied: VariedCall | null;
}

/** An answer, whether it goes as a stream of events, and the clause by which the protocol refuses. */
export type TransportAnswer = Answer & { asEvent?: boolean; clause?: ClauseId };

const [json, events] = ["application/json", "text/event-stream"];

/**
 * Answers as the protocol's HTTP transport says, or gives null where a stream stays open instead. A caller without a live key learns
 * nothing but that: 401 stands before every other answer.
 */
export async function answerExchange(exchange: HttpExchange): Promise<TransportAnswer | null> {
  const { service, tools, worldEntry, request, notes, ip } = exchange;
  const caller = service.enterTools(worldEntry.world, request.headers.authorization, ip);
  if ("refused" in caller) {
    notes.arrive();
    notes.rule = caller.refused.rule;
    return exchange.varied
      ? varyAnswer(exchange.varied, toolSubject(worldEntry.world, request.headers.authorization), caller.refused)
      : caller.refused;
  }
  // a call of a tool takes effect when the tool is called
  if (request.method !== "POST") notes.arrive();
  switch (request.method) {
    case "POST":
      return takeMessage(exchange, caller);
    case "GET":
      return tools.sessions && tools.sse ? listen(exchange, caller) : refuseMethod(exchange);
    case "DELETE":
      return tools.sessions ? leave(exchange, caller) : refuseMethod(exchange);
    default:
      return refuseMethod(exchange);
  }
}

/** A refusal by the protocol, as HTTP status and JSON-RPC error without an id. */
export function refuseMessage(
  status: number,
  code: number,
  message: string,
  { headers = {}, clause = "MCP-ENDPOINT-PATH" }: { headers?: Record<string, string>; clause?: ClauseId } = {},
): TransportAnswer {
  return { status, headers, clause, body: { jsonrpc: "2.0", error: { code, message }, id: null } };
}

async function takeMessage(exchange: HttpExchange, caller: KeyCaller): Promise<TransportAnswer> {
  const { server, request, received } = exchange;
  const refused = refuseAccept(request, [json, events]) ?? refuseBody(received);
  if (refused) return refused;
  const message = server.readMessage(received.body.kind === "json" ? received.body.value : undefined);
  if (message.kind === "invalid")
    return refuseMessage(400, codes.invalidRequest, "Invalid Request: this is no JSON-RPC message.");
  if (message.kind === "request" && message.request.method === "initialize") return initialize(exchange, caller, message.request);
  const stranger = refuseVersion(exchange) ?? refuseSession(exchange, caller);
  if (stranger) return stranger;
  // what a client notifies of changes nothing here, and its responses answer nothing, as it was sent no request
  return message.kind === "one-way"
    ? { status: 202, headers: {}, body: undefined }
    : answerRequest(exchange, caller, message.request);
}

/** The handshake. With sessions on, whoever completes it gets one. */
async function initialize(exchange: HttpExchange, caller: KeyCaller, request: JSONRPCRequest): Promise<TransportAnswer> {
  if (exchange.tools.sessions) exchange.notes.session = playedSession(exchange.worldEntry) ?? randomUUID();
  const answer = await answerRequest(exchange, caller, request);
  if (!exchange.tools.sessions || !isResult(answer.body)) return answer;
  const { id } = openSession(exchange.worldEntry.world, caller.key.id, exchange.notes.session);
  return { ...answer, headers: { ...answer.headers, "mcp-session-id": id } };
}

/** The id that this request was given when it happened first. */
function playedSession({ log: { playing } }: WorldEntry): string | undefined {
  return playing && "call" in playing ? playing.call.session : undefined;
}

/** A call draws on the rate where it is answered, which refuses it in a tool error; every other request draws here. MCP-RATE-CALLS. */
async function answerRequest(exchange: HttpExchange, caller: KeyCaller, request: JSONRPCRequest): Promise<TransportAnswer> {
  const { service, tools, server, worldEntry, response, notes, varied } = exchange;
  notes.route = request.method;
  if (request.method !== "tools/call") notes.arrive();
  const refused = request.method === "tools/call" ? null : service.admitToolRequest(worldEntry.world, caller);
  if (refused) {
    notes.rule = refused.rule;
    return refused;
  }
  const body = await server.answer(request, { service, worldEntry, caller, response, notes, varied });
  const asEvent = tools.sse || (varied !== null && applies(varied, "tool-events"));
  return { status: 200, headers: notes.headers ?? {}, body, ...(asEvent && { asEvent }) };
}

function isResult(message: unknown): boolean {
  return typeof message === "object" && message !== null && "result" in message;
}

/** Opens the standing stream of a session; a second one beside it is refused. */
function listen(exchange: HttpExchange, caller: KeyCaller): TransportAnswer | null {
  const { worldEntry, request, response } = exchange;
  const refused = refuseAccept(request, [events]) ?? refuseVersion(exchange);
  if (refused) return refused;
  const session = sessionOf(exchange, caller);
  if ("status" in session) return session;
  if (session.stream) return refuseMessage(409, codes.transport, "Conflict: this session has its stream already.");
  openStream(request, response, session, worldEntry.world.now);
  return null;
}

/** Ends a session for its client. */
function leave(exchange: HttpExchange, caller: KeyCaller): TransportAnswer {
  const refused = refuseVersion(exchange);
  if (refused) return refused;
  const session = sessionOf(exchange, caller);
  if ("status" in session) return session;
  endSession(exchange.worldEntry.world, session);
  return { status: 200, headers: {}, body: undefined };
}

/** Refuses a message whose sender does not take both forms an answer can have. MCP-HEADER-ACCEPT. */
function refuseAccept({ headers }: IncomingMessage, needed: readonly string[]): TransportAnswer | null {
  const accepted = (headers.accept ?? "").split(",").map((range) => range.replace(/;.*/s, "").trim().toLowerCase());
  if (needed.every((type) => accepted.includes(type))) return null;
  return refuseMessage(406, codes.transport, `Not Acceptable: the client must accept ${needed.join(" and ")}.`, {
    clause: "MCP-HEADER-ACCEPT",
  });
}

/** Refuses a protocol revision that the server does not speak; without the header it is an older one, which it does. */
function refuseVersion({ request, server: { versions } }: HttpExchange): TransportAnswer | null {
  const version = request.headers["mcp-protocol-version"];
  if (version === undefined || versions.includes(String(version))) return null;
  return refuseMessage(400, codes.transport, `Unsupported protocol version; this server speaks ${versions.join(", ")}.`);
}

/** Refuses a body that is not one JSON value. Batches, which only one old revision had, are not taken from anybody (assumed). */
function refuseBody({ body }: ReceivedBody): TransportAnswer | null {
  switch (body.kind) {
    case "none":
      return refuseMessage(400, codes.parseError, "Parse error: the body is empty.", { clause: "GEN-JSON-REQUEST" });
    case "malformed":
      return refuseMessage(400, codes.parseError, `Parse error: ${body.problem}`, { clause: "GEN-JSON-REQUEST" });
    case "wrong-type":
      return refuseMessage(415, codes.transport, "Unsupported Media Type: send the message as application/json.", {
        clause: "MCP-HEADER-ACCEPT",
        ...(body.isEncoded && { headers: { "accept-encoding": "identity" } }),
      });
    case "too-large":
      return refuseMessage(413, codes.transport, `Payload Too Large: the body is larger than ${body.limit} bytes.`);
    case "json":
      return Array.isArray(body.value)
        ? refuseMessage(400, codes.invalidRequest, "Invalid Request: batches are not taken.")
        : null;
    default:
      return body satisfies never;
  }
}

function refuseSession(exchange: HttpExchange, caller: KeyCaller): TransportAnswer | null {
  if (!exchange.tools.sessions) return null;
  const session = sessionOf(exchange, caller);
  return "status" in session ? session : null;
}

function sessionOf({ worldEntry, request }: HttpExchange, { key }: KeyCaller): ToolSession | TransportAnswer {
  const id = request.headers["mcp-session-id"];
  if (typeof id !== "string") return refuseMessage(400, codes.transport, "Bad Request: the header Mcp-Session-Id is missing.");
  return (
    useSession(worldEntry.world, id, key.id) ??
    refuseMessage(404, codes.noSession, "Session not found: begin again with initialize.")
  );
}

function refuseMethod({ tools, request }: HttpExchange): TransportAnswer {
  const allow = ["POST", ...(tools.sessions ? ["DELETE"] : []), ...(tools.sessions && tools.sse ? ["GET"] : [])];
  return refuseMessage(405, codes.transport, `Method Not Allowed: ${request.method} is not taken here.`, {
    headers: { allow: allow.join(", ") },
  });
}
