import { contract } from "../../contract/load.js";
import type { Scope } from "../../contract/types.js";
import { createId, drawLetters, formatTimestamp } from "../world/ids-and-timestamps.js";
import { addKey } from "../world/lookups.js";
import { scheduleEvent } from "../world/schedule.js";
import type { ShownKey } from "../world/shown.js";
import { type Key, recordChange, type World } from "../world/world.js";

/** The input for a new key. */
export type NewKey = Pick<Key, "workspace" | "name" | "permissions"> & KeyRestrictions;

/** The fields that the creator of a key may choose. */
export type KeyRestrictions = Pick<Key, "scopes" | "requests_per_minute" | "dollars_per_hour" | "expires_at" | "allowed_cidrs">;

/** The changes that a key allows after its creation. Each only restricts it. */
export type KeyChange = Partial<{ scopes: Scope[]; requests_per_minute: number; dollars_per_hour: number }>;

const warningMs = contract.limits.keys.expiry_warning_days * 86_400_000;

/**
 * Returns whether a workspace has the most live keys allowed. Expired and revoked keys do not count. KEY-LIVE-CAP,
 * KEY-LIVE-STATUS.
 */
export function hasMaxKeys(world: World, workspace: string): boolean {
  const liveKeys = Object.values(world.keys).filter((key) => key.workspace === workspace && isKeyLive(world, key));
  return liveKeys.length >= contract.limits.keys.live_per_workspace;
}

/** Creates a key and schedules its expiry warning. The id does not contain the token, so a `key_id` gives no access. */
export function issueKey(world: World, parts: NewKey): Key {
  const key: Key = {
    ...parts,
    id: createId(world, "key"),
    token: createToken(world, drawLetters(world, 24)),
    created_at: world.now,
    revoked_at: null,
  };
  addKey(world, key);
  recordChange(world, "key", key.id, null, "live");
  planExpiryWarning(world, key);
  return key;
}

/** Restricts a key. The caller has checked the change. */
export function tightenKey(world: World, key: Key, change: KeyChange): void {
  Object.assign(key, change);
  recordChange(world, "key", key.id, "live", "live");
}

/** Revokes a key for good. */
export function revokeKey(world: World, key: Key): void {
  key.revoked_at = world.now;
  recordChange(world, "key", key.id, "live", "revoked");
}

/** Sends the expiry warning by e-mail, unless the key is revoked. KEY-EXPIRY-EMAIL. */
export function warnKeyExpiry(world: World, key: Key): void {
  if (key.revoked_at !== null) return;
  const days = contract.limits.keys.expiry_warning_days;
  world.mails.push({ at: world.now, to: `creator of ${key.id}`, subject: `API key ${key.name} expires in ${days} days` });
  recordChange(world, "mail", key.id, null, "sent");
}

/** Returns the bearer token of a name in a world. It contains the world's id, so the token alone selects the world. */
export function createToken(world: World, name: string): string {
  return world.id === "default" ? `mock_${name}` : `mock_${world.id}_${name}`;
}

/** Returns a key as the API shows it, without its token. KEY-CREATE-ONCE; `name`, `scopes` and `created_at` are our choice. */
export function showKey(key: Key): ShownKey {
  return {
    key_id: key.id,
    name: key.name,
    scopes: key.scopes,
    requests_per_minute: key.requests_per_minute,
    dollars_per_hour: key.dollars_per_hour,
    created_at: formatTimestamp(key.created_at),
    expires_at: formatTimestamp(key.expires_at),
    allowed_cidrs: key.allowed_cidrs,
  };
}

/** Schedules the expiry warning. KEY-EXPIRY-EMAIL: a key that lives 7 days or less gets none. */
export function planExpiryWarning(world: World, key: Key): void {
  if (key.expires_at === null || key.expires_at - world.now <= warningMs) return;
  scheduleEvent(world, { at: key.expires_at - warningMs, event: "warn-key-expiry", key: key.id });
}

function isKeyLive(world: World, key: Key): boolean {
  return key.revoked_at === null && (key.expires_at === null || key.expires_at > world.now);
}
