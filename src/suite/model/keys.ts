import { accepted, type Branch, must, notFound, refused } from "./branch.js";
import type { ModelRequest } from "./request.js";
import { type Key, type States, withKey } from "./states.js";

/** How creating a key may come out: KEY-CREATE-*, KEY-LIVE-*. */
export function createKey(states: States, request: ModelRequest): Branch[] {
  const refusal = byWhom(states, request, "KEY-MANAGE-CREATE", "KEY-CREATE-MEMBER");
  if (refusal) return [refusal];
  // Whether such a value fails by the schema or by its meaning is not said, so no list of errors is asked for.
  if (request.flaw !== undefined)
    return [{ must: refused(request.flaw, 422, { type: "validation_error", code: "invalid_payload" }), next: states }];
  const { keys: room } = states.room;
  const none: Branch = { must: refused("KEY-LIVE-REFUSED", "4xx"), next: states };
  if (room === 0 && !states.keysEnded) return [none];
  const made: Branch = {
    must: [
      accepted(request.as === "session:owner" ? "KEY-CREATE-OWNER" : "KEY-CREATE-ADMIN"),
      must("KEY-FIELD-ID", { json: { key_id: { type: "string" } } }),
    ],
    next: withNewKey({ ...states, room: { ...states.room, keys: room === null ? null : Math.max(0, room - 1) } }, request),
  };
  return room === null || room === 0 ? [made, none] : [made]; // KEY-LIVE-CAP
}

/** How long the keys that we have made live. */
export const KEY_HOURS = 2;

function withNewKey(states: States, { names = "key1", with: body = {} }: ModelRequest): States {
  const key: Key = {
    scopes: (body["{binding.key_scopes_field}"] as string[] | undefined) ?? [],
    live: true,
    expires: states.now + KEY_HOURS * 3600_000,
    ...(typeof body.requests_per_minute === "number" && { requestsPerMinute: body.requests_per_minute }),
  };
  return withKey(states, names, key);
}

/** How changing a key may come out: KEY-PATCH-*, SCOPE-NARROW. */
export function patchKey(states: States, request: ModelRequest): Branch[] {
  const refusal = byWhom(states, request, "KEY-MANAGE-PATCH", "KEY-PATCH-ADMIN");
  if (refusal) return [refusal];
  const key = request.key === undefined ? undefined : states.keys[request.key];
  if (request.key === undefined || !key) return [{ must: notFound("KEY-PATCH-UNKNOWN"), next: states }];
  if (key.live !== true) return [{ must: [must("KEY-PATCH-SET", { status: { lt: 500 } })], next: states }];
  const { requests_per_minute: rate, "{binding.key_scopes_field}": scopes } = request.with ?? {};
  if (Array.isArray(scopes)) return [narrow(states, request.key, key, scopes)];
  const had = key.requestsPerMinute;
  if (rate === null) return [{ must: refused("KEY-PATCH-CLEAR", 400), next: states }];
  if (typeof rate !== "number") return [{ must: [must("KEY-PATCH-SET", { status: { lt: 500 } })], next: states }];
  if (had !== undefined && rate > had) return [{ must: refused("KEY-PATCH-RAISE", 400), next: states }];
  const clause = had === undefined ? "KEY-PATCH-SET" : "KEY-PATCH-LOWER";
  return [{ must: [accepted(clause)], next: withKey(states, request.key, { requestsPerMinute: rate }) }];
}

/** KEY-PATCH-SCOPES, SCOPE-NARROW: a list with more in it gives nothing more, whatever is answered. */
function narrow(states: States, name: string, key: Key, scopes: readonly string[]): Branch {
  const wider = scopes.some((scope) => !key.scopes.includes(scope));
  if (wider) return { must: [must("SCOPE-NARROW", { status: { lt: 500 } })], next: states };
  return { must: [accepted("KEY-PATCH-SCOPES")], next: withKey(states, name, { scopes }) };
}

/** KEY-CREATE-ADMIN, KEY-MANAGE-*: only an admin or the owner who is signed in manages keys. */
function byWhom(states: States, { as }: ModelRequest, byKey: string, byMember: string): Branch | undefined {
  if (as === "session:member") return { must: refused(byMember, 403, { type: "permission_error" }), next: states };
  return as.startsWith("session:") ? undefined : { must: refused(byKey, [401, 403]), next: states };
}
