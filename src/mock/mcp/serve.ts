import type { IncomingMessage, ServerResponse } from "node:http";
import { clientAddress } from "../address.js";
import { failReply, pathOf, sendJson, sendReply, targetOf } from "../answer.js";
import { type BodyRead, readBody } from "../body.js";
import { catchUp } from "../clock.js";
import { answerPreflight } from "../cors.js";
import { keepBody, record } from "../journal.js";
import type { Site } from "../site.js";
import { selectWorld } from "../worlds.js";
import { answeredByProtocol } from "./asking.js";
import { rebound } from "./guard.js";
import { codes, refuseMessage } from "./protocol.js";
import { sendEvent } from "./streams.js";
import { receive, type Visit } from "./visit.js";

const path = "/mcp/";

/** Whether a request is for the tool server, or asks where to sign in to it. */
export function isForTools(request: IncomingMessage): boolean {
  const asked = pathOf(request);
  return asked === path || asked === "/mcp" || asked === "/register" || asked.startsWith("/.well-known/");
}

/**
 * Answers one request to the tool server of the API host. The path without its slash is sent on to the one with it, by a relative address
 * that a client takes its key along to. There is no sign-in beside keys, and clients that look for one are told so in JSON.
 */
export function serveTools(site: Site, request: IncomingMessage, response: ServerResponse): void {
  const asked = pathOf(request);
  if (asked === "/mcp") redirect(request, response);
  else if (asked === path) serveEndpoint(site, request, response);
  else sendJson(request, response, 404, { error: { message: "There is no sign-in here: send an API key as a bearer token." } });
}

/** Whether a request is for the endpoint itself: what the app host forwards. MCP-ENDPOINT-APP-FORWARD. */
export function isForEndpoint(request: IncomingMessage): boolean {
  return pathOf(request) === path;
}

/** MCP-ENDPOINT-BARE-307; every method is sent on (assumed). */
function redirect(request: IncomingMessage, response: ServerResponse): void {
  const query = targetOf(request).slice("/mcp".length);
  request.resume();
  response.writeHead(307, { location: path + query, "content-length": 0 }).end();
}

function serveEndpoint(site: Site, request: IncomingMessage, response: ServerResponse): void {
  const barred = rebound(site.host, request);
  if (barred !== null) {
    request.resume();
    sendReply(request, response, refuseMessage(403, codes.transport, barred), site.worlds.default.world.now);
  } else if (!answerPreflight(request, response)) readBody(request, (read) => void serveMessage(site, request, response, read));
}

async function serveMessage(site: Site, request: IncomingMessage, response: ServerResponse, read: BodyRead): Promise<void> {
  const hosted = selectWorld(site.worlds, request.headers.authorization, undefined);
  try {
    const server = await site.tools.server();
    catchUp(hosted.clock);
    const ip = clientAddress(request, site.trustClientIp);
    await finish({
      service: site.service,
      tools: site.tools,
      server,
      hosted,
      request,
      response,
      read,
      ip,
      outcome: answeredByProtocol(),
    });
  } catch (error) {
    const reply = failReply(hosted.world, request, error);
    if (!response.headersSent) sendReply(request, response, reply, hosted.world.now);
  }
}

/** Sends the answer, unless a fault broke the connection, the client has gone or a stream stands open; and notes the visit. */
async function finish(visit: Visit): Promise<void> {
  const { request, response, hosted, read, outcome } = visit;
  const answer = await receive(visit);
  const { now } = hosted.world;
  if (answer && !outcome.brokenOff && !response.destroyed) {
    if (answer.asEvent) sendEvent(request, response, answer.body, answer.headers, now);
    else sendReply(request, response, answer, now, read.cut);
  }
  record(hosted.journal, {
    at: now,
    method: request.method!,
    url: request.url!,
    authorization: request.headers.authorization,
    body: keepBody(read.body, read.bytes),
    forced: false,
    route: outcome.route,
    status: outcome.brokenOff ? null : (outcome.status ?? answer?.status ?? 200),
    rule: outcome.rule,
    changes: outcome.changes,
    fault: outcome.fault,
  });
}
