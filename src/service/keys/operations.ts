import { readIso8601 } from "../../contract/iso-8601.js";
import type { Scope } from "../../contract/types.js";
import { listPermissions, parseRange } from "../access/access.js";
import { type Call, type Outcome, type Refusal, refuse, succeed } from "../call.js";
import { findRow } from "../world/lookups.js";
import type { Key, World } from "../world/world.js";
import { hasMaxKeys, issueKey, type KeyChange, type KeyRestrictions, showKey, tightenKey } from "./keys.js";

/** The body of key creation. */
interface NewKeyBody {
  name?: string;
  scopes?: Scope[];
  requests_per_minute?: number;
  dollars_per_hour?: number;
  expires_at?: string;
  allowed_cidrs?: string[];
}

/** The body of a key change. Null asks to clear a ceiling; `expires_at` and `allowed_cidrs` cannot change. */
interface KeyPatchBody {
  scopes?: Scope[];
  requests_per_minute?: number | null;
  dollars_per_hour?: number | null;
  expires_at?: unknown;
  allowed_cidrs?: unknown;
}

const ceilings = ["requests_per_minute", "dollars_per_hour"] as const;
const fixed = ["expires_at", "allowed_cidrs"] as const;

/** The scopes of a key created without `scopes`. Our choice. */
const defaultScopes: readonly Scope[] = ["view_repositories", "view_jobs"];

/**
 * Creates a key and returns its token, which no later answer contains. KEY-CREATE-VALUE, KEY-CREATE-ONCE. Only admins and the
 * owner reach this operation. They may grant every scope, and the key inherits their permissions. KEY-CREATOR-SUBSET.
 */
export function createKey(world: World, call: Call): Outcome {
  const restrictions = readRestrictions(world, (call.body ?? {}) as NewKeyBody);
  if ("refusal" in restrictions) return restrictions;
  const workspace = call.caller.workspace.id;
  if (hasMaxKeys(world, workspace)) return refuse("key_limit_reached");
  const { name = "" } = (call.body ?? {}) as NewKeyBody;
  const key = issueKey(world, { workspace, name, permissions: [...listPermissions(call.caller)], ...restrictions });
  return succeed(201, { ...showKey(key), key: key.token });
}

/** Sets or lowers ceilings and narrows scopes. Applies all changes or none. KEY-PATCH-SET, KEY-PATCH-LOWER, KEY-PATCH-SCOPES. */
export function patchKey(world: World, call: Call): Outcome {
  const key = findKey(world, call);
  if (!key) return refuse("not_found", { message: "There is no such key." });
  const patch = call.body as KeyPatchBody;
  const problem = explainLooserLimit(key, patch);
  if (problem) return refuse("bad_request", { message: problem });
  const { scopes, requests_per_minute, dollars_per_hour } = patch;
  const change = { scopes, requests_per_minute, dollars_per_hour };
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length > 0) tightenKey(world, key, Object.fromEntries(given) as KeyChange);
  return succeed(200, showKey(key));
}

/** Checks what the schema cannot express: a future expiry and valid networks. KEY-FIELD-EXPIRES-PAST, KEY-FIELD-CIDRS-INVALID. */
function readRestrictions(world: World, body: NewKeyBody): KeyRestrictions | { refusal: Refusal } {
  const expires = body.expires_at === undefined ? null : readIso8601(body.expires_at);
  if (expires !== null && expires <= world.now)
    return refuse("invalid_payload", { message: "expires_at must lie in the future." });
  const invalid = body.allowed_cidrs?.find((range) => !parseRange(range));
  if (invalid !== undefined)
    return refuse("invalid_payload", { message: `allowed_cidrs: '${invalid}' is neither a CIDR range nor an address.` });
  return {
    scopes: [...new Set(body.scopes ?? defaultScopes)],
    requests_per_minute: body.requests_per_minute ?? null,
    dollars_per_hour: body.dollars_per_hour ?? null,
    expires_at: expires,
    allowed_cidrs: body.allowed_cidrs ?? null,
  };
}

/** Returns why a change does not restrict the key, or null when it does. */
function explainLooserLimit(key: Key, patch: KeyPatchBody): string | null {
  // KEY-PATCH-IMMUTABLE
  const immutable = fixed.find((field) => patch[field] !== undefined);
  if (immutable) return `${immutable} cannot change after the key is created.`;
  for (const field of ceilings) {
    const [now, next] = [key[field], patch[field]];
    if (next === null) return `${field} cannot be cleared.`; // KEY-PATCH-CLEAR
    if (next !== undefined && now !== null && next > now) return `${field} can only be lowered.`; // KEY-PATCH-RAISE; KEY-PATCH-SAME
  }
  const wider = patch.scopes?.find((scope) => !key.scopes.includes(scope));
  return wider ? `The scopes of a key can only be narrowed. This key does not have ${wider}.` : null; // SCOPE-NARROW
}

/** Returns the key that the path names. A key of another workspace is not visible. */
function findKey(world: World, call: Call): Key | undefined {
  const key = findRow(world.keys, call.params.key_id);
  return key?.workspace === call.caller.workspace.id ? key : undefined;
}
