import { findRebindingProblem } from "../../common/origins.js";
import { refuse } from "../../service/call.js";
import { buildFailureResponse, recordCutOff, sendRefusal } from "../call/outside-requests.js";
import { type Call, handleCall, noteForReport } from "../call/pipeline.js";
import { runWhenOwned } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import { type ReceivedBody, readBody } from "../http/body.js";
import { respondToPreflight } from "../http/cors.js";
import { toolEndpoint } from "../http/hosts.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { readClientAddress, readPath, readTarget, sendResponse } from "../http/response.js";
import { recordOutside } from "../journal/outside.js";
import { beginVariedCall } from "../variations/variations.js";
import { selectWorld } from "../worlds/worlds.js";
import { findSessionToOpen, readOperation } from "./http-exchange.js";
import { codes } from "./json-rpc.js";

const noSignIn = refuse("not_found", { message: "There is no sign-in here: send an API key as a bearer token." });

/**
 * Answers one request to the tool server. The path without a trailing slash redirects to the path with it. The redirect is relative, so the
 * client keeps its key. The server has no sign-in besides keys: clients that look for one get a 404 in JSON.
 */
export function serveTools(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const path = readPath(request);
  const go = () => redirect(context, request, response);
  if (path === "/mcp") context.cluster ? runWhenOwned(context, context.cluster, request, response, undefined, go) : go();
  else if (path === toolEndpoint) serveEndpoint(context, request, response);
  else sendRefusal(request, response, context.worlds.default, noSignIn);
}

/** MCP-ENDPOINT-BARE-307; it applies to every method (assumed). */
function redirect(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const query = readTarget(request).slice("/mcp".length);
  const headers = { location: toolEndpoint + query };
  response.writeHead(307, { ...headers, "content-length": 0 }).end();
  const worldEntry = selectWorld(context.worlds, request.headers.authorization, undefined);
  const rule = {
    gate: "authenticate",
    code: null,
    clause: request.method === "POST" ? "MCP-ENDPOINT-BARE-307" : "MCP-ENDPOINT-BARE-METHODS",
  } as const;
  recordOutside(worldEntry, request, {
    status: 307,
    headers,
    rule,
    reason: "The path has no trailing slash: the tool server is at /mcp/.",
  });
  readBody(request, (receivedBody) =>
    noteForReport(worldEntry, request, receivedBody, {
      at: worldEntry.world.now,
      route: undefined,
      status: 307,
      responseHeaders: headers,
      answer: undefined,
      overridden: false,
      refusal: null,
    }),
  );
}

function serveEndpoint(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const problem = findRebindingProblem(context, request);
  if (problem !== null) {
    request.resume();
    const defaultWorld = context.worlds.default;
    const body = { jsonrpc: "2.0", error: { code: codes.transport, message: problem }, id: null };
    const serviceResponse = { status: 403, headers: {}, body };
    const text = sendResponse(request, response, serviceResponse, defaultWorld.world.now);
    recordOutside(defaultWorld, request, { ...serviceResponse, text, rule: { gate: "authenticate", code: null, clause: null } });
  } else if (request.method !== "OPTIONS" || !respondToPreflight(request, response)) {
    const read = (receivedBody: ReceivedBody) => {
      const serverResponse = () => void serveMessage(context, request, response, receivedBody);
      if (context.cluster) runWhenOwned(context, context.cluster, request, response, undefined, serverResponse);
      else serverResponse();
    };
    readBody(request, read, (by) => recordCutOff(context.worlds, request, undefined, by));
  }
}

/** Answers one request whose body has been read. Resolves when the response is on its way or a fault delays it. */
export async function serveMessage(
  context: MockContext,
  request: IncomingMessage,
  response: ServerResponse,
  receivedBody: ReceivedBody,
): Promise<void> {
  const worldEntry = selectWorld(context.worlds, request.headers.authorization, undefined);
  try {
    const { tools } = context;
    const server = tools.loaded ?? (await tools.server());
    const ip = readClientAddress(request, context.trustClientIp);
    const variedCall = worldEntry.variations && beginVariedCall(worldEntry.variations, worldEntry.world);
    const session = findSessionToOpen(context, worldEntry, receivedBody);
    const call: Call = {
      context,
      worldEntry,
      surface: "mcp",
      host: "api",
      request,
      response,
      received: receivedBody,
      ip,
      varied: variedCall,
    };
    if (session !== undefined) call.session = session;
    await handleCall(call, () => readOperation(call, server));
  } catch (error) {
    const serviceResponse = buildFailureResponse(worldEntry.world, request, error);
    if (response.headersSent) return;
    recordOutside(worldEntry, request, {
      ...serviceResponse,
      text: sendResponse(request, response, serviceResponse, worldEntry.world.now),
    });
  }
}
