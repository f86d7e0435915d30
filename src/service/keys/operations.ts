import { readIso8601 } from "../../contract/iso-8601.js";
import type { Scope } from "../../contract/types.js";
import { parseRange, permissionsOf } from "../access/access.js";
import { type Call, type Outcome, ok, type Refusal, refuse } from "../call.js";
import { findRow } from "../world/lookups.js";
import type { Key, World } from "../world/world.js";
import { issueKey, type KeyChange, type KeyTerms, keysAreFull, keyView, tightenKey } from "./keys.js";

/** A key as its creator wants it. */
interface NewKeyBody {
  name?: string;
  scopes?: Scope[];
  requests_per_minute?: number;
  dollars_per_hour?: number;
  expires_at?: string;
  allowed_cidrs?: string[];
}

/** A change of a key as sent: null asks to clear, the last two are fixed. */
interface KeyPatchBody {
  scopes?: Scope[];
  requests_per_minute?: number | null;
  dollars_per_hour?: number | null;
  expires_at?: unknown;
  allowed_cidrs?: unknown;
}

const ceilings = ["requests_per_minute", "dollars_per_hour"] as const;
const fixed = ["expires_at", "allowed_cidrs"] as const;

/** What a key may do whose creator named no scopes: look. Our choice. */
const defaultScopes: readonly Scope[] = ["view_repositories", "view_jobs"];

/**
 * Makes a key; its value is in this answer and in no other. KEY-CREATE-VALUE, KEY-CREATE-ONCE. Only an admin or the owner gets here,
 * who may grant every scope; the key takes their permissions along. KEY-CREATOR-SUBSET.
 */
export function createKey(world: World, call: Call): Outcome {
  const terms = readTerms(world, (call.body ?? {}) as NewKeyBody);
  if ("refusal" in terms) return terms;
  const workspace = call.caller.workspace.id;
  if (keysAreFull(world, workspace)) return refuse("key_limit_reached");
  const { name = "" } = (call.body ?? {}) as NewKeyBody;
  const key = issueKey(world, { workspace, name, permissions: [...permissionsOf(call.caller)], ...terms });
  return ok(201, { ...keyView(key), key: key.token });
}

/** Sets or lowers ceilings and narrows scopes; all of it or nothing. KEY-PATCH-SET, KEY-PATCH-LOWER, KEY-PATCH-SCOPES. */
export function patchKey(world: World, call: Call): Outcome {
  const key = findKey(world, call);
  if (!key) return refuse("not_found", { message: "There is no such key." });
  const patch = call.body as KeyPatchBody;
  const problem = loosening(key, patch);
  if (problem) return refuse("bad_request", { message: problem });
  const { scopes, requests_per_minute, dollars_per_hour } = patch;
  const change = { scopes, requests_per_minute, dollars_per_hour };
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length > 0) tightenKey(world, key, Object.fromEntries(given) as KeyChange);
  return ok(200, keyView(key));
}

/** What the schema cannot say about a new key: a time to come, and networks. KEY-FIELD-EXPIRES-PAST, KEY-FIELD-CIDRS-INVALID. */
function readTerms(world: World, body: NewKeyBody): KeyTerms | { refusal: Refusal } {
  const expires = body.expires_at === undefined ? null : readIso8601(body.expires_at);
  if (expires !== null && expires <= world.now)
    return refuse("invalid_payload", { message: "expires_at must lie in the future." });
  const odd = body.allowed_cidrs?.find((range) => !parseRange(range));
  if (odd !== undefined)
    return refuse("invalid_payload", { message: `allowed_cidrs: '${odd}' is neither a CIDR range nor an address.` });
  return {
    scopes: [...new Set(body.scopes ?? defaultScopes)],
    requests_per_minute: body.requests_per_minute ?? null,
    dollars_per_hour: body.dollars_per_hour ?? null,
    expires_at: expires,
    allowed_cidrs: body.allowed_cidrs ?? null,
  };
}

/** In what way a change is not a tightening; null when it is one. */
function loosening(key: Key, patch: KeyPatchBody): string | null {
  // KEY-PATCH-IMMUTABLE
  const frozen = fixed.find((field) => patch[field] !== undefined);
  if (frozen) return `${frozen} is fixed when the key is created.`;
  for (const field of ceilings) {
    const [now, next] = [key[field], patch[field]];
    if (next === null) return `${field} cannot be cleared.`; // KEY-PATCH-CLEAR
    if (next !== undefined && now !== null && next > now) return `${field} can only be lowered.`; // KEY-PATCH-RAISE; KEY-PATCH-SAME
  }
  const wider = patch.scopes?.find((scope) => !key.scopes.includes(scope));
  return wider ? `Scopes only narrow: this key does not have ${wider}.` : null; // SCOPE-NARROW
}

/** A key of another workspace is not visible, so not found. */
function findKey(world: World, call: Call): Key | undefined {
  const key = findRow(world.keys, call.params.key_id);
  return key?.workspace === call.caller.workspace.id ? key : undefined;
}
