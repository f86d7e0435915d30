import { admit, admitSession, type Visitor } from "./access.js";
import type { Call } from "./call.js";
import type { Choices } from "./choices.js";
import { publish } from "./document.js";
import { createKey } from "./keys.js";
import { type Bound, takeTurn } from "./limits.js";
import { absent, done, isRefusal, type Refusal, type Reply, refuse } from "./reply.js";
import { findPath, type Route, routes } from "./routes.js";
import { needs } from "./scopes.js";
import { nowOf, type Service } from "./state.js";
import { settle } from "./time.js";

/** One request as it came over the socket. */
export interface Arrived {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | undefined>;
  body: Buffer | "too large";
  address: string;
  /** The host it came to. */
  host: "api" | "app";
}

const KEYS = "/api/keys";
const STAFF = "/api/openapi.json";
const TEMPLATES = [...new Set(Object.keys(routes).map((route) => route.split(" ")[1] ?? "")), KEYS];

/** Serves one request of REST: who asks, what, how often, in which form, and with which rights. */
export function serveRest(service: Service, arrived: Arrived): Reply {
  const { method, path, headers, address, host } = arrived;
  const bySession = host === "app" && headers.authorization === undefined;
  const visitor = bySession ? admitSession(service, headers.cookie, method) : admit(service, headers.authorization, address);
  if (isRefusal(visitor)) return visitor;
  settle(visitor.world);
  if (path === STAFF) return staffOnly(visitor, service.choices);
  const found = findPath(path, TEMPLATES);
  if (!found) return absent("place");
  const name = `${method} ${found.template}`;
  const route = name === `POST ${KEYS}` ? { run: (call: Call) => makeKey(service, call), scopes: [] } : routes[name];
  const call = callOf(visitor, service.choices, arrived, found.template, found.values, name);
  return route ? run(call, route, arrived) : strange(service.choices, found.template);
}

function run(call: Call, route: Route, arrived: Arrived): Reply {
  const { choices } = call;
  const rate = () => (call.key ? takeTurn(call, boundsOf(call, route), call.nowMs) : undefined);
  const scope = () => needs(call, route.scopes);
  const gates = choices.scopeBeforeRate ? [scope, rate] : [rate, scope];
  const refused = gates.reduce<Refusal | undefined>((found, gate) => found ?? gate(), undefined);
  if (refused) return refused;
  const read = readBody(choices, arrived);
  return isRefusal(read) ? read : route.run({ ...call, body: read.value });
}

/** The budget of the key, the tighter of plan and key, and the bucket of the path. */
export function boundsOf({ choices, key, workspace, route, path }: Call, { bucket }: Pick<Route, "bucket">): Bound[] {
  const budget = Math.min(choices.perMinute[workspace.plan], key?.perMinute ?? Number.POSITIVE_INFINITY);
  const concrete =
    choices.meterPer === "path" && bucket?.[0] !== "start" ? JSON.stringify([route.includes("{owner}"), path]) : "";
  return [
    { name: `${key?.id} all`, perMinute: budget },
    ...(bucket ? [{ name: `${key?.id} ${bucket[0]} ${concrete}`, perMinute: bucket[1] }] : []),
  ];
}

function callOf(
  visitor: Visitor,
  choices: Choices,
  { query, headers }: Arrived,
  template: string,
  path: Record<string, string>,
  route: string,
): Call {
  return { ...visitor, choices, route: route || template, path, query, headers, body: undefined, nowMs: nowOf(visitor.world) };
}

function makeKey(service: Service, call: Call): Reply {
  const { world, workspace } = call;
  return createKey(call, (key) => service.keys.set(key.secret, { world, workspace, key }));
}

function readBody(choices: Choices, { body, headers }: Arrived): { value: unknown } | Refusal {
  if (body === "too large") return refuse(413, "invalid_request_error", "payload_too_large", "The body is too large");
  if (body.length === 0) return { value: undefined };
  const other = choices.otherContentHttp;
  if (other && !(headers["content-type"] ?? "").includes("json"))
    return refuse(other, "invalid_request_error", choices.code("not json content"), "Send JSON");
  try {
    return { value: JSON.parse(body.toString()) };
  } catch {
    return refuse(400, "invalid_request_error", "bad_request", "The body is no JSON");
  }
}

/** A method that a path does not have. */
function strange(choices: Choices, template: string): Reply {
  const allow = Object.keys(routes).flatMap((route) => (route.endsWith(` ${template}`) ? [route.split(" ")[0]] : []));
  const headers = { allow: allow.join(", ") };
  return refuse(405, "invalid_request_error", choices.code("other method"), "Not in this way", { headers });
}

function staffOnly({ workspace }: Visitor, choices: Choices): Reply {
  if (workspace.staff) return done(200, publish(choices));
  const features = { required_features: choices.faultsIn === "body" ? "internal_docs" : ["internal_docs"] };
  return refuse(402, "billing_error", "plan_restricted", "This is for the staff", { extra: features });
}
