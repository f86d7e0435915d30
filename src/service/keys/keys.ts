import { contract } from "../../contract/load.js";
import type { Scope } from "../../contract/types.js";
import { schedule } from "../world/agenda.js";
import { addKey } from "../world/lookups.js";
import { freshId, letters } from "../world/random.js";
import { timestamp } from "../world/stamps.js";
import { type Key, note, type World } from "../world/world.js";

/** What a new key is made of. */
export type KeyParts = Pick<Key, "workspace" | "name" | "permissions"> & KeyTerms;

/** What the creator of a key may choose. */
export type KeyTerms = Pick<Key, "scopes" | "requests_per_minute" | "dollars_per_hour" | "expires_at" | "allowed_cidrs">;

/** What may be tightened on a key afterwards. */
export type KeyChange = Partial<{ scopes: Scope[]; requests_per_minute: number; dollars_per_hour: number }>;

const warningMs = contract.limits.keys.expiry_warning_days * 86_400_000;

/** Whether a workspace holds as many live keys as it may: expired and revoked ones do not count. KEY-LIVE-CAP, KEY-LIVE-STATUS. */
export function keysAreFull(world: World, workspace: string): boolean {
  const live = Object.values(world.keys).filter((key) => key.workspace === workspace && isKeyLive(world, key));
  return live.length >= contract.limits.keys.live_per_workspace;
}

/** Makes a key and plans the warning before it expires. The token is no part of the id: who sees a `key_id` cannot call with it. */
export function issueKey(world: World, parts: KeyParts): Key {
  const key: Key = {
    ...parts,
    id: freshId(world, "key"),
    token: tokenFor(world, letters(world, 24)),
    created_at: world.now,
    revoked_at: null,
  };
  addKey(world, key);
  note(world, "key", key.id, null, "live");
  planExpiryWarning(world, key);
  return key;
}

/** Tightens a key. What may be changed, the caller has asked already. */
export function tightenKey(world: World, key: Key, change: KeyChange): void {
  Object.assign(key, change);
  note(world, "key", key.id, "live", "live");
}

/** Ends a key for good. */
export function revokeKey(world: World, key: Key): void {
  key.revoked_at = world.now;
  note(world, "key", key.id, "live", "revoked");
}

/** Sends the e-mail that a key is about to expire, unless it was revoked meanwhile. KEY-EXPIRY-EMAIL. */
export function warnKeyExpiry(world: World, key: Key): void {
  if (key.revoked_at !== null) return;
  const days = contract.limits.keys.expiry_warning_days;
  world.mails.push({ at: world.now, to: `creator of ${key.id}`, subject: `API key ${key.name} expires in ${days} days` });
  note(world, "mail", key.id, null, "sent");
}

/** The bearer token that goes by a name in a world. The world's id is part of it, so the token alone says which world it opens. */
export function tokenFor(world: World, name: string): string {
  return world.id === "default" ? `mock_${name}` : `mock_${world.id}_${name}`;
}

/** A key as the API shows it, without its token. KEY-CREATE-ONCE; `name`, `scopes` and `created_at` are ours. */
export function keyView(key: Key): Record<string, unknown> {
  return {
    key_id: key.id,
    name: key.name,
    scopes: key.scopes,
    requests_per_minute: key.requests_per_minute,
    dollars_per_hour: key.dollars_per_hour,
    created_at: timestamp(key.created_at),
    expires_at: timestamp(key.expires_at),
    allowed_cidrs: key.allowed_cidrs,
  };
}

/** Plans the warning before a key expires. KEY-EXPIRY-EMAIL: a key of 7 days or less gets none. */
export function planExpiryWarning(world: World, key: Key): void {
  if (key.expires_at === null || key.expires_at - world.now <= warningMs) return;
  schedule(world, { at: key.expires_at - warningMs, event: "warn-key-expiry", key: key.id });
}

function isKeyLive(world: World, key: Key): boolean {
  return key.revoked_at === null && (key.expires_at === null || key.expires_at > world.now);
}
