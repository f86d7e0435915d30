import { type Branch, createAcceptance, createRefusalRules, createRequirement, expectNotFound } from "./branch.js";
import { openOutcome } from "./callers.js";
import type { ModelRequest } from "./request.js";
import { changeKey, type Key, type States } from "./states.js";

/** Returns the outcomes of creating a key: KEY-CREATE-*, KEY-LIVE-*. */
export function createKey(states: States, request: ModelRequest): Branch[] {
  const refusal = findManagerRefusal(states, request, "KEY-MANAGE-CREATE", "KEY-CREATE-MEMBER");
  if (refusal) return [refusal];
  const { keys: room } = states.room;
  const capRefusal: Branch = { requirements: createRefusalRules("KEY-LIVE-REFUSED", "4xx"), next: states };
  // Whether the value fails by the schema or later is open, so no list of errors is required. In a full workspace either refusal may come first.
  if (request.flaw !== undefined) {
    const rules =
      request.flaw === "KEY-FIELD-EXPIRES-PAST"
        ? createRefusalRules(request.flaw, "4xx")
        : createRefusalRules(request.flaw, 422, { type: "validation_error", code: "invalid_payload" });
    return [{ requirements: rules, next: states }, ...(room ? [] : [{ ...capRefusal, unrelated: true as const }])];
  }
  if (room === 0 && !states.keysEnded) return [capRefusal];
  const branch: Branch = {
    requirements: [
      createAcceptance(request.as === "session:owner" ? "KEY-CREATE-OWNER" : "KEY-CREATE-ADMIN"),
      createRequirement("KEY-FIELD-ID", { json: { key_id: { type: "string" } } }),
    ],
    next: addKey({ ...states, room: { ...states.room, keys: room === null ? null : Math.max(0, room - 1) } }, request),
  };
  return room === null || room === 0 ? [branch, capRefusal] : [branch]; // KEY-LIVE-CAP
}

/** Lifetime of created keys, in hours. */
export const KEY_HOURS = 2;

function addKey(states: States, { names = "key1", with: body = {} }: ModelRequest): States {
  const key: Key = {
    scopes: (body["{binding.key_scopes_field}"] as string[] | undefined) ?? [],
    live: true,
    expires: states.now + KEY_HOURS * 3600_000,
    ...(typeof body.requests_per_minute === "number" && { requestsPerMinute: body.requests_per_minute }),
  };
  return changeKey(states, names, key);
}

/** Returns the outcomes of changing a key: KEY-PATCH-*, SCOPE-NARROW. */
export function patchKey(states: States, request: ModelRequest): Branch[] {
  const refusal = findManagerRefusal(states, request, "KEY-MANAGE-PATCH", "KEY-PATCH-ADMIN");
  const key = request.key === undefined ? undefined : states.keys[request.key];
  const absent: Branch[] = key ? [] : [{ requirements: expectNotFound("KEY-PATCH-UNKNOWN"), next: states }];
  if (refusal) return [refusal, ...absent]; // the order of the two refusals is open
  if (request.key === undefined || !key) return absent;
  const openBranches = [openOutcome(states, "KEY-PATCH-SET")];
  if (key.live !== true) return openBranches;
  const { requests_per_minute: rate, "{binding.key_scopes_field}": scopes } = request.with ?? {};
  if (Array.isArray(scopes))
    return scopes.length === key.scopes.length ? openBranches : [narrow(states, request.key, key, scopes)];
  const had = key.requestsPerMinute;
  if (rate === null) return [{ requirements: createRefusalRules("KEY-PATCH-CLEAR", 400), next: states }];
  if (typeof rate !== "number" || rate === had) return openBranches; // KEY-PATCH-SAME: the current value is open
  if (had !== undefined && rate > had) return [{ requirements: createRefusalRules("KEY-PATCH-RAISE", 400), next: states }];
  const clause = had === undefined ? "KEY-PATCH-SET" : "KEY-PATCH-LOWER";
  return [{ requirements: [createAcceptance(clause)], next: changeKey(states, request.key, { requestsPerMinute: rate }) }];
}

/** KEY-PATCH-SCOPES, SCOPE-NARROW: a list with more scopes adds none, with any response. */
function narrow(states: States, name: string, key: Key, scopes: readonly string[]): Branch {
  const wider = scopes.some((scope) => !key.scopes.includes(scope));
  if (wider) return { requirements: [createRequirement("SCOPE-NARROW", { status: { lt: 500 } })], next: states };
  return { requirements: [createAcceptance("KEY-PATCH-SCOPES")], next: changeKey(states, name, { scopes }) };
}

/** KEY-CREATE-ADMIN, KEY-MANAGE-*: only a session of an admin or the owner manages keys. */
function findManagerRefusal(states: States, { as }: ModelRequest, byKey: string, byMember: string): Branch | undefined {
  if (as === "session:member")
    return { requirements: createRefusalRules(byMember, 403, { type: "permission_error" }), next: states };
  return as.startsWith("session:") ? undefined : { requirements: createRefusalRules(byKey, [401, 403]), next: states };
}
