import { contract } from "../../../src/contract/load.js";
import type { ClauseId, Scope } from "../../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../../src/service/call.js";
import type { Key, Session, Workspace, World } from "../../../src/service/world/world.js";
import { wrapTool } from "../family.js";
import {
  type AroundTool,
  type Fault,
  getBody,
  getKey,
  getRoute,
  getSession,
  type Mutant,
  param,
  type Shown,
  type WrapCall,
  withBody,
  withScopes,
  withTemporaryFields,
  wrapRoute,
} from "../mutant.js";
import { changeKeyRoute, createKeyRoute } from "./routes.js";

/** The session that created each key. */
export const makers = new WeakMap<Key, string>();

const firstScopes = new WeakMap<World, Map<string, Key["scopes"]>>();

type Body = Record<string, unknown>;

const sameTerms = {
  requests_per_minute: undefined,
  dollars_per_hour: undefined,
  expires_at: undefined,
  allowed_cidrs: undefined,
};

/** The requests a minute that a key had before it was changed. */
export const ceilingsBefore = new WeakMap<Key, number | null>();

type SignedIn = (...around: [...Parameters<WrapCall>, session: Session]) => ReturnType<WrapCall>;

const everyScope = contract.enums.Scope;

export const ceilingNames = ["requests_per_minute", "dollars_per_hour"] as const;

/** Remembers the creator of a key. */
export function rememberKeyCreator(world: World, call: IncomingCall, perform: Parameters<WrapCall>[2]): ServiceResponse {
  const before = new Set(Object.keys(world.keys));
  const response = perform(world, call);
  for (const key of Object.values(world.keys)) if (!before.has(key.id) && call.cookie) makers.set(key, call.cookie);
  return response;
}

/** The scopes that a key had when it was first changed. */
export function getFirstScopes(world: World, key: Key): Key["scopes"] {
  const known = firstScopes.get(world) ?? new Map<string, Key["scopes"]>();
  firstScopes.set(world, known);
  if (!known.has(key.id)) known.set(key.id, key.scopes);
  return known.get(key.id) as Key["scopes"];
}

/** A PATCH of a key with its response; `before` is the key before it, `first` are the scopes before the first PATCH. */
interface Patch {
  sent: Body;
  status: number;
  before: Key;
  first: Key["scopes"];
  world: World;
}

/** Changes a key after the response to its PATCH. */
export function afterPatch(change: (key: Key, patch: Patch) => void): WrapCall {
  return wrapRoute(changeKeyRoute, (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key) return perform(world, call);
    const [before, first] = [{ ...key }, getFirstScopes(world, key)];
    const response = perform(world, call);
    change(key, { sent: getBody(call), status: response.status, before, first, world });
    return response;
  });
}

/** Changes a key after a successful PATCH. */
export function changeKeyAfterSuccessfulPatch(name: string, breaks: ClauseId, change: (key: Key, patch: Patch) => void): Mutant {
  return { name, breaks, around: afterPatch((key, patch) => (patch.status === 200 ? change(key, patch) : undefined)) };
}

/** Changes a key against the rules when the account owner requests it. */
export function changeKeyAgainstRules(
  name: string,
  breaks: ClauseId,
  overridesRule: (key: Key, sentBody: Body) => boolean,
): Mutant {
  return {
    name,
    breaks,
    around: wrapRoute(changeKeyRoute, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      const isOwner = Object.values(world.sessions).some(({ token, role }) => token === call.cookie && role === "owner");
      const isDone = key !== undefined && isOwner && overridesRule(key, getBody(call));
      return perform(world, isDone ? withBody(call, { ...sameTerms, scopes: key.scopes }) : call);
    }),
  };
}

/** Creates a key from another body than the one in the request. */
export function createKeyFromOtherBody(read: (body: Body, world: World) => Body): WrapCall {
  return wrapRoute(createKeyRoute, (world, call, perform) =>
    perform(world, call.body.kind === "json" ? { ...call, body: { kind: "json", value: read(getBody(call), world) } } : call),
  );
}

/** Changes a key after every response to its PATCH. */
export function changeKeyAfterPatch(name: string, breaks: ClauseId, change: (key: Key, patch: Patch) => void): Mutant {
  return { name, breaks, around: afterPatch(change) };
}

/** Does something to the keys of a workspace that was seen suspended and is active again. */
export function afterReactivation(
  name: string,
  breaks: ClauseId,
  change: (key: Key, since: number, now: number, world: World) => void,
): Mutant {
  const suspended = new WeakMap<Workspace, number>();
  return {
    name,
    breaks,
    around(world, call, perform) {
      noteCeiling(world, call);
      for (const workspace of Object.values(world.workspaces)) {
        const since = suspended.get(workspace);
        if (workspace.state === "suspended") {
          suspended.set(workspace, workspace.suspended_at ?? 0);
        } else if (since !== undefined) {
          suspended.delete(workspace);
          for (const key of Object.values(world.keys)) if (key.workspace === workspace.id) change(key, since, world.now, world);
        }
      }
      return perform(world, call);
    },
  };
}

function noteCeiling(world: World, call: IncomingCall): void {
  const key = world.keys[param(call, "key_id")];
  if (key && !ceilingsBefore.has(key)) ceilingsBefore.set(key, key.requests_per_minute);
}

/** Changes a key, or the body of its PATCH, before the PATCH. */
export function changePatchBody(name: string, breaks: ClauseId, instead: (key: Key, sentBody: Body) => Body): Mutant {
  return { name, breaks, around: withPatchBody((sent, key) => instead(key, sent)) };
}

export function sessionWithRole(world: World, call: IncomingCall, role: string): Session | undefined {
  return Object.values(world.sessions).find((session) => session.token === call.cookie && session.role === role);
}

/** Changes the body of a PATCH, or its key before it. */
export function withPatchBody(read: (body: Shown, key: Key) => Shown): WrapCall {
  return wrapRoute(changeKeyRoute, (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key || call.body.kind !== "json" || call.cookie === undefined) return perform(world, call);
    return perform(world, { ...call, body: { kind: "json", value: read(getBody(call), key) } });
  });
}

/** Treats a signed-in person of one role as a member. */
export function treatAsMember(route: string, role: string): WrapCall {
  return wrapRoute(route, (world, call, perform) =>
    withTemporaryFields(sessionWithRole(world, call, role), { role: "member" }, () => perform(world, call)),
  );
}

/** A fault of one route for signed-in callers. */
export function wrapSignedInCalls(name: string, breaks: ClauseId, route: string, around: SignedIn): Mutant {
  return {
    name,
    breaks,
    around: wrapRoute(route, (world, call, perform) => {
      const session = call.authorization === undefined ? getSession(world, call) : undefined;
      return session ? around(world, call, perform, session) : perform(world, call);
    }),
  };
}

/** Opens one operation to every key. */
export function openToEveryKey() {
  return {
    rest: (route: string): WrapCall => addScopes((asked) => asked === route, everyScope),
    mcp: (tool: string): Fault => wrapTool(tool, widenScopes),
  };
}

function widenScopes(...[world, call, performTool]: Parameters<AroundTool>): ReturnType<AroundTool> {
  return performTool(world, withScopes(call, everyScope));
}

/** Adds scopes to keys, and the permissions that belong to them, on some routes. */
export function addScopes(isMeant: (route: string | null) => boolean, scopes: readonly Scope[]): WrapCall {
  return (world, call, perform) => {
    const key = isMeant(getRoute(call)) ? getKey(world, call) : undefined;
    const permissions = scopes === everyScope ? ["delete_repo"] : (key?.permissions ?? []);
    return withTemporaryFields(key, { scopes: [...new Set([...(key?.scopes ?? []), ...scopes])], permissions }, () =>
      perform(world, call),
    );
  };
}
