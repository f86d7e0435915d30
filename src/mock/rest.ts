import { openApiAt } from "../contract/publish.js";
import { type Resolution, resolveRoute } from "../contract/routes.js";
import type { RouteName } from "../contract/types.js";
import type { Query } from "../contract/validate.js";
import type { IncomingCall, Reply } from "../service/call.js";
import { clientAddress } from "./address.js";
import { addressesFor } from "./addresses.js";
import { failReply, sendReply, targetOf } from "./answer.js";
import { type ReceivedBody, readBody, takesBody } from "./body.js";
import { noteCall } from "./client-card.js";
import { askToWait, catchUp } from "./clock.js";
import { answerPreflight } from "./cors.js";
import { type Fault, takeFault } from "./faults.js";
import { answerPreferred } from "./forced.js";
import { beginCall, type GreasedCall, performGreased, writingOf } from "./grease/grease.js";
import { readGreased } from "./grease/reading.js";
import type { Subject } from "./grease/variation.js";
import { inflict } from "./inflict.js";
import { isDrawn, keepBody, keepText, record } from "./journal.js";
import { levelsFor } from "./levels.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";
import type { NaturalSubject } from "./natural-refusal.js";
import type { Site } from "./site.js";
import { type HostedWorld, selectWorld } from "./worlds.js";

/** A call between its arrival and its answer. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  hosted: HostedWorld;
  site: Site;
  incoming: IncomingCall;
  received: ReceivedBody;
  /** What befalls the call in a greased world. */
  greased: GreasedCall | null;
}

const noBody: ReceivedBody = { body: { kind: "none" }, bytes: 0, cut: false };
const noQuery: Query = {};
const noHeaders = {};
const noGrease: readonly [] = [];

/**
 * Answers one call to the REST API: socket to IncomingCall, `perform`, response. Cookies count on the app host only; there a signed-in
 * person acts in the same worlds.
 */
export function serveRest(site: Site, host: "api" | "app", request: IncomingMessage, response: ServerResponse): void {
  if (answerPreflight(request, response)) return;
  const go = (received: ReceivedBody) => {
    try {
      answer(arrive(site, host, request, response, received));
    } catch (error) {
      const { world } = site.worlds.default;
      const reply = failReply(world, request, error);
      if (!response.headersSent) sendReply(request, response, reply, world.now, { close: true });
    }
  };
  if (takesBody(request)) readBody(request, go);
  else go(noBody);
}

function arrive(
  site: Site,
  host: "api" | "app",
  request: IncomingMessage,
  response: ServerResponse,
  received: ReceivedBody,
): Exchange {
  const { headers, method = "" } = request;
  const cookie = host === "app" ? sessionOf(headers.cookie) : undefined;
  const hosted = selectWorld(site.worlds, headers.authorization, cookie);
  const url = targetOf(request);
  const mark = url.indexOf("?");
  const arrived: IncomingCall = {
    surface: "rest",
    // RFC 9110, 9.3.2: HEAD is the GET without its body, which node leaves out
    target: targetOfCall(resolveRoute(method === "HEAD" ? "GET" : method, mark < 0 ? url : url.slice(0, mark))),
    authorization: headers.authorization,
    cookie,
    idempotencyKey: headers["idempotency-key"] as string | undefined,
    ip: clientAddress(request, site.trustClientIp),
    query: mark < 0 ? noQuery : readQuery(url.slice(mark + 1)),
    body: received.body,
  };
  const greased = beginCall(hosted.grease, hosted.world);
  const incoming = greased ? readGreased(greased, arrived) : arrived;
  return { request, response, hosted, site, incoming, received, greased };
}

function answer(exchange: Exchange): void {
  const { hosted, request } = exchange;
  catchUp(hosted.clock);
  const fault = hosted.faults.length === 0 ? null : takeFault(hosted.faults, routeOf(exchange.incoming));
  const perform = () => work(exchange);
  if (fault) {
    const subject = { ...exchange, ...subjectOf(exchange) };
    inflict(fault, subject, { perform, finish: (reply) => finish(exchange, reply, fault, false) });
    return;
  }
  const { prefer } = request.headers;
  if (prefer === undefined) {
    finish(exchange, perform(), null, false);
    return;
  }
  const { reply, forced } = answerPreferred(hosted.world, String(prefer), subjectOf(exchange), perform);
  finish(exchange, reply, null, forced);
}

function greaseSubject({ hosted, incoming }: Exchange): Subject {
  const { target, surface, query, body, authorization, ip } = incoming;
  return {
    world: hosted.world,
    surface,
    route: routeOf(incoming),
    params: typeof target === "object" && "params" in target ? target.params : {},
    query: Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values.at(-1)])),
    body: body.kind === "json" ? body.value : undefined,
    authorization,
    ip,
  };
}

function subjectOf({ incoming }: Exchange): NaturalSubject {
  return { authorization: incoming.authorization, route: routeOf(incoming), surface: "rest" };
}

/** Does the work; a failure of ours is an answer too, and the server goes on. */
function work(exchange: Exchange): Reply {
  const { greased, hosted, request } = exchange;
  try {
    return greased ? performGreased(greased, greaseSubject(exchange), () => operate(exchange)) : operate(exchange);
  } catch (error) {
    return failReply(hosted.world, request, error);
  }
}

function operate({ hosted, site, incoming, request }: Exchange): Reply {
  const reply = site.service.perform(hosted.world, incoming);
  const isDocument = reply.status === 200 && routeOf(incoming) === "GET /api/openapi.json";
  return isDocument ? { ...reply, body: openApiAt(addressesFor(site, request)) } : reply;
}

/** Sends the reply, unless a fault broke the connection or the client has gone, and notes the call. */
function finish(exchange: Exchange, reply: Reply, fault: Fault | null, forced: boolean): void {
  const { request, response, hosted, incoming, received, greased } = exchange;
  const { method = "", url = "" } = request;
  const sends = !fault?.socket && !response.destroyed;
  const writing = greased ? writingOf(greased, reply) : undefined;
  const sending = { close: received.cut, bandwidth: fault?.bandwidth, writing };
  const text = sends ? sendReply(request, response, reply, hosted.world.now, sending) : undefined;
  const route = routeOf(incoming);
  record(hosted.journal, {
    at: hosted.world.now,
    method,
    url,
    headers: request.rawHeaders,
    route,
    authorization: incoming.authorization,
    body: keepBody(received.body, received.bytes),
    status: sends ? reply.status : null,
    answer: { headers: sends ? reply.headers : noHeaders, text: keepText(text) },
    levels: levelsFor(hosted.world, incoming.authorization, "rest", route),
    drawn: isDrawn(reply.rule.gate, reply.rule.code),
    rule: reply.rule,
    changes: reply.changes,
    forced,
    fault: fault?.id ?? null,
    grease: greased?.struck ?? noGrease,
  });
  noteCall(hosted, {
    request,
    received,
    at: hosted.world.now,
    route,
    status: sends ? reply.status : null,
    headers: reply.headers,
    answer: reply.body,
    bent: forced || fault !== null,
  });
  if (sends) askToWait(hosted.clock, reply.headers["retry-after"]);
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

function sessionOf(cookies: string | undefined): string | undefined {
  return cookies === undefined ? undefined : /(?:^|;\s*)session=([^;]*)/.exec(cookies)?.[1];
}
