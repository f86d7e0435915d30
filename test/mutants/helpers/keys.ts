import { contract } from "../../../src/contract/load.js";
import type { ClauseId, Scope } from "../../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../../src/service/call.js";
import type { Key, Session, Workspace, World } from "../../../src/service/world/world.js";
import { onTool } from "../family.js";
import {
  type Around,
  type AroundTool,
  bodyOf,
  type Fault,
  keyOf,
  type Mutant,
  onRoute,
  param,
  pretending,
  routeOf,
  type Shown,
  sessionOf,
  withBody,
  withScopes,
} from "../mutant.js";
import { changeKeyRoute, createKeyRoute } from "./routes.js";

/** Who made a key, by the cookie. */
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

type SignedIn = (...around: [...Parameters<Around>, session: Session]) => ReturnType<Around>;

const everyScope = contract.enums.Scope;

export const ceilingNames = ["requests_per_minute", "dollars_per_hour"] as const;

/** Keeps in mind who makes a key. */
export function noting(world: World, call: IncomingCall, perform: Parameters<Around>[2]): Reply {
  const before = new Set(Object.keys(world.keys));
  const reply = perform(world, call);
  for (const key of Object.values(world.keys)) if (!before.has(key.id) && call.cookie) makers.set(key, call.cookie);
  return reply;
}

/** The scopes that a key had when it was first changed. */
export function firstScopesOf(world: World, key: Key): Key["scopes"] {
  const known = firstScopes.get(world) ?? new Map<string, Key["scopes"]>();
  firstScopes.set(world, known);
  if (!known.has(key.id)) known.set(key.id, key.scopes);
  return known.get(key.id) as Key["scopes"];
}

/** Does more to a key than the change that it takes. */
export function afterKeyChange(
  name: string,
  breaks: ClauseId,
  more: (key: Key, sent: Body, world: World, first: Key["scopes"]) => void,
): Mutant {
  return {
    name,
    breaks,
    around: onRoute(changeKeyRoute, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      const first = key ? firstScopesOf(world, key) : [];
      const reply = perform(world, call);
      if (key && reply.status === 200) more(key, bodyOf(call), world, first);
      return reply;
    }),
  };
}

/** Does to a key what nobody may, where the account owner asks for it. */
export function asOwner(name: string, breaks: ClauseId, overrule: (key: Key, sent: Body) => boolean): Mutant {
  return {
    name,
    breaks,
    around: onRoute(changeKeyRoute, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      const isOwner = Object.values(world.sessions).some(({ token, role }) => token === call.cookie && role === "owner");
      const isDone = key !== undefined && isOwner && overrule(key, bodyOf(call));
      return perform(world, isDone ? withBody(call, { ...sameTerms, scopes: key.scopes }) : call);
    }),
  };
}

/** A server that makes other keys than it is asked for. */
export function creatingKeyFromJson(name: string, breaks: ClauseId, asked: (body: Body) => Body): Mutant {
  const around: Around = (world, call, perform) => {
    const { kind } = call.body;
    return perform(world, kind === "json" ? { ...call, body: { kind, value: asked(bodyOf(call)) } } : call);
  };
  return { name, breaks, around: onRoute(createKeyRoute, around) };
}

/** A server that leaves a key otherwise than a PATCH should. */
export function updatingKeyAfterPatch(
  name: string,
  breaks: ClauseId,
  change: (key: Key, sent: Body, before: Key) => void,
): Mutant {
  const around: Around = (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    const before = { ...key } as Key;
    const reply = perform(world, call);
    if (key) change(key, bodyOf(call), before);
    return reply;
  };
  return { name, breaks, around: onRoute(changeKeyRoute, around) };
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

/** Does something to a key that is to be changed, and has it changed otherwise than was sent. */
export function changingPatch(name: string, breaks: ClauseId, instead: (key: Key, sent: Body) => Body): Mutant {
  const around: Around = (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key || call.body.kind !== "json" || call.cookie === undefined) return perform(world, call);
    return perform(world, { ...call, body: { kind: "json", value: instead(key, bodyOf(call)) } });
  };
  return { name, breaks, around: onRoute(changeKeyRoute, around) };
}

export function sessionWithRole(world: World, call: IncomingCall, role: string): Session | undefined {
  return Object.values(world.sessions).find((session) => session.token === call.cookie && session.role === role);
}

/** Reads a PATCH otherwise, or changes its key before. */
export function withPatchBody(read: (body: Shown, key: Key) => Shown): Around {
  return onRoute(changeKeyRoute, (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key || call.body.kind !== "json") return perform(world, call);
    return perform(world, { ...call, body: { kind: "json", value: read(bodyOf(call), key) } });
  });
}

/** Takes a signed-in person of one role for a member. */
export function demoting(route: string, role: string): Around {
  return onRoute(route, (world, call, perform) =>
    pretending(sessionWithRole(world, call, role), { role: "member" }, () => perform(world, call)),
  );
}

/** Changes a key behind the back of a PATCH that has been answered with a status. */
export function changingKeyAnswer(status: number, change: (key: Key, body: Record<string, unknown>) => void): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    const key = world.keys[param(call, "key_id")];
    if (routeOf(call) === changeKeyRoute && reply.status === status && key) change(key, bodyOf(call));
    return reply;
  };
}

/** A fault of one route for who is signed in. */
export function signedIn(name: string, breaks: ClauseId, route: string, around: SignedIn): Mutant {
  return {
    name,
    breaks,
    around: onRoute(route, (world, call, perform) => {
      const session = call.authorization === undefined ? sessionOf(world, call) : undefined;
      return session ? around(world, call, perform, session) : perform(world, call);
    }),
  };
}

/** Opens one operation to every key. */
export function openTo() {
  return {
    rest: (route: string): Around => granting((asked) => asked === route, everyScope),
    mcp: (tool: string): Fault => onTool(tool, widened),
  };
}

function widened(...[world, call, performTool]: Parameters<AroundTool>): ReturnType<AroundTool> {
  return performTool(world, withScopes(call, everyScope));
}

/** Gives keys more scopes, and the permissions that go with them, where they ask for some routes. */
export function granting(isMeant: (route: string | null) => boolean, scopes: readonly Scope[]): Around {
  return (world, call, perform) => {
    const key = isMeant(routeOf(call)) ? keyOf(world, call) : undefined;
    const permissions = scopes === everyScope ? ["delete_repo"] : (key?.permissions ?? []);
    return pretending(key, { scopes: [...new Set([...(key?.scopes ?? []), ...scopes])], permissions }, () =>
      perform(world, call),
    );
  };
}
