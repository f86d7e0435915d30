import { openApiFor } from "../../contract/publish.js";
import { type Resolution, resolveRoute } from "../../contract/routes.js";
import type { RouteName } from "../../contract/types.js";
import type { Query } from "../../contract/validate.js";
import type { IncomingCall, ServiceResponse } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import { runWhenOwned } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import { type ReceivedBody, readBody } from "../http/body.js";
import { respondToPreflight } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { readAddresses } from "../http/public-addresses.js";
import { readClientAddress, readTarget, sendResponse } from "../http/response.js";
import { recordOutside } from "../journal/outside.js";
import { readVaried } from "../variations/reading.js";
import type { Subject } from "../variations/variation.js";
import { beginVariedCall, performVaried } from "../variations/variations.js";
import { readSessionCookie } from "../worlds/credential.js";
import { selectWorld } from "../worlds/worlds.js";
import { buildFailureResponse, recordCutOff } from "./outside-requests.js";
import { type Call, handleCall, type Operation } from "./pipeline.js";

const emptyBody: ReceivedBody = { body: { kind: "none" }, bytes: 0, cut: false };
/** The methods whose bodies the API reads. */
const bodyMethods: ReadonlySet<string | undefined> = new Set(["POST", "PATCH", "PUT"]);
const emptyQuery: Query = {};

/** Answers one call to the REST API. Cookies count only on the app host. A signed-in person acts in the same worlds there. */
export function serveRest(context: MockContext, host: "api" | "app", request: IncomingMessage, response: ServerResponse): void {
  if (request.method === "OPTIONS" && respondToPreflight(request, response)) return;
  const go = (receivedBody: ReceivedBody) => {
    const serverResponse = () => respondToRest(context, host, request, response, receivedBody);
    if (!context.cluster) serverResponse();
    else runWhenOwned(context, context.cluster, request, response, readSession(host, request), serverResponse);
  };
  if (bodyMethods.has(request.method))
    readBody(request, go, (by) => recordCutOff(context.worlds, request, readSession(host, request), by));
  else go(emptyBody);
}

/** Answers one call to the REST API whose body has been read. */
export function respondToRest(
  context: MockContext,
  host: "api" | "app",
  request: IncomingMessage,
  response: ServerResponse,
  receivedBody: ReceivedBody,
): void {
  try {
    const incoming = readIncoming(context, host, request, receivedBody);
    const { authorization, cookie, ip } = incoming;
    const worldEntry = selectWorld(context.worlds, authorization, cookie);
    const varied = worldEntry.variations && beginVariedCall(worldEntry.variations, worldEntry.world);
    const call: Call = { context, worldEntry, surface: "rest", host, request, response, received: receivedBody, ip, varied };
    handleCall(call, () => findOperation(call, varied ? readVaried(varied, incoming) : incoming));
  } catch (error) {
    const defaultWorld = context.worlds.default;
    const serviceResponse = buildFailureResponse(defaultWorld.world, request, error);
    if (response.headersSent) return;
    const text = sendResponse(request, response, serviceResponse, defaultWorld.world.now, { close: true });
    recordOutside(defaultWorld, request, { ...serviceResponse, text });
  }
}

function readIncoming(context: MockContext, host: "api" | "app", request: IncomingMessage, { body }: ReceivedBody): IncomingCall {
  const { headers, method = "" } = request;
  const url = readTarget(request);
  const mark = url.indexOf("?");
  return {
    surface: "rest",
    // RFC 9110, 9.3.2: HEAD is the GET without its body, which Node omits
    target: findTarget(resolveRoute(method === "HEAD" ? "GET" : method, mark < 0 ? url : url.slice(0, mark))),
    authorization: headers.authorization,
    cookie: readSession(host, request),
    idempotencyKey: headers["idempotency-key"] as string | undefined,
    ip: readClientAddress(request, context.trustClientIp),
    query: mark < 0 ? emptyQuery : readQuery(url.slice(mark + 1)),
    body,
  };
}

/** Returns the session of a request. Cookies count on the app host only. */
function readSession(host: "api" | "app", { headers }: IncomingMessage): string | undefined {
  return host === "app" ? readSessionCookie(headers.cookie) : undefined;
}

function findOperation(call: Call, incoming: IncomingCall): Operation {
  const { target } = incoming;
  const route = typeof target === "object" && "route" in target ? target.route : null;
  return {
    name: route,
    isOverridable: true,
    isCounted: true,
    bucketRoute: route,
    perform: () => perform(call, incoming, route),
    respond: (response) => response,
  };
}

/** Performs the operation. A failure of the mock becomes a 500, and the mock continues. */
function perform(call: Call, incoming: IncomingCall, route: RouteName | null): ServiceResponse {
  const { worldEntry, request, varied } = call;
  try {
    if (!varied) return operate(call, incoming, route);
    return performVaried(varied, describeSubject(worldEntry.world, incoming, route), () => operate(call, incoming, route));
  } catch (error) {
    return buildFailureResponse(worldEntry.world, request, error);
  }
}

function operate({ context, worldEntry, request }: Call, incoming: IncomingCall, route: RouteName | null): ServiceResponse {
  const response = context.service.perform(worldEntry.world, incoming);
  const isDocument = route === "GET /api/openapi.json" && response.status === 200;
  return isDocument ? { ...response, body: openApiFor(readAddresses(context, request)) } : response;
}

function describeSubject(world: World, incoming: IncomingCall, route: RouteName | null): Subject {
  const { target, surface, query, body, authorization, ip } = incoming;
  return {
    world,
    surface,
    route,
    params: typeof target === "object" && "params" in target ? target.params : {},
    query: Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values.at(-1)])),
    body: body.kind === "json" ? body.value : undefined,
    authorization,
    ip,
  };
}

function findTarget(resolution: Resolution): IncomingCall["target"] {
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

/** Returns all values of each parameter. The object has no prototype, so a parameter can have any name. */
function readQuery(text: string): Query {
  const query: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    if (query[name]) query[name].push(value);
    else query[name] = [value];
  }
  return query;
}
