import { isIP } from "node:net";
import { type Call, getFields } from "./call.js";
import type { Choices } from "./choices.js";
import { type Fault, invalid, notFoundRefusal, type OperationResult, type Refusal, refuse, success } from "./operation-result.js";
import { holds, SCOPES } from "./scopes.js";
import { createId, type Key } from "./state.js";
import { isTime, timeIn } from "./timestamps.js";

const MAX_LIVE_KEYS = 25;

/** POST /api/keys. Passes the new key to `keep`. */
export function createKey(call: Call, keep: (key: Key) => void): OperationResult {
  const refusal = refuseNonAdmin(call);
  if (refusal) return refusal;
  const { workspace, world, choices, nowMs } = call;
  const given = getFields(call);
  const usual = { view: ["view_repositories", "view_jobs"], none: [], "creator's": SCOPES, required: undefined };
  const scopes = given[choices.keyFields.scopes] ?? usual[choices.defaultScopes];
  const faults = faultsIn(given, nowMs, choices.zoneless);
  const max = choices.perMinute[workspace.plan];
  if (choices.ceilingAbovePlan === "refused" && Number(given.requests_per_minute) > max)
    faults.push({ field: "requests_per_minute", problem: `must be at most ${max}` });
  if (Array.isArray(scopes) && scopes.includes("submit_task_jobs") && choices.taskScope === "where enabled" && !workspace.beta)
    return refuse(403, "permission_error", choices.code("no permission"), "You have no permission to submit tasks");
  if (!areScopes(scopes)) faults.push({ field: choices.keyFields.scopes, problem: `must be some of ${SCOPES.join(", ")}` });
  if (faults.length > 0) return invalid(faults);
  const counted = (key: Key) => (choices.expiredKeysCount ? !key.revoked : isLive(key, nowMs));
  if (workspace.keys.filter(counted).length >= MAX_LIVE_KEYS) return tooMany(choices);
  const key: Key = {
    ...{ id: createId(world, "key"), name: String(given[choices.keyFields.name] ?? ""), secret: `${choices.token()}.made` },
    ...{ scopes: scopes as string[], deletes: false, revoked: false, spent: [] },
    ...(given.requests_per_minute !== undefined && { perMinute: Number(given.requests_per_minute) }),
    ...(given.dollars_per_hour !== undefined && { perHour: Number(given.dollars_per_hour) }),
    ...(typeof given.expires_at === "string" && { expiresMs: timeIn(given.expires_at) }),
    ...(Array.isArray(given.allowed_cidrs) && { networks: given.allowed_cidrs as string[] }),
  };
  workspace.keys.push(key);
  keep(key);
  return success(choices.done.key, showKey(call, key, key.secret));
}

function tooMany({ keyCapHttp, code }: Choices): Refusal {
  const type = { 400: "invalid_request_error", 403: "permission_error", 409: "conflict" } as const;
  return refuse(keyCapHttp, type[keyCapHttp], code("too many keys"), "Revoke a key first");
}

/** PATCH /api/keys/{key_id} */
export function patchKey(call: Call): OperationResult {
  const refusal = refuseNonAdmin(call);
  if (refusal) return refusal;
  const { workspace, path, choices } = call;
  const key = workspace.keys.find(({ id }) => id === path.key_id);
  if (!key) return notFoundRefusal("key");
  const given = getFields(call);
  const cents = choices.done.patch === 204; // a server without a body keeps whole cents alone, as the contract shows no number of digits
  if (cents && typeof given.dollars_per_hour === "number")
    given.dollars_per_hour = Math.round(given.dollars_per_hour * 100) / 100;
  const wrongRefusal = refuseLoosening(call, key, given);
  if (wrongRefusal) return wrongRefusal;
  if (given.requests_per_minute !== undefined) key.perMinute = Number(given.requests_per_minute);
  if (given.dollars_per_hour !== undefined) key.perHour = Number(given.dollars_per_hour);
  const scopes = given[choices.keyFields.scopes];
  if (Array.isArray(scopes)) key.scopes = scopes as string[];
  return success(choices.done.patch, choices.done.patch === 204 ? undefined : showKey(call, key));
}

/** Whether a key can still be used. */
export function isLive({ revoked, expiresMs }: Key, nowMs: number): boolean {
  return !revoked && (expiresMs === undefined || expiresMs > nowMs);
}

function refuseNonAdmin({ session, choices }: Call): Refusal | undefined {
  if (session === "admin" || session === "owner") return undefined;
  const why = "An admin must be signed in for this";
  return session === undefined && choices.keyOnKeysHttp === 401
    ? refuse(401, "authentication_error", choices.code("no session"), why)
    : refuse(403, "permission_error", choices.code("admins only"), why);
}

function showKey({ choices }: Call, key: Key, secret?: string): Record<string, unknown> {
  const { keyFields, keyValueField } = choices;
  const { name, scopes } = keyFields;
  const ceilings = {
    requests_per_minute: key.perMinute ?? null,
    dollars_per_hour: choices.decimalsAsText ? (key.perHour?.toFixed(2) ?? null) : (key.perHour ?? null),
    expires_at: key.expiresMs === undefined ? null : choices.timestamp(key.expiresMs),
    allowed_cidrs: key.networks ?? null,
  };
  const isShown = ([, value]: [string, unknown]) => choices.unsetKeyFields === "null" || value !== null;
  return {
    ...choices.adorn(0),
    key_id: key.id,
    ...(choices.keyExtras && { [name]: key.name, [scopes]: key.scopes }),
    ...Object.fromEntries(Object.entries(ceilings).filter(isShown)),
    ...(secret !== undefined && { [keyValueField]: secret }),
  };
}

/** Refuses to clear or raise a ceiling, to widen scopes, and to change fields that are fixed at creation. */
function refuseLoosening({ choices }: Call, key: Key, given: Record<string, unknown>): Refusal | undefined {
  const invalidRefusal = (why: string) => refuse(400, "invalid_request_error", "bad_request", why);
  for (const [field, now] of Object.entries({ requests_per_minute: key.perMinute, dollars_per_hour: key.perHour })) {
    if (given[field] === null) return invalidRefusal(`${field} cannot be cleared`);
    if (given[field] !== undefined && now !== undefined && Number(given[field]) > now)
      return invalidRefusal(`${field} cannot be raised`);
  }
  const { expires_at, allowed_cidrs, ...rest } = given;
  const fixed = expires_at !== undefined || allowed_cidrs !== undefined;
  if (fixed && choices.fixedFields === "refused") return invalidRefusal("This is fixed when the key is made");
  if (fixed && choices.fixedFields === "unprocessable")
    return invalid([{ field: "expires_at", problem: "is fixed when the key is made" }]);
  const scopes = given[choices.keyFields.scopes];
  const keeps = (scope: string) => key.scopes.includes(scope) || (choices.impliedScopes && holds(key.scopes, scope));
  if (scopes !== undefined && !(areScopes(scopes) && (scopes as string[]).every(keeps)))
    return invalidRefusal("Scopes only narrow");
  const faults = faultsIn(rest, 0, true);
  return faults.length > 0 ? invalid(faults) : undefined;
}

function faultsIn(given: Record<string, unknown>, nowMs: number, zoneless: boolean): Fault[] {
  const { requests_per_minute: rate, dollars_per_hour: dollars, expires_at: expires, allowed_cidrs: networks } = given;
  const faults: Fault[] = [];
  if (rate !== undefined && !(Number.isInteger(rate) && (rate as number) >= 1))
    faults.push({ field: "requests_per_minute", problem: "must be a whole number from 1" });
  const decimal = typeof dollars === "number" || (typeof dollars === "string" && /^\d+(\.\d+)?$/.test(dollars));
  if (dollars !== undefined && !(decimal && Number(dollars) > 0))
    faults.push({ field: "dollars_per_hour", problem: "must be above 0" });
  if (expires !== undefined && !(typeof expires === "string" && isTime(expires, zoneless) && timeIn(expires) > nowMs))
    faults.push({ field: "expires_at", problem: "must be a time to come" });
  if (networks !== undefined && !(Array.isArray(networks) && networks.every(isNetwork)))
    faults.push({ field: "allowed_cidrs", problem: "must be a list of networks" });
  return faults;
}

function areScopes(scopes: unknown): boolean {
  return Array.isArray(scopes) && scopes.every((scope) => SCOPES.includes(scope as string));
}

function isNetwork(text: unknown): boolean {
  const [address = "", bits, ...more] = typeof text === "string" ? text.split("/") : [];
  const family = isIP(address);
  const max = family === 4 ? 32 : 128;
  return family > 0 && more.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= max));
}
