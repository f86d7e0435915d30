import ipaddr from "ipaddr.js";
import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import type { Method, RouteName, Scope } from "../../contract/types.js";
import {
  type Caller,
  type IncomingCall,
  type KeyCaller,
  type Objection,
  type Refusal,
  refuse,
  type SessionCaller,
} from "../call.js";
import { keyByToken, rowOf, sessionByToken } from "../world/lookups.js";
import type { Key, Session, Workspace, World } from "../world/world.js";

const graceMs = contract.limits.workspaces.grace_days * 86_400_000;

/** What a web-app role may do beyond scopes. REPO-DELETE-PERMISSION: admins and the owner by default. */
const rolePermissions: Record<Session["role"], string[]> = { owner: ["delete_repo"], admin: ["delete_repo"], member: [] };

/** The scopes of each key by its list of them, which is replaced and never written into. */
const scopeSets = new WeakMap<readonly Scope[], ReadonlySet<Scope>>();

/** Tells who calls, or refuses with 401. A session cookie counts only where no Authorization header is sent. */
export function authenticate(world: World, call: IncomingCall): Caller | { refusal: Refusal } {
  if (call.authorization === undefined && call.cookie !== undefined) return signIn(world, call, call.cookie);
  return authenticateKey(world, call);
}

/**
 * Tells whose key this is, or refuses with 401. Looked at in this order: form of the header, the key, its end, the network, the workspace
 * (assumed order).
 */
export function authenticateKey(
  world: World,
  call: Pick<IncomingCall, "authorization" | "ip">,
): KeyCaller | { refusal: Refusal } {
  if (call.authorization === undefined) return refuse("missing_key");
  const token = /^bearer +([^\s]+)$/i.exec(call.authorization)?.[1];
  if (!token) return refuse("malformed_key");
  const key = keyByToken(world, token);
  if (!key) return refuse("invalid_key");
  if (key.revoked_at !== null) return refuse("revoked_key");
  if (key.expires_at !== null && key.expires_at <= world.now) return refuse("expired_key");
  if (!networkAllowed(key, call.ip)) return refuse("network_not_allowed");
  const workspace = rowOf(world.workspaces, key.workspace);
  if (workspace.state === "suspended") return refuse("workspace_suspended");
  return { workspace, key, session: null, scopes: scopesOf(key) };
}

function scopesOf({ scopes }: Key): ReadonlySet<Scope> {
  let found = scopeSets.get(scopes);
  if (!found) {
    found = new Set(scopes);
    scopeSets.set(scopes, found);
  }
  return found;
}

/** Refuses with 403 a caller who lacks what the operation asks for: scopes, a permission, or a web-app sign-in. SCOPE-REFUSED. */
export function refusePermission(caller: Caller, route: RouteName): Objection {
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
  if (permission && !permissionsOf(caller).includes(permission)) {
    return refuse("permission_denied", { message: `The permission ${permission} is needed.` });
  }
  return null;
}

/** Refuses for one missing scope, naming it. */
export function refuseScope(scope: Scope): { refusal: Refusal } {
  return refuse("insufficient_scope", { message: `This key lacks the scope ${scope}.` });
}

/** Whether the caller holds a scope; a signed-in person holds all. MCP-SCOPE-REGISTER: `manage_repos` implies `register_repo`. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  if (caller.session) return true;
  return caller.scopes.has(scope) || (scope === "register_repo" && caller.scopes.has("manage_repos"));
}

/** What the caller may do beyond scopes. */
export function permissionsOf(caller: Caller): readonly string[] {
  return caller.key ? caller.key.permissions : rolePermissions[caller.session.role];
}

/** Whether an address lies in one of the ranges; bare hosts are ranges of one. IPv4 in IPv6 clothing counts as IPv4. */
function inRanges(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some((range) => {
    const parsed = parseRange(range);
    return parsed !== null && parsed[0].kind() === address.kind() && address.match(parsed);
  });
}

/** Reads a CIDR range or a bare host; null when it is neither. */
export function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  if (range.includes("/")) return ipaddr.isValidCIDR(range) ? ipaddr.parseCIDR(range) : null;
  const isHost = ipaddr.IPv4.isValidFourPartDecimal(range) || ipaddr.IPv6.isValid(range);
  if (!isHost) return null;
  const address = ipaddr.parse(range);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

function signIn(world: World, call: IncomingCall, cookie: string): SessionCaller | { refusal: Refusal } {
  const session = sessionByToken(world, cookie);
  if (!session) return refuse("missing_key", { message: "This web-app session is not known." });
  const workspace = rowOf(world.workspaces, session.workspace);
  if (workspace.state === "suspended" && !inGrace(world, workspace, call)) return refuse("workspace_suspended");
  return { workspace, key: null, session, scopes: new Set() };
}

/** SESSION-GRACE: for 30 days a signed-in person may still read. */
function inGrace(world: World, workspace: Workspace, call: IncomingCall): boolean {
  const isRead = typeof call.target === "object" && "route" in call.target && methodOf(call.target.route) === "GET";
  return isRead && world.now < (workspace.suspended_at ?? 0) + graceMs;
}

function methodOf(route: RouteName): Method {
  return routes[route].method;
}

/** KEY-FENCE-CLOSED: a fenced key is refused when the address cannot be told. */
function networkAllowed(key: Key, ip: string | null): boolean {
  return key.allowed_cidrs === null || (ip !== null && inRanges(ip, key.allowed_cidrs));
}

function isAdmin(caller: Caller): boolean {
  return caller.session !== null && caller.session.role !== "member";
}
