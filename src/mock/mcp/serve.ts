import { refuse } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import { noteCall } from "../call/client-tally.js";
import { failReply, sendRefusal } from "../call/outside-requests.js";
import { whenOwned } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import { pathOf, sendReply, targetOf } from "../http/answer.js";
import { type ReceivedBody, readBody } from "../http/body.js";
import { clientAddress } from "../http/client-address.js";
import { answerPreflight } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { rebindingProblem } from "../http/origins.js";
import { isDrawn, keepBody, keepHeaders, keepText, record } from "../journal/journal.js";
import { levelsFor } from "../journal/levels.js";
import { recordOutside } from "../journal/outside.js";
import { beginVariedCall, writingOf } from "../variations/variations.js";
import { askToWait, catchUp } from "../worlds/clock.js";
import { append, notifyAnswer, whenPersisted } from "../worlds/log/append.js";
import type { LoggedCall } from "../worlds/log/entry.js";
import { selectWorld } from "../worlds/worlds.js";
import { sendEvent } from "./event-stream.js";
import { answerExchange, type HttpExchange, refuseMessage, type TransportAnswer } from "./http-exchange.js";
import { codes, protocolNotes } from "./json-rpc.js";

const endpoint = "/mcp/";
const noSignIn = refuse("not_found", { message: "There is no sign-in here: send an API key as a bearer token." });

/** Whether a path is the tool server's, or one at which clients ask where to sign in to it. */
export function isForTools(path: string): boolean {
  return path === endpoint || path === "/mcp" || path === "/register" || path.startsWith("/.well-known/");
}

/**
 * Answers one request to the tool server of the API host. The path without its slash is sent on to the one with it, by a relative address
 * that a client takes its key along to. There is no sign-in beside keys, and clients that look for one are told so in JSON.
 */
export function serveTools(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const path = pathOf(request);
  if (path === "/mcp") redirect(context, request, response);
  else if (path === endpoint) serveEndpoint(context, request, response);
  else sendRefusal(request, response, context.worlds.default, noSignIn);
}

/** Whether a request is for the endpoint itself: what the app host forwards. MCP-ENDPOINT-APP-FORWARD. */
export function isForEndpoint(request: IncomingMessage): boolean {
  return pathOf(request) === endpoint;
}

/** MCP-ENDPOINT-BARE-307; every method is sent on (assumed). */
function redirect(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const query = targetOf(request).slice("/mcp".length);
  const headers = { location: endpoint + query };
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
    reason: "The path has no slash at its end: the tool server is at /mcp/.",
  });
  readBody(request, (received) =>
    noteCall(worldEntry, { request, received, at: worldEntry.world.now, status: 307, headers, answer: undefined, bent: false }),
  );
}

function serveEndpoint(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const problem = rebindingProblem(context, request);
  if (problem !== null) {
    request.resume();
    const home = context.worlds.default;
    const reply = refuseMessage(403, codes.transport, problem);
    const text = sendReply(request, response, reply, home.world.now);
    recordOutside(home, request, { ...reply, text, rule: { gate: "authenticate", code: null, clause: null } });
  } else if (!answerPreflight(request, response)) {
    readBody(request, (received) =>
      whenOwned(context, request, response, undefined, () => void serveMessage(context, request, response, received)),
    );
  }
}

/** Answers one request to the endpoint whose body has been read. Fulfilled when the answer is on its way. */
export async function serveMessage(
  context: MockContext,
  request: IncomingMessage,
  response: ServerResponse,
  received: ReceivedBody,
): Promise<void> {
  const worldEntry = selectWorld(context.worlds, request.headers.authorization, undefined);
  const { service, tools } = context;
  try {
    const server = await tools.server();
    catchUp(worldEntry.clock);
    const ip = clientAddress(request, context.trustClientIp);
    const varied = beginVariedCall(worldEntry.variations, worldEntry.world);
    const notes = protocolNotes(() => {
      const { method = "", url = "", rawHeaders } = request;
      const call: LoggedCall = { host: "api", method, url, headers: keepHeaders(rawHeaders), ip, received };
      if (response.destroyed) call.gone = true;
      if (notes.session) call.session = notes.session;
      return append(worldEntry, { call }, received.bytes);
    });
    await finish({ service, tools, server, worldEntry, request, response, received, ip, notes, varied });
  } catch (error) {
    const reply = failReply(worldEntry.world, request, error);
    if (!response.headersSent)
      recordOutside(worldEntry, request, { ...reply, text: sendReply(request, response, reply, worldEntry.world.now) });
  }
}

/** Sends the answer, unless a fault broke the connection, the client has gone or a stream stands open; and notes it in the journal. */
async function finish(exchange: HttpExchange): Promise<void> {
  const { request, response, worldEntry, received, notes } = exchange;
  const answer = await answerExchange(exchange);
  const entry = notes.arrive();
  const { now } = worldEntry.world;
  const sends = answer !== null && !notes.brokenOff && !response.destroyed;
  const { method = "", url = "", rawHeaders, headers } = request;
  const levels = levelsFor(worldEntry.world, headers.authorization, "mcp", notes.draws ?? null);
  const drawn = notes.route !== null && isDrawn(notes.rule.gate, notes.rule.code) && isCounted(worldEntry.world, notes);
  const { journal, log } = worldEntry;
  whenPersisted(log, request, response, () => {
    const text = sends ? send(exchange, answer, now) : undefined;
    record(journal, {
      log: entry.number,
      at: now,
      method,
      url,
      headers: keepHeaders(rawHeaders),
      authorization: headers.authorization,
      body: keepBody(received.body, received.bytes),
      forced: notes.forced ?? false,
      route: notes.route,
      status: notes.brokenOff ? null : (notes.status ?? answer?.status ?? 200),
      answer: { headers: sends ? answer.headers : {}, text: keepText(text) },
      levels,
      drawn,
      rule: answer?.clause === undefined ? notes.rule : { ...notes.rule, clause: answer.clause },
      changes: notes.changes,
      fault: notes.fault,
      variations: exchange.varied?.applied ?? [],
    });
    noteCall(worldEntry, {
      request,
      received,
      at: now,
      status: notes.brokenOff ? null : (answer?.status ?? 200),
      headers: sends ? answer.headers : {},
      answer: sends ? answer.body : undefined,
      bent: (notes.forced ?? false) || notes.fault !== null,
      code: notes.rule.code,
    });
    const status = sends ? answer.status : null;
    if (log.hooks.onAnswer) notifyAnswer(log, entry, { status, headers: sends ? answer.headers : {}, text });
  });
  if (!notes.brokenOff) askToWait(worldEntry.clock, notes.retryAfter ?? answer?.headers["retry-after"]);
}

function send(exchange: HttpExchange, answer: TransportAnswer, now: number): string | undefined {
  const { request, response, received, notes, varied } = exchange;
  if (answer.asEvent) return sendEvent(request, response, answer.body, answer.headers, now);
  const writing = varied ? writingOf(varied, answer) : undefined;
  return sendReply(request, response, answer, now, { close: received.cut, bandwidth: notes.bandwidth, writing });
}

/** MCP-RATE-CALLS: under that switch only calls of tools count. */
function isCounted({ options }: World, { draws }: HttpExchange["notes"]): boolean {
  return options.mcp_rate === "requests" || draws !== undefined;
}
