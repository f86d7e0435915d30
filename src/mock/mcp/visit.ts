import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import type { Caller } from "../../service/call.js";
import type { Answer } from "../answer.js";
import type { BodyRead } from "../body.js";
import type { Service } from "../site.js";
import type { HostedWorld } from "../worlds.js";
import type { Outcome } from "./asking.js";
import { refuseAccept, refuseBody, refuseVersion } from "./headers.js";
import type { ToolSite } from "./options.js";
import { codes, refuseMessage } from "./protocol.js";
import { endSession, openSession, type ToolSession, useSession } from "./sessions.js";
import { openStream } from "./streams.js";
import type { ToolServer } from "./tool-server.js";

/** One HTTP request to the endpoint, read to its end. */
export interface Visit {
  service: Service;
  tools: ToolSite;
  server: ToolServer;
  hosted: HostedWorld;
  request: IncomingMessage;
  response: ServerResponse;
  read: BodyRead;
  /** The caller's address. */
  ip: string | null;
  outcome: Outcome;
}

type Sent = Answer & { asEvent?: boolean };

const [json, events] = ["application/json", "text/event-stream"];

/**
 * Answers as the protocol's HTTP transport says, or gives null where a stream stays open instead. A caller without a live key learns
 * nothing but that: 401 stands before every other answer.
 */
export async function receive(visit: Visit): Promise<Sent | null> {
  const { service, hosted, request, outcome, ip } = visit;
  const caller = service.enterTools(hosted.world, request.headers.authorization, ip);
  if ("refused" in caller) {
    outcome.rule = caller.refused.rule;
    return caller.refused;
  }
  switch (request.method) {
    case "POST":
      return takeMessage(visit, caller);
    case "GET":
      return visit.tools.sessions && visit.tools.sse ? listen(visit, caller) : refuseMethod(visit);
    case "DELETE":
      return visit.tools.sessions ? leave(visit, caller) : refuseMethod(visit);
    default:
      return refuseMethod(visit);
  }
}

async function takeMessage(visit: Visit, caller: Caller): Promise<Sent> {
  const { server, request, read } = visit;
  const refused = refuseAccept(request, [json, events]) ?? refuseBody(read);
  if (refused) return refused;
  const message = server.readMessage(read.body.kind === "json" ? read.body.value : undefined);
  if (message.kind === "invalid")
    return refuseMessage(400, codes.invalidRequest, "Invalid Request: this is no JSON-RPC message.");
  if (message.kind === "request" && message.request.method === "initialize") return greet(visit, caller, message.request);
  const stranger = refuseVersion(request, server.versions) ?? refuseSession(visit, caller);
  if (stranger) return stranger;
  // what a client notifies of changes nothing here, and its answers answer nothing, as it was asked nothing
  return message.kind === "notice" ? { status: 202, headers: {}, body: undefined } : ask(visit, caller, message.request);
}

/** The handshake. With sessions on, whoever completes it gets one. */
async function greet(visit: Visit, caller: Caller, request: JSONRPCRequest): Promise<Sent> {
  const answer = await ask(visit, caller, request);
  if (!visit.tools.sessions || !("result" in (answer.body as object))) return answer;
  const { id } = openSession(visit.hosted.world, keyOf(caller));
  return { ...answer, headers: { ...answer.headers, "mcp-session-id": id } };
}

async function ask(
  { service, tools, server, hosted, response, outcome }: Visit,
  caller: Caller,
  request: JSONRPCRequest,
): Promise<Sent> {
  outcome.route = request.method;
  const body = await server.answer(request, { service, hosted, caller, response, outcome });
  return { status: 200, headers: {}, body, ...(tools.sse && { asEvent: true }) };
}

/** Opens the standing stream of a session; a second one beside it is refused. */
function listen(visit: Visit, caller: Caller): Sent | null {
  const { server, hosted, request, response } = visit;
  const refused = refuseAccept(request, [events]) ?? refuseVersion(request, server.versions);
  if (refused) return refused;
  const session = sessionOf(visit, caller);
  if ("status" in session) return session;
  if (session.stream) return refuseMessage(409, codes.transport, "Conflict: this session has its stream already.");
  openStream(request, response, session, hosted.world.now);
  return null;
}

/** Ends a session for its client. */
function leave(visit: Visit, caller: Caller): Sent {
  const refused = refuseVersion(visit.request, visit.server.versions);
  if (refused) return refused;
  const session = sessionOf(visit, caller);
  if ("status" in session) return session;
  endSession(visit.hosted.world, session);
  return { status: 200, headers: {}, body: undefined };
}

function refuseSession(visit: Visit, caller: Caller): Answer | null {
  if (!visit.tools.sessions) return null;
  const session = sessionOf(visit, caller);
  return "status" in session ? session : null;
}

function sessionOf({ hosted, request }: Visit, caller: Caller): ToolSession | Answer {
  const id = request.headers["mcp-session-id"];
  if (typeof id !== "string") return refuseMessage(400, codes.transport, "Bad Request: the header Mcp-Session-Id is missing.");
  return (
    useSession(hosted.world, id, keyOf(caller)) ??
    refuseMessage(404, codes.noSession, "Session not found: begin again with initialize.")
  );
}

function refuseMethod({ tools, request }: Visit): Answer {
  const allow = ["POST", ...(tools.sessions ? ["DELETE"] : []), ...(tools.sessions && tools.sse ? ["GET"] : [])];
  return refuseMessage(405, codes.transport, `Method Not Allowed: ${request.method} is not taken here.`, {
    allow: allow.join(", "),
  });
}

function keyOf({ key }: Caller): string {
  return key!.id;
}
