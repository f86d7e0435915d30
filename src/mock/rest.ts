import type { IncomingMessage, ServerResponse } from "node:http";
import { type Resolution, resolveRoute } from "../contract/routes.js";
import type { Query } from "../contract/validate.js";
import type { IncomingCall, Reply } from "../service/call.js";
import { clientAddress } from "./address.js";
import { failReply, refuseOutside, sendReply, targetOf } from "./answer.js";
import { type ReceivedBody, readBody, takesBody } from "./body.js";
import { catchUp } from "./clock.js";
import { answerPreflight } from "./cors.js";
import { type Fault, takeFault } from "./faults.js";
import { type Preference, readPreference } from "./forced.js";
import { inflict } from "./inflict.js";
import { keepBody, record } from "./journal.js";
import type { Service } from "./service.js";
import type { Site } from "./site.js";
import { type HostedWorld, selectWorld } from "./worlds.js";

/** A call between its arrival and its answer. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  hosted: HostedWorld;
  service: Service;
  incoming: IncomingCall;
  received: ReceivedBody;
}

const noBody: ReceivedBody = { body: { kind: "none" }, bytes: 0, cut: false };
const noQuery: Query = {};

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
      sendReply(request, response, failReply(world, request, error), world.now, true);
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
  const incoming: IncomingCall = {
    surface: "rest",
    target: targetOfCall(resolveRoute(method, mark < 0 ? url : url.slice(0, mark))),
    authorization: headers.authorization,
    cookie,
    idempotencyKey: headers["idempotency-key"] as string | undefined,
    ip: clientAddress(request, site.trustClientIp),
    query: mark < 0 ? noQuery : readQuery(url.slice(mark + 1)),
    body: received.body,
  };
  return { request, response, hosted, service: site.service, incoming, received };
}

function answer(exchange: Exchange): void {
  const { hosted, request } = exchange;
  catchUp(hosted.clock);
  const fault = hosted.faults.length === 0 ? null : takeFault(hosted.faults, routeOf(exchange.incoming));
  if (fault) {
    inflict(fault, exchange, { perform: () => work(exchange), finish: (reply) => finish(exchange, reply, fault, false) });
    return;
  }
  const forced = request.headers.prefer === undefined ? null : readPreference(String(request.headers.prefer));
  if (forced) force(exchange, forced);
  else finish(exchange, work(exchange), null, false);
}

/** Answers as the client's Prefer header wishes. A wish that cannot be granted is a refusal, but no forced one. */
function force(exchange: Exchange, { refusal, applied }: Preference): void {
  const reply = refuseOutside(exchange.hosted.world, refusal);
  if (applied !== null) reply.headers["preference-applied"] = applied;
  finish(exchange, reply, null, applied !== null);
}

/** Does the work; a failure of ours is an answer too, and the server goes on. */
function work({ hosted, service, incoming, request }: Exchange): Reply {
  try {
    return service.perform(hosted.world, incoming);
  } catch (error) {
    return failReply(hosted.world, request, error);
  }
}

/** Sends the reply, unless a fault broke the connection or the client has gone, and notes the call. */
function finish(exchange: Exchange, reply: Reply, fault: Fault | null, forced: boolean): void {
  const { request, response, hosted, incoming, received } = exchange;
  const { method = "", url = "" } = request;
  const sends = !fault?.socket && !response.destroyed;
  if (sends) sendReply(request, response, reply, hosted.world.now, received.cut);
  record(hosted.journal, {
    at: hosted.world.now,
    method,
    url,
    route: routeOf(incoming),
    authorization: incoming.authorization,
    body: keepBody(received.body, received.bytes),
    status: sends ? reply.status : null,
    rule: reply.rule,
    changes: reply.changes,
    forced,
    fault: fault?.id ?? null,
  });
}

function routeOf({ target }: IncomingCall): string | null {
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
