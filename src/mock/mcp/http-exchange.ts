import { randomUUID } from "node:crypto";
import type { JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { readFields } from "../../client-report/exchange.js";
import { contract } from "../../contract/load.js";
import type { ServiceResponse } from "../../service/call.js";
import type { Call, CallResponse, Operation } from "../call/pipeline.js";
import type { MockContext } from "../context.js";
import type { ReceivedBody } from "../http/body.js";
import type { ResponseParts } from "../http/response.js";
import { applies, varyResponse } from "../variations/variations.js";
import { findRevisionFamily } from "../worlds/tool-revisions.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { sendEvent } from "./event-stream.js";
import {
  codes,
  createErrorMessage,
  createInvalidRequest,
  type Refusal,
  type RequestContext,
  refuseAccept,
  refuseBody,
  streamType,
} from "./json-rpc.js";
import type { RevisionFamily } from "./revision-family.js";
import type { ToolServer } from "./tool-server.js";
import { buildResult, performToolCall } from "./tools.js";
import { createToolSubject } from "./variations.js";

/** A request that passed the checks of its family. */
interface Exchange {
  call: Call;
  context: RequestContext;
  server: ToolServer;
  family: RevisionFamily;
  request: JSONRPCRequest;
}

/** The rule of a protocol answer: the call passed only the first check of the service. */
const protocolRule: ServiceResponse["rule"] = { gate: "rate", code: null, clause: null };

/** Returns the operation of an HTTP request to the tool server. Without a valid key, the response is 401 before all other checks. */
export function readOperation(call: Call, server: ToolServer): Operation | Promise<Operation> {
  const { context, worldEntry, request, ip, varied } = call;
  const { world } = worldEntry;
  const caller = context.service.authenticateToolCaller(world, request.headers.authorization, ip);
  if ("refused" in caller) {
    const { refused: refusedOperation } = caller;
    const { rule, changes } = refusedOperation;
    const serviceResponse = varied
      ? varyResponse(varied, createToolSubject(world, request.headers.authorization), refusedOperation)
      : refusedOperation;
    return createOperationWithResponse({ ...serviceResponse, rule, changes });
  }
  const family = findFamily(call, server);
  const { response, session } = call;
  const { service, tools } = context;
  const parts: RequestContext = { service, worldEntry, caller, request, response, tools, session, varied };
  return request.method === "POST" ? readPost(call, server, parts, family) : readMethod(call, parts, family);
}

/** Returns the id of the session that a request may open; undefined for any other request. */
export function findSessionToOpen(
  { tools }: MockContext,
  { log: { replayedEntry: playing } }: WorldEntry,
  { body }: ReceivedBody,
): string | undefined {
  if (!tools.sessions || body.kind !== "json" || (body.value as { method?: unknown } | null)?.method !== "initialize")
    return undefined;
  return (playing && "call" in playing ? playing.call.session : undefined) ?? randomUUID();
}

/**
 * Returns the family of a request. A body whose metadata names a revision is modern. Otherwise the header decides, and an unknown revision in it
 * is refused in the modern way. A request that names no revision is legacy.
 */
function findFamily({ request: { method, headers }, received: { body } }: Call, { families }: ToolServer): RevisionFamily {
  const message = (body.kind === "json" ? body.value : null) as {
    params?: { _meta?: Record<string, unknown> | null } | null;
  } | null;
  if (message?.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined) return families.modern;
  const version = headers["mcp-protocol-version"];
  if (version === undefined) return families.legacy;
  return families[findRevisionFamily(String(version)) ?? (method === "POST" ? "modern" : "legacy")];
}

function readPost(
  call: Call,
  server: ToolServer,
  context: RequestContext,
  family: RevisionFamily,
): Operation | Promise<Operation> {
  const { request, received } = call;
  const problem = refuseAccept(request, ["application/json", streamType]) ?? refuseBody(received);
  if (problem) return createRefusal(call, family, problem);
  const message = server.readMessage(received.body.kind === "json" ? received.body.value : undefined);
  if (message.kind === "invalid") return createRefusal(call, family, createInvalidRequest("this is not a JSON-RPC message."));
  const refusal = family.refuse(context, message);
  if (refusal) return createRefusal(call, family, refusal);
  // the mock sends no requests, so notifications and responses of a client change nothing
  if (message.kind !== "request") return createBareOperation({ status: 202, headers: {}, body: undefined });
  const exchange = { call, context, server, family, request: message.request };
  return message.request.method === "tools/call" ? createToolOperation(exchange) : respondToMessage(exchange);
}

/** Returns the operation of a tool call. A call of an unknown tool also counts in the rate bucket. */
function createToolOperation(exchange: Exchange): Operation {
  const { call, context, server, family, request } = exchange;
  const { names } = call.context.tools;
  try {
    const tool = server.readToolCall(request.params ?? {});
    const { route = null } = contract.tools[tool.purpose];
    return {
      name: tool.name,
      isOverridable: true,
      isCounted: true,
      bucketRoute: route,
      note: family.noteOn(call.request),
      perform: () => performToolCall(context, names, tool),
      respond(response, fault) {
        const { "preference-applied": applied, warning } = response.headers;
        const headers = { ...(applied && { "preference-applied": applied }), ...(warning && { warning }) };
        const body = { result: family.complete(buildResult(context, response, fault)), jsonrpc: "2.0", id: request.id };
        return createMessageResponse(call, 200, headers, body);
      },
    };
  } catch (thrown) {
    context.service.drawToolRequest(context.worldEntry.world, context.caller);
    return createMessageOperation(exchange, createErrorMessage(request.id, thrown));
  }
}

/** Answers a request that calls no tool. The rate bucket counts it, unless the world counts only calls. MCP-RATE-CALLS. */
function respondToMessage(exchange: Exchange): Operation | Promise<Operation> {
  const { call, context, family, request } = exchange;
  const problem = context.service.drawToolRequest(context.worldEntry.world, context.caller);
  if (problem) return createOperationWithResponse(problem, { name: request.method, isCounted: countsMessages(call) });
  const message = family.answer(request, context);
  if (message instanceof Promise) return message.then((response) => createMessageOperation(exchange, response));
  return createMessageOperation(exchange, message);
}

/** Answers an HTTP method other than POST. */
function readMethod(call: Call, context: RequestContext, family: RevisionFamily): Operation {
  const response = family.respondToMethod(context);
  if (response === null) return createRefusal(call, family, refuseMethod(call));
  if ("refusal" in response) return createRefusal(call, family, response.refusal);
  if ("answer" in response) return createBareOperation(response.answer);
  const serviceResponse = { status: 200, headers: {}, body: undefined, rule: protocolRule, changes: [] };
  return createOperationWithResponse(serviceResponse, { send: () => undefined });
}

function countsMessages({ worldEntry }: Call): boolean {
  return worldEntry.world.options.mcp_rate === "requests";
}

/** The facts that the journal and the response need besides a reply. */
interface ResponseDetails {
  name?: string | null;
  isCounted?: boolean;
  note?: string | undefined;
  send?: CallResponse["send"];
}

/** Returns the operation of a request whose response is known. */
function createOperationWithResponse(
  serviceResponse: ServiceResponse,
  { name = null, isCounted = false, note, send }: ResponseDetails = {},
): Operation {
  const response = send ? { ...serviceResponse, send } : serviceResponse;
  return {
    name,
    isOverridable: false,
    isCounted,
    bucketRoute: null,
    note,
    perform: () => serviceResponse,
    respond: () => response,
  };
}

/** Returns the operation of a request that the transport refuses. */
function createRefusal({ received }: Call, family: RevisionFamily, refusal: Refusal): Operation {
  const { status, headers = {}, clause = "MCP-ENDPOINT-PATH" } = refusal;
  const body = family.refusalBody(refusal, readRequestId(received));
  return createOperationWithResponse({ status, headers, body, rule: { ...protocolRule, clause }, changes: [] });
}

/** Returns the id of a request that may be invalid otherwise; undefined if the body contains no request with a valid id. */
function readRequestId({ body }: ReceivedBody): RequestId | undefined {
  const { id, method } = body.kind === "json" ? readFields(body.value) : {};
  if (method === undefined) return undefined;
  return typeof id === "string" || Number.isInteger(id) ? (id as RequestId) : undefined;
}

/** Returns the operation of a request that the transport answers. */
function createBareOperation(response: ResponseParts): Operation {
  return createOperationWithResponse({ ...response, rule: protocolRule, changes: [] });
}

/** Returns the operation of a request with a JSON-RPC message as answer. */
function createMessageOperation({ call, context, family, request }: Exchange, message: unknown): Operation {
  const headers = family.headersOf(context, request, message);
  const { send, ...response } = createMessageResponse(call, family.statusOf(message), headers, message);
  const details = { name: request.method, isCounted: countsMessages(call), note: family.noteOn(call.request), send };
  return createOperationWithResponse({ ...response, rule: protocolRule, changes: [] }, details);
}

/** Returns the HTTP response with a JSON-RPC message: JSON, or a stream with one event. An HTTP error is always JSON. */
function createMessageResponse(
  { context, request, response, varied }: Call,
  status: number,
  headers: Record<string, string>,
  body: unknown,
): CallResponse {
  const serverResponse = { status, headers, body };
  const asEvent = status === 200 && (context.tools.sse || (varied !== null && applies(varied, "tool-events")));
  return asEvent ? { ...serverResponse, send: (now) => sendEvent(request, response, body, headers, now) } : serverResponse;
}

function refuseMethod({ context: { tools }, request }: Call): Refusal {
  const sessions = tools.sessions && tools.revisions.legacy.length > 0;
  const allow = ["POST", ...(sessions ? ["DELETE"] : []), ...(sessions && tools.sse ? ["GET"] : [])];
  const message = `Method Not Allowed: ${request.method} is not allowed here.`;
  return { status: 405, code: codes.transport, message, headers: { allow: allow.join(", ") } };
}
