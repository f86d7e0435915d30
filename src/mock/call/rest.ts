import { openApiAt } from "../../contract/publish.js";
import { type Resolution, resolveRoute } from "../../contract/routes.js";
import type { RouteName } from "../../contract/types.js";
import type { Query } from "../../contract/validate.js";
import type { IncomingCall, Reply } from "../../service/call.js";
import { whenOwned } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import type { RefusedCall } from "../faults/catalogue-refusal.js";
import { applyFault } from "../faults/fault-applying.js";
import { type Fault, matchFault } from "../faults/faults.js";
import { sendReply, targetOf } from "../http/answer.js";
import { type ReceivedBody, readBody, takesBody } from "../http/body.js";
import { clientAddress } from "../http/client-address.js";
import { answerPreflight } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { addressesFor } from "../http/public-addresses.js";
import { isDrawn, keepBody, keepHeaders, keepText, record } from "../journal/journal.js";
import { levelsFor } from "../journal/levels.js";
import { recordOutside } from "../journal/outside.js";
import { readVaried } from "../variations/reading.js";
import type { Subject } from "../variations/variation.js";
import { beginVariedCall, performVaried, type VariedCall, writingOf } from "../variations/variations.js";
import { askToWait, catchUp } from "../worlds/clock.js";
import { sessionOf } from "../worlds/credential.js";
import { append, holdBack, notifyAnswer, whenPersisted } from "../worlds/log/append.js";
import type { LogEntry, LoggedCall } from "../worlds/log/entry.js";
import { selectWorld, type WorldEntry } from "../worlds/worlds.js";
import { noteCall } from "./client-tally.js";
import { failReply } from "./outside-requests.js";
import { answerPreferred } from "./preference.js";

/** A call between its arrival and its answer. */
interface Exchange {
  host: "api" | "app";
  request: IncomingMessage;
  response: ServerResponse;
  worldEntry: WorldEntry;
  context: MockContext;
  incoming: IncomingCall;
  received: ReceivedBody;
  /** What befalls the call in a world with variations. */
  varied: VariedCall | null;
}

const noBody: ReceivedBody = { body: { kind: "none" }, bytes: 0, cut: false };
const noQuery: Query = {};
const noHeaders = {};
const noVariations: readonly [] = [];

/**
 * Answers one call to the REST API: socket to IncomingCall, `perform`, response. Cookies count on the app host only; there a signed-in
 * person acts in the same worlds.
 */
export function serveRest(context: MockContext, host: "api" | "app", request: IncomingMessage, response: ServerResponse): void {
  if (answerPreflight(request, response)) return;
  const session = host === "app" ? sessionOf(request.headers.cookie) : undefined;
  const go = (received: ReceivedBody) =>
    whenOwned(context, request, response, session, () => answerRest(context, host, request, response, received));
  if (takesBody(request)) readBody(request, go);
  else go(noBody);
}

/** Answers one call to the REST API whose body has been read. */
export function answerRest(
  context: MockContext,
  host: "api" | "app",
  request: IncomingMessage,
  response: ServerResponse,
  received: ReceivedBody,
): void {
  try {
    answer(arrive(context, host, request, response, received));
  } catch (error) {
    const home = context.worlds.default;
    const { world } = home;
    const reply = failReply(world, request, error);
    if (!response.headersSent) {
      const text = sendReply(request, response, reply, world.now, { close: true });
      recordOutside(home, request, { ...reply, text });
    }
  }
}

function arrive(
  context: MockContext,
  host: "api" | "app",
  request: IncomingMessage,
  response: ServerResponse,
  received: ReceivedBody,
): Exchange {
  const { headers, method = "" } = request;
  const cookie = host === "app" ? sessionOf(headers.cookie) : undefined;
  const worldEntry = selectWorld(context.worlds, headers.authorization, cookie);
  const url = targetOf(request);
  const mark = url.indexOf("?");
  const arrived: IncomingCall = {
    surface: "rest",
    // RFC 9110, 9.3.2: HEAD is the GET without its body, which node leaves out
    target: targetOfCall(resolveRoute(method === "HEAD" ? "GET" : method, mark < 0 ? url : url.slice(0, mark))),
    authorization: headers.authorization,
    cookie,
    idempotencyKey: headers["idempotency-key"] as string | undefined,
    ip: clientAddress(request, context.trustClientIp),
    query: mark < 0 ? noQuery : readQuery(url.slice(mark + 1)),
    body: received.body,
  };
  const varied = beginVariedCall(worldEntry.variations, worldEntry.world);
  const incoming = varied ? readVaried(varied, arrived) : arrived;
  return { host, request, response, worldEntry, context, incoming, received, varied };
}

function answer(exchange: Exchange): void {
  const { worldEntry, request } = exchange;
  catchUp(worldEntry.clock);
  const entry = note(exchange);
  const fault = worldEntry.faults.length === 0 ? null : matchFault(worldEntry.faults, routeOf(exchange.incoming));
  const perform = () => work(exchange);
  if (fault) {
    const subject = { world: worldEntry.world, response: exchange.response, ...subjectOf(exchange) };
    applyFault(fault, subject, {
      delay: (ms, go) => holdBack(worldEntry, exchange.response, ms, go),
      perform,
      finish: (reply) => finish(exchange, entry, reply, { fault }),
    });
    return;
  }
  const { prefer } = request.headers;
  if (prefer === undefined) {
    finish(exchange, entry, perform(), {});
    return;
  }
  const { reply, forced } = answerPreferred(worldEntry.world, String(prefer), subjectOf(exchange), perform);
  finish(exchange, entry, reply, { forced });
}

/** Notes the call in the world's log as it takes effect. */
function note({ host, request, response, worldEntry, incoming: { ip }, received }: Exchange): LogEntry {
  const { method = "", url = "", rawHeaders } = request;
  const call: LoggedCall = { host, method, url, headers: keepHeaders(rawHeaders), ip, received };
  if (response.destroyed) call.gone = true;
  return append(worldEntry, { call }, received.bytes);
}

function variationSubject({ worldEntry, incoming }: Exchange): Subject {
  const { target, surface, query, body, authorization, ip } = incoming;
  return {
    world: worldEntry.world,
    surface,
    route: routeOf(incoming),
    params: typeof target === "object" && "params" in target ? target.params : {},
    query: Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values.at(-1)])),
    body: body.kind === "json" ? body.value : undefined,
    authorization,
    ip,
  };
}

function subjectOf({ incoming }: Exchange): RefusedCall {
  return { authorization: incoming.authorization, route: routeOf(incoming), surface: "rest" };
}

/** Does the work; a failure of ours is an answer too, and the server goes on. */
function work(exchange: Exchange): Reply {
  const { varied, worldEntry, request } = exchange;
  try {
    return varied ? performVaried(varied, variationSubject(exchange), () => operate(exchange)) : operate(exchange);
  } catch (error) {
    return failReply(worldEntry.world, request, error);
  }
}

function operate({ worldEntry, context, incoming, request }: Exchange): Reply {
  const reply = context.service.perform(worldEntry.world, incoming);
  const isDocument = reply.status === 200 && routeOf(incoming) === "GET /api/openapi.json";
  return isDocument ? { ...reply, body: openApiAt(addressesFor(context, request)) } : reply;
}

/** Sends the reply, unless a fault broke the connection or the client has gone, and notes what came of the call. */
function finish(
  { request, response, worldEntry, incoming, received, varied }: Exchange,
  entry: LogEntry,
  reply: Reply,
  { fault = null, forced = false }: { fault?: Fault | null; forced?: boolean },
): void {
  const { method = "", url = "" } = request;
  const { now } = worldEntry.world;
  const sends = !fault?.socket && !response.destroyed;
  const writing = varied ? writingOf(varied, reply) : undefined;
  const sending = { close: received.cut, bandwidth: fault?.bandwidth, writing };
  const route = routeOf(incoming);
  const levels = levelsFor(worldEntry.world, incoming.authorization, "rest", route);
  const { journal, log } = worldEntry;
  whenPersisted(log, request, response, () => {
    const text = sends ? sendReply(request, response, reply, now, sending) : undefined;
    const status = sends ? reply.status : null;
    const headers = sends ? reply.headers : noHeaders;
    record(journal, {
      log: entry.number,
      at: now,
      method,
      url,
      headers: keepHeaders(request.rawHeaders),
      route,
      authorization: incoming.authorization,
      body: keepBody(received.body, received.bytes),
      status,
      answer: { headers, text: keepText(text) },
      levels,
      drawn: isDrawn(reply.rule.gate, reply.rule.code),
      rule: reply.rule,
      changes: reply.changes,
      forced,
      fault: fault?.id ?? null,
      variations: varied?.applied ?? noVariations,
    });
    const bent = forced || fault !== null;
    noteCall(worldEntry, {
      request,
      received,
      at: now,
      route,
      status,
      headers: reply.headers,
      answer: reply.body,
      bent,
      code: reply.rule.code,
    });
    if (log.hooks.onAnswer) notifyAnswer(log, entry, { status, headers, text });
  });
  if (sends) askToWait(worldEntry.clock, reply.headers["retry-after"]);
}

function routeOf({ target }: IncomingCall): RouteName | null {
  return typeof target === "object" && "route" in target ? target.route : null;
}

function targetOfCall(resolution: Resolution): IncomingCall["target"] {
  switch (resolution.found) {
    case "route":
      return { route: resolution.route.name, params: resolution.params };
    case "path":
      return resolution;
    case "nothing":
      return "unknown-path";
    default:
      return resolution satisfies never;
  }
}

/** Every occurrence of each parameter. Without a prototype, so that no name is special. */
function readQuery(text: string): Query {
  const query: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (query[name]) query[name].push(value);
    else query[name] = [value];
  }
  return query;
}
