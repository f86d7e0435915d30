import { randomUUID } from "node:crypto";
import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { contract } from "../../contract/load.js";
import type { ClauseId } from "../../contract/types.js";
import type { KeyCaller, Reply } from "../../service/call.js";
import type { Call, CallResponse, Operation } from "../call/pipeline.js";
import type { MockContext } from "../context.js";
import type { Answer } from "../http/answer.js";
import type { ReceivedBody } from "../http/body.js";
import type { IncomingMessage } from "../http/messages.js";
import { applies, varyAnswer } from "../variations/variations.js";
import { endSession, openSession, type ToolSession, useSession } from "../worlds/tool-sessions.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { openStream, sendEvent } from "./event-stream.js";
import { codes, type RequestContext } from "./json-rpc.js";
import { errorMessage, type ToolServer } from "./json-rpc-bridge.js";
import { performToolCall, resultOf } from "./tools.js";
import { toolSubject } from "./variations.js";

const [json, events] = ["application/json", "text/event-stream"];

/** An answer of the protocol, and the clause of a refusal. */
type TransportAnswer = Answer & { clause?: ClauseId };

/** The rule of a protocol answer: the call passed only the first gate of the service. */
const protocolRule: Reply["rule"] = { gate: "rate", code: null, clause: null };

/** Returns the operation of an HTTP request to the tool server. Without a valid key, the answer is 401 before all other checks. */
export function readOperation(call: Call, server: ToolServer): Operation | Promise<Operation> {
  const { context, worldEntry, request, ip, varied } = call;
  const { world } = worldEntry;
  const caller = context.service.authenticateToolCaller(world, request.headers.authorization, ip);
  if ("refused" in caller) {
    const { refused } = caller;
    const { rule, changes } = refused;
    const shown = varied ? varyAnswer(varied, toolSubject(world, request.headers.authorization), refused) : refused;
    return answered({ ...shown, rule, changes });
  }
  switch (request.method) {
    case "POST":
      return readPost(call, server, caller);
    case "GET":
      return context.tools.sessions && context.tools.sse ? listen(call, server, caller) : refused(refuseMethod(call));
    case "DELETE":
      return context.tools.sessions ? leave(call, server, caller) : refused(refuseMethod(call));
    default:
      return refused(refuseMethod(call));
  }
}

/** Returns the id of the session that a request may open; undefined for any other request. */
export function sessionToOpen(
  { tools }: MockContext,
  { log: { playing } }: WorldEntry,
  { body }: ReceivedBody,
): string | undefined {
  if (!tools.sessions || body.kind !== "json" || (body.value as { method?: unknown } | null)?.method !== "initialize")
    return undefined;
  return (playing && "call" in playing ? playing.call.session : undefined) ?? randomUUID();
}

/** Returns a refusal of the protocol: an HTTP status and a JSON-RPC error without an id. */
export function refuseMessage(
  status: number,
  code: number,
  message: string,
  { headers = {}, clause = "MCP-ENDPOINT-PATH" }: { headers?: Record<string, string>; clause?: ClauseId } = {},
): TransportAnswer {
  return { status, headers, clause, body: { jsonrpc: "2.0", error: { code, message }, id: null } };
}

function readPost(call: Call, server: ToolServer, caller: KeyCaller): Operation | Promise<Operation> {
  const { request, received } = call;
  const problem = refuseAccept(request, [json, events]) ?? refuseBody(received);
  if (problem) return refused(problem);
  const message = server.readMessage(received.body.kind === "json" ? received.body.value : undefined);
  if (message.kind === "invalid")
    return refused(refuseMessage(400, codes.invalidRequest, "Invalid Request: this is no JSON-RPC message."));
  if (message.kind === "request" && message.request.method === "initialize")
    return initialize(call, server, caller, message.request);
  const sessionRefusal = refuseVersion(call, server) ?? refuseSession(call, caller);
  if (sessionRefusal) return refused(sessionRefusal);
  // the mock sends no requests, so notifications and responses of a client change nothing
  if (message.kind === "one-way") return refused({ status: 202, headers: {}, body: undefined });
  return message.request.method === "tools/call"
    ? toolOperation(call, server, caller, message.request)
    : answerMessage(call, server, caller, message.request);
}

/** Returns the operation of a tool call. A call of an unknown tool also counts in the rate bucket. */
function toolOperation(call: Call, server: ToolServer, caller: KeyCaller, request: JSONRPCRequest): Operation {
  const { names } = call.context.tools;
  const methods = methodContext(call, caller);
  try {
    const tool = server.readToolCall(request);
    const { route = null } = contract.tools[tool.purpose];
    return {
      name: tool.name,
      isOverridable: true,
      isCounted: true,
      bucketRoute: route,
      perform: () => performToolCall(methods, names, tool),
      respond(reply, fault) {
        const { "preference-applied": applied, warning } = reply.headers;
        const headers = { ...(applied && { "preference-applied": applied }), ...(warning && { warning }) };
        const body = { result: resultOf(methods, reply, fault), jsonrpc: "2.0", id: request.id };
        return messageResponse(call, headers, body);
      },
    };
  } catch (thrown) {
    call.context.service.drawToolRequest(call.worldEntry.world, caller);
    return messageOperation(call, request.method, {}, errorMessage(request.id, thrown));
  }
}

/** Answers a request that calls no tool. The rate bucket counts it, unless the world counts only calls. MCP-RATE-CALLS. */
function answerMessage(
  call: Call,
  server: ToolServer,
  caller: KeyCaller,
  request: JSONRPCRequest,
  headersOf: (message: unknown) => Record<string, string> = () => ({}),
): Operation | Promise<Operation> {
  const { service } = call.context;
  const { world } = call.worldEntry;
  const problem = service.drawToolRequest(world, caller);
  const isCounted = world.options.mcp_rate === "requests";
  if (problem) return answered(problem, { name: request.method, isCounted });
  const operation = (message: unknown) => messageOperation(call, request.method, headersOf(message), message, isCounted);
  const message = server.answer(request, methodContext(call, caller));
  return message instanceof Promise ? message.then(operation) : operation(message);
}

/** Answers the handshake. If sessions are on, a client that completes it gets a session. */
function initialize(call: Call, server: ToolServer, caller: KeyCaller, request: JSONRPCRequest): Operation | Promise<Operation> {
  const { context, worldEntry, session } = call;
  return answerMessage(call, server, caller, request, (message) => {
    const opens = context.tools.sessions && typeof message === "object" && message !== null && "result" in message;
    return opens ? { "mcp-session-id": openSession(worldEntry.world, caller.key.id, session).id } : {};
  });
}

/** Opens the standing stream of a session. Refuses a second stream. */
function listen(call: Call, server: ToolServer, caller: KeyCaller): Operation {
  const { worldEntry, request, response } = call;
  const problem = refuseAccept(request, [events]) ?? refuseVersion(call, server);
  if (problem) return refused(problem);
  const session = sessionOf(call, caller);
  if ("status" in session) return refused(session);
  if (session.stream) return refused(refuseMessage(409, codes.transport, "Conflict: this session already has a stream."));
  openStream(request, response, session, worldEntry.world.now);
  return answered({ status: 200, headers: {}, body: undefined, rule: protocolRule, changes: [] }, { send: () => undefined });
}

/** Ends a session at the request of its client. */
function leave(call: Call, server: ToolServer, caller: KeyCaller): Operation {
  const problem = refuseVersion(call, server);
  if (problem) return refused(problem);
  const session = sessionOf(call, caller);
  if ("status" in session) return refused(session);
  endSession(call.worldEntry.world, session);
  return refused({ status: 200, headers: {}, body: undefined });
}

function methodContext({ context, worldEntry, request, varied }: Call, caller: KeyCaller): RequestContext {
  return { service: context.service, worldEntry, caller, request, varied };
}

/** Returns the operation of a request whose answer is known. */
function answered(
  reply: Reply,
  { name = null, isCounted = false, send }: { name?: string | null; isCounted?: boolean; send?: CallResponse["send"] } = {},
): Operation {
  const response = send ? { ...reply, send } : reply;
  return { name, isOverridable: false, isCounted, bucketRoute: null, perform: () => reply, respond: () => response };
}

/** Returns the operation of a request that the transport answers. */
function refused({ clause, ...answer }: TransportAnswer): Operation {
  const rule = clause === undefined ? protocolRule : { ...protocolRule, clause };
  return answered({ ...answer, rule, changes: [] });
}

/** Returns the operation of a request with a JSON-RPC message as answer. */
function messageOperation(
  call: Call,
  name: string,
  headers: Record<string, string>,
  message: unknown,
  isCounted = call.worldEntry.world.options.mcp_rate === "requests",
): Operation {
  const { send, ...answer } = messageResponse(call, headers, message);
  return answered({ ...answer, rule: protocolRule, changes: [] }, { name, isCounted, send });
}

/** Returns the HTTP response with a JSON-RPC message: JSON, or a stream with one event. */
function messageResponse(
  { context, request, response, varied }: Call,
  headers: Record<string, string>,
  body: unknown,
): CallResponse {
  const answer = { status: 200, headers, body };
  const asEvent = context.tools.sse || (varied !== null && applies(varied, "tool-events"));
  return asEvent ? { ...answer, send: (now) => sendEvent(request, response, body, headers, now) } : answer;
}

/** Refuses a message whose sender does not accept both forms of an answer. MCP-HEADER-ACCEPT. */
function refuseAccept({ headers }: IncomingMessage, needed: readonly string[]): TransportAnswer | null {
  const accepted = (headers.accept ?? "").split(",").map((range) => range.replace(/;.*/s, "").trim().toLowerCase());
  if (needed.every((type) => accepted.includes(type))) return null;
  return refuseMessage(406, codes.transport, `Not Acceptable: the client must accept ${needed.join(" and ")}.`, {
    clause: "MCP-HEADER-ACCEPT",
  });
}

/** Refuses an unknown protocol revision. Without the header, an older revision applies, which the server knows. */
function refuseVersion({ request }: Call, { versions }: ToolServer): TransportAnswer | null {
  const version = request.headers["mcp-protocol-version"];
  if (version === undefined || versions.includes(String(version))) return null;
  return refuseMessage(400, codes.transport, `Unsupported protocol version; this server supports ${versions.join(", ")}.`);
}

/** Refuses a body that is not one JSON value. Batches, which only one old revision has, are refused in every revision (assumed). */
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
        ? refuseMessage(400, codes.invalidRequest, "Invalid Request: batches are not supported.")
        : null;
    default:
      return body satisfies never;
  }
}

function refuseSession(call: Call, caller: KeyCaller): TransportAnswer | null {
  if (!call.context.tools.sessions) return null;
  const session = sessionOf(call, caller);
  return "status" in session ? session : null;
}

function sessionOf({ worldEntry, request }: Call, { key }: KeyCaller): ToolSession | TransportAnswer {
  const id = request.headers["mcp-session-id"];
  if (typeof id !== "string") return refuseMessage(400, codes.transport, "Bad Request: the header Mcp-Session-Id is missing.");
  return (
    useSession(worldEntry.world, id, key.id) ??
    refuseMessage(404, codes.noSession, "Session not found: begin again with initialize.")
  );
}

function refuseMethod({ context: { tools }, request }: Call): TransportAnswer {
  const allow = ["POST", ...(tools.sessions ? ["DELETE"] : []), ...(tools.sessions && tools.sse ? ["GET"] : [])];
  return refuseMessage(405, codes.transport, `Method Not Allowed: ${request.method} is not allowed here.`, {
    headers: { allow: allow.join(", ") },
  });
}
