import ipaddr from "ipaddr.js";
import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import type { Method, RouteName, Scope } from "../../contract/types.js";
import {
  type Caller,
  type IncomingCall,
  type KeyCaller,
  type Refusal,
  type RefusalOrNull,
  refuse,
  type SessionCaller,
} from "../call.js";
import { findKeyByToken, findSessionByToken, readRow } from "../world/lookups.js";
import type { Key, Session, Workspace, World } from "../world/world.js";

const graceMs = contract.limits.workspaces.grace_days * 86_400_000;

/** The permissions of each web-app role. REPO-DELETE-PERMISSION: admins and the owner by default. */
const rolePermissions: Record<Session["role"], string[]> = { owner: ["delete_repo"], admin: ["delete_repo"], member: [] };

/** The scope set of each key, by its scope list. The list is replaced, never modified. */
const scopeSets = new WeakMap<readonly Scope[], ReadonlySet<Scope>>();

/** Identifies the caller or refuses with 401. A session cookie counts only without an Authorization header. */
export function authenticate(world: World, call: IncomingCall): Caller | { refusal: Refusal } {
  if (call.authorization === undefined && call.cookie !== undefined) return signIn(world, call, call.cookie);
  return authenticateKey(world, call);
}

/**
 * Identifies the key's owner or refuses with 401. Checks in this order: header format, key, expiry, network, workspace (assumed
 * order).
 */
export function authenticateKey(
  world: World,
  call: Pick<IncomingCall, "authorization" | "ip">,
): KeyCaller | { refusal: Refusal } {
  if (call.authorization === undefined) return refuse("missing_key");
  const token = /^bearer +([^\s]+)$/i.exec(call.authorization)?.[1];
  if (!token) return refuse("malformed_key");
  const key = findKeyByToken(world, token);
  if (!key) return refuse("invalid_key");
  if (key.revoked_at !== null) return refuse("revoked_key");
  if (key.expires_at !== null && key.expires_at <= world.now) return refuse("expired_key");
  if (!isNetworkAllowed(key, call.ip)) return refuse("network_not_allowed");
  const workspace = readRow(world.workspaces, key.workspace);
  if (workspace.state === "suspended") return refuse("workspace_suspended");
  return { workspace, key, session: null, scopes: readScopes(key) };
}

function readScopes({ scopes }: Key): ReadonlySet<Scope> {
  let found = scopeSets.get(scopes);
  if (!found) {
    found = new Set(scopes);
    scopeSets.set(scopes, found);
  }
  return found;
}

/** Refuses with 403 a caller without the operation's scopes, permission or web-app sign-in. SCOPE-REFUSED. */
export function refusePermission(caller: Caller, route: RouteName): RefusalOrNull {
  const operation = routes[route].operation;
  if (operation["x-session"] && !isAdmin(caller)) {
    return refuse("permission_denied", {
      message: "Keys are managed by a workspace admin or the account owner, signed in through the web app.",
    });
  }
  for (const scope of operation["x-scopes"] ?? []) {
    if (!hasScope(caller, scope)) return refuseScope(scope);
  }
  const permission = operation["x-permission"];
  if (permission && !listPermissions(caller).includes(permission)) {
    return refuse("permission_denied", { message: `The permission ${permission} is needed.` });
  }
  return null;
}

/** Refuses a caller without a scope and names the scope. */
export function refuseScope(scope: Scope): { refusal: Refusal } {
  return refuse("insufficient_scope", { message: `This key lacks the scope ${scope}.` });
}

/**
 * Returns whether the caller has a scope. A signed-in person has all. MCP-SCOPE-REGISTER: `manage_repos` implies `register_repo`.
 */
export function hasScope(caller: Caller, scope: Scope): boolean {
  if (caller.session) return true;
  return caller.scopes.has(scope) || (scope === "register_repo" && caller.scopes.has("manage_repos"));
}

/** Returns the caller's permissions beyond scopes. */
export function listPermissions(caller: Caller): readonly string[] {
  return caller.key ? caller.key.permissions : rolePermissions[caller.session.role];
}

/** Returns whether an address lies in one of the ranges. An IPv4-mapped IPv6 address counts as IPv4. */
function isInRanges(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some((range) => {
    const parsed = parseRange(range);
    return parsed !== null && parsed[0].kind() === address.kind() && address.match(parsed);
  });
}

/** Parses a CIDR range or a single host address. Returns null for anything else. */
export function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  if (range.includes("/")) return ipaddr.isValidCIDR(range) ? ipaddr.parseCIDR(range) : null;
  const isHost = ipaddr.IPv4.isValidFourPartDecimal(range) || ipaddr.IPv6.isValid(range);
  if (!isHost) return null;
  const address = ipaddr.parse(range);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function signIn(world: World, call: IncomingCall, cookie: string): SessionCaller | { refusal: Refusal } {
  const session = findSessionByToken(world, cookie);
  if (!session) return refuse("missing_key", { message: "This web-app session is not known." });
  const workspace = readRow(world.workspaces, session.workspace);
  if (workspace.state === "suspended" && !isInGrace(world, workspace, call)) return refuse("workspace_suspended");
  return { workspace, key: null, session, scopes: new Set() };
}

/** Returns whether a suspended workspace still lets this session read. SESSION-GRACE: for 30 days. */
function isInGrace(world: World, workspace: Workspace, call: IncomingCall): boolean {
  const isRead = typeof call.target === "object" && "route" in call.target && readMethod(call.target.route) === "GET";
  return isRead && world.now < (workspace.suspended_at ?? 0) + graceMs;
}

function readMethod(route: RouteName): Method {
  return routes[route].method;
}

/**
 * Returns whether a key may be used from an address. KEY-FENCE-CLOSED: a key with `allowed_cidrs` is refused when the address is
 * unknown.
 */
function isNetworkAllowed(key: Key, ip: string | null): boolean {
  return key.allowed_cidrs === null || (ip !== null && isInRanges(ip, key.allowed_cidrs));
}

function isAdmin(caller: Caller): boolean {
  return caller.session !== null && caller.session.role !== "member";
}
