import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { endSession, openSession, type ToolSession, useSession } from "../worlds/tool-sessions.js";
import { openStream } from "./event-stream.js";
import {
  codes,
  type Method,
  type Refusal,
  type RequestContext,
  refuseAccept,
  respondWithMethod,
  streamType,
} from "./json-rpc.js";
import type { MethodResponse, RevisionFamily } from "./revision-family.js";

/** Answers the requests that the official SDK answers: the handshake, ping, and unknown methods. */
export type SdkServer = (request: JSONRPCRequest) => Promise<JSONRPCMessage>;

/** Returns the adapter of the revisions that open with a handshake. A client that completes it gets a session, if sessions are on. */
export function createLegacyFamily(
  versions: readonly string[],
  methods: Readonly<Record<string, Method>>,
  askSdk: SdkServer,
): RevisionFamily {
  return {
    versions,
    refuse: (context, message) => {
      if (message.kind === "request" && message.request.method === "initialize") return null;
      return refuseVersion(context, versions) ?? refuseSession(context);
    },
    answer: (request, context) => {
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
      if (method) return respondWithMethod(method, removeTask(request), context);
      return askSdk(request.method === "initialize" ? setVersion(request, versions) : removeTask(request));
    },
    complete: (result) => result,
    statusOf: () => 200,
    headersOf: ({ tools, worldEntry, caller, session }, { method }, response) => {
      const opens = method === "initialize" && tools.sessions && isResult(response);
      return opens ? { "mcp-session-id": openSession(worldEntry.world, caller.key.id, session).id } : {};
    },
    refusalBody: ({ code, message }) => ({ jsonrpc: "2.0", error: { code, message }, id: null }),
    respondToMethod: (context) => respondToMethod(context, versions),
    noteOn: () => undefined,
  };
}

function respondToMethod(context: RequestContext, versions: readonly string[]): MethodResponse | null {
  const { method } = context.request;
  const { sessions, sse } = context.tools;
  if (method === "DELETE" && sessions) return leave(context, versions);
  return method === "GET" && sessions && sse ? listen(context, versions) : null;
}

/** Opens the standing stream of a session. Refuses a second stream. */
function listen(context: RequestContext, versions: readonly string[]): MethodResponse {
  const { worldEntry, request, response } = context;
  const refusal = refuseAccept(request, [streamType]) ?? refuseVersion(context, versions);
  if (refusal) return { refusal };
  const session = findSession(context);
  if ("status" in session) return { refusal: session };
  if (session.stream)
    return { refusal: { status: 409, code: codes.transport, message: "Conflict: this session already has a stream." } };
  openStream(request, response, session, worldEntry.world.now);
  return { isOpen: true };
}

/** Ends a session at the request of its client. */
function leave(context: RequestContext, versions: readonly string[]): MethodResponse {
  const refusal = refuseVersion(context, versions);
  if (refusal) return { refusal };
  const session = findSession(context);
  if ("status" in session) return { refusal: session };
  endSession(context.worldEntry.world, session);
  return { answer: { status: 200, headers: {}, body: undefined } };
}

/** Refuses an unknown protocol revision. Without the header, an older revision applies, which the server knows. */
function refuseVersion({ request }: RequestContext, versions: readonly string[]): Refusal | null {
  const version = request.headers["mcp-protocol-version"];
  if (version === undefined || versions.includes(String(version))) return null;
  const message = `Unsupported protocol version; this server supports ${versions.join(", ")}.`;
  return { status: 400, code: codes.transport, message };
}

function refuseSession(context: RequestContext): Refusal | null {
  if (!context.tools.sessions) return null;
  const session = findSession(context);
  return "status" in session ? session : null;
}

function findSession({ worldEntry, request, caller: { key } }: RequestContext): ToolSession | Refusal {
  const id = request.headers["mcp-session-id"];
  if (typeof id !== "string")
    return { status: 400, code: codes.transport, message: "Bad Request: the header Mcp-Session-Id is missing." };
  const session = useSession(worldEntry.world, id, key.id);
  return session ?? { status: 404, code: codes.noSession, message: "Session not found: begin again with initialize." };
}

/** Returns the handshake with a revision that the mock offers: the requested one, or else the newest one. */
function setVersion(request: JSONRPCRequest, versions: readonly string[]): JSONRPCRequest {
  const version = request.params?.protocolVersion;
  if (typeof version !== "string" || versions.includes(version)) return request;
  return { ...request, params: { ...request.params, protocolVersion: versions[0] } };
}

/** Returns the request without its task: the server offers no tasks, so it treats the request as a plain one. */
function removeTask(request: JSONRPCRequest): JSONRPCRequest {
  if (request.params?.task === undefined) return request;
  const { task: _, ...params } = request.params;
  return { ...request, params };
}

function isResult(response: unknown): boolean {
  return typeof response === "object" && response !== null && "result" in response;
}
