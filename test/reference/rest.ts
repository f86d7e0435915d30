import { admit, admitSession, type Caller } from "./access.js";
import { type Call, isRecord } from "./call.js";
import type { Choices } from "./choices.js";
import { publish } from "./document.js";
import { createKey } from "./keys.js";
import { countRequest, type RateLimit, refund } from "./limits.js";
import { invalid, isRefusal, notFoundRefusal, type OperationResult, type Refusal, refuse, success } from "./operation-result.js";
import { ownPaths, ownRoutes } from "./own-routes.js";
import { getBodyFields, getParameters } from "./parameters.js";
import { findPath, type Place, type Route, routes } from "./routes.js";
import { needs, needsToRead } from "./scopes.js";
import { getNow, type Service, type World } from "./state.js";
import { KNOWN } from "./submit.js";
import { catchUp } from "./time.js";

/** One request as the socket received it. */
export interface IncomingRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  /** Parameters of the query that were sent more than once. */
  twice: string[];
  headers: Record<string, string | undefined>;
  body: Buffer | "too large";
  address: string;
  /** The host it came to. */
  host: "api" | "app";
}

const KEYS = "/api/keys";
const STAFF = "/api/openapi.json";
const TEMPLATES = [...new Set(Object.keys(routes).map((route) => route.split(" ")[1] ?? "")), KEYS];

/** Serves one REST request. Checks the caller, the operation, the rate, the form and the rights. */
export function serveRest(service: Service, incomingRequest: IncomingRequest): OperationResult {
  const { choices } = service;
  const { method, path, headers, address, host } = incomingRequest;
  const place = findPath(path, choices.ownRoutes ? [...TEMPLATES, ...ownPaths] : TEMPLATES, choices.slashInPath);
  const known = choices.ownRoutes ? { ...ownRoutes, ...routes } : routes;
  const operationResult = path === STAFF ? undefined : isUnknownRoute(choices, place, method, known);
  if (operationResult && choices.gates === "route first") return operationResult;
  if (!place && path !== STAFF && choices.pathBeforeKey) return notFoundRefusal("place");
  const bySession = host === "app" && headers.authorization === undefined;
  const isTaken = choices.sessionRoutes === "all" || path.startsWith(KEYS);
  const cookie = isTaken ? headers.cookie : undefined;
  const visitor = bySession ? admitSession(service, cookie, method) : admit(service, headers.authorization, address);
  if (isRefusal(visitor)) return visitor;
  catchUp(visitor.world);
  const out = outage(choices, visitor.world);
  if (out) return out;
  if (path === STAFF) return staffOnly(visitor, choices);
  if (operationResult || !place) return operationResult ?? notFoundRefusal("place");
  const name = `${method} ${place.template}`;
  const route = name === `POST ${KEYS}` ? { run: (call: Call) => makeKey(service, call), scopes: [] } : known[name];
  return route ? run(getCall(visitor, choices, incomingRequest, place, name), route, incomingRequest) : notFoundRefusal("place");
}

/** Refuses one request in `outageEvery` with an outage of a dependency. */
function outage({ outageEvery, outageRetry }: Choices, world: World): Refusal | undefined {
  world.requests += 1;
  if (outageEvery === undefined || world.requests % outageEvery > 0) return undefined;
  const headers = outageRetry ? { "retry-after": "1" } : {};
  return refuse(503, "server_error", "dependency_out", "Something else does not answer", { headers });
}

/** Refuses an unknown path, or a method that a path lacks. */
function isUnknownRoute(
  choices: Choices,
  place: Place | undefined,
  method: string,
  known: Record<string, Route>,
): OperationResult | undefined {
  if (!place) return notFoundRefusal("place");
  const names = [...Object.keys(known), `POST ${KEYS}`];
  return names.includes(`${method} ${place.template}`) ? undefined : unexpectedResult(choices, place.template, names);
}

function run(call: Call, route: Route, incomingRequest: IncomingRequest): OperationResult {
  const { choices } = call;
  const bounds = getBounds(call, route);
  const read = readBody(call, incomingRequest);
  const givenCall = isRefusal(read) ? call : { ...call, body: read.value };
  const faults = route.faults?.(givenCall) ?? [];
  const rate = () => countRequest(call, bounds, call.nowMs);
  const scope = () => (incomingRequest.method === "GET" ? needsToRead(call, route.scopes) : needs(call, route.scopes));
  const schema = () => (isRefusal(read) ? read : faults.length > 0 ? invalid(faults) : undefined);
  const gates = {
    "rate first": [rate, scope],
    "scope first": [scope, rate],
    "schema first": [rate, schema, scope],
    "route first": [rate, scope],
  }[choices.gates];
  const refusal = gates.reduce<Refusal | undefined>((refusal, gate) => refusal ?? gate(), undefined);
  const result = refusal ?? (isRefusal(read) ? read : (unknownCredentials(givenCall, incomingRequest) ?? route.run(givenCall)));
  if (isRefusal(result) && result.http !== 429 && !choices.failedCount && gates[0] === rate) refund(call, bounds);
  return result;
}

/** The budgets of plan and key, and the bucket of the path; a person has no key to count by. */
function getBounds(call: Call, { bucket }: Pick<Route, "bucket">): RateLimit[] {
  const { choices, key, workspace, route, path, session } = call;
  const maxSessionRequests = choices.sessionPerMinute;
  if (!key) return maxSessionRequests === undefined ? [] : [{ name: `${session} all`, perMinute: maxSessionRequests }];
  return [
    { name: `${key.id} all`, perMinute: choices.perMinute[workspace.plan] },
    ...getCeiling(call),
    ...getBucket(call, { bucket, route, path }),
  ];
}

/** The bucket of a route's path, for all repositories or for each. */
export function getBucket(
  { choices, key }: Call,
  { bucket, route, path }: Pick<Call, "route" | "path"> & { bucket: Route["bucket"] | undefined },
): RateLimit[] {
  if (!bucket) return [];
  const concrete = choices.meterPer === "path" && bucket[0] !== "start" ? JSON.stringify([route.includes("{owner}"), path]) : "";
  return [{ name: `${key?.id} ${bucket[0]} ${concrete}`, perMinute: bucket[1] }];
}

/** The ceiling of the key, on both surfaces. */
export function getCeiling({ key }: Call): RateLimit[] {
  return key?.perMinute === undefined ? [] : [{ name: `${key.id} ceiling`, perMinute: key.perMinute }];
}

function getCall(visitor: Caller, choices: Choices, { query, headers }: IncomingRequest, { values }: Place, route: string): Call {
  return { ...visitor, choices, route, path: values, query, headers, body: undefined, nowMs: getNow(visitor.world) };
}

function makeKey(service: Service, call: Call): OperationResult {
  const { world, workspace } = call;
  return createKey(call, (key) => service.keys.set(key.secret, { world, workspace, key }));
}

/** Refuses repeated and unknown parameters, and a body on a route without one. */
function unknownCredentials({ choices, query, route, body: given }: Call, { twice, body }: IncomingRequest): Refusal | undefined {
  const listed = getParameters(route);
  const fields = getBodyFields(choices, route);
  const wrong = [
    ...(choices.repeated === "refused" ? twice.filter((name) => listed.includes(name)) : []),
    ...(choices.strictQuery ? Object.keys(query).filter((name) => !listed.includes(name)) : []),
    ...(choices.unknownValues === "refused" ? unknownValues(query) : []),
    ...(choices.bodyExtra === "unprocessable" && fields
      ? Object.keys(isRecord(given) ? given : {}).filter((name) => !fields.includes(name))
      : []),
  ];
  if (wrong.length > 0)
    return invalid(wrong.map((field) => ({ field, problem: "is not to be sent, not with this value, or once only" })));
  if (choices.bodyExtra === "untaken refused" && fields?.length === 0 && body.length > 0)
    return refuse(400, "invalid_request_error", "bad_request", "There is nothing to be sent here");
  return undefined;
}

/** Parameters with values that no passage lists. */
function unknownValues({ force, workflow }: Call["query"]): string[] {
  const isForce = force === undefined || force === "true" || force === "false";
  const isWorkflow = workflow === undefined || workflow === "mini_audit" || KNOWN.includes(workflow);
  return [...(isForce ? [] : ["force"]), ...(isWorkflow ? [] : ["workflow"])];
}

function readBody({ choices }: Call, { body, headers }: IncomingRequest): { value: unknown } | Refusal {
  if (body === "too large") return refuse(413, "invalid_request_error", "payload_too_large", "The body is too large");
  if (body.length === 0) return { value: undefined };
  const other = choices.otherContentHttp;
  const type = headers["content-type"] ?? (choices.missingTypeIsJson ? "json" : "");
  if (other && !type.includes("json"))
    return refuse(other, "invalid_request_error", choices.code("not json content"), "Send JSON");
  try {
    return { value: JSON.parse(body.toString()) };
  } catch {
    return refuse(choices.malformedHttp, "invalid_request_error", "bad_request", "The body is no JSON");
  }
}

/** A method that a path does not have. */
function unexpectedResult(choices: Choices, template: string, names: readonly string[]): OperationResult {
  if (choices.strangeMethodHttp === 404) return notFoundRefusal("place");
  const allow = names.flatMap((route) => (route.endsWith(` ${template}`) ? [route.split(" ")[0]] : []));
  const headers = choices.allow ? { allow: allow.join(", ") } : {};
  return refuse(405, "invalid_request_error", choices.code("other method"), "Not in this way", { headers });
}

function staffOnly({ workspace }: Caller, choices: Choices): OperationResult {
  if (workspace.staff) return success(200, publish(choices));
  const features = { required_features: choices.featureNames === "text" ? "internal_docs" : ["internal_docs"] };
  return refuse(402, "billing_error", "plan_restricted", "This is for the staff", { extra: features });
}
