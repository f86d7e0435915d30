import type { ClauseId } from "../../src/contract/types.js";
import type { Key, World } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { day, minute } from "./helpers/durations.js";
import { makers, rememberKeyCreator, treatAsMember } from "./helpers/keys.js";
import { changeKeyRoute, createKeyRoute } from "./helpers/routes.js";
import {
  getKey,
  getRepo,
  getRoute,
  getSession,
  type Mutant,
  param,
  type WrapCall,
  withResponse,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";
import type { AroundWire } from "./wire.js";

/** Mutants that break a clause of KEY-CREATE-*, KEY-CREATOR-*, KEY-LIVE-*, KEY-MANAGE-* or PLAN-KEYS-*. */
export const keyCreationMutants: Mutant[] = [
  {
    name: "counts the 25 live keys for each creator instead of for the workspace",
    breaks: "KEY-LIVE-REFUSED",
    around: wrapRoute(createKeyRoute, (world, call, perform) => {
      const otherKeys = Object.values(world.keys).filter((key) => ![undefined, call.cookie].includes(makers.get(key)));
      const liveKeys = otherKeys.filter((key) => key.revoked_at === null);
      for (const key of liveKeys) key.revoked_at = world.now;
      const response = rememberKeyCreator(world, call, perform);
      for (const key of liveKeys) key.revoked_at = null;
      return response;
    }),
  },
  ...["GET /api/jobs", "GET /api/observations", "GET /api/repos"].flatMap((route) =>
    mutantPerValue("PLAN-KEYS-BOTH", "plan", `refuses ${route} to keys of a * workspace instead of serving it`, {
      rest: (plan) => wrapRoute(route, barPlan(plan)),
    }),
  ),
  ...mutantPerValue("PLAN-KEYS-BOTH", "plan", "refuses the tools to keys of a * workspace instead of serving them", {
    mcp: (plan) => ({
      aroundEntry(_world, authorization, enter) {
        const entered = enter(authorization);
        return "key" in entered && entered.workspace.plan === plan ? enter(undefined) : entered;
      },
    }),
  }),
  {
    name: "refuses REST to a Free key instead of serving it",
    breaks: "PLAN-KEYS-BOTH",
    aroundWire: refuseKeys("free", /^\/api\//),
  },
  {
    name: "refuses the tools to a Free key instead of serving them",
    breaks: "PLAN-KEYS-BOTH",
    aroundWire: refuseKeys("free", /^\/mcp\//),
  },
  {
    name: "refuses the tools to a Paid key instead of serving them",
    breaks: "PLAN-KEYS-BOTH",
    aroundWire: refuseKeys("full", /^\/mcp\//),
  },
  omitFromCount("frees two places when one key expires instead of one", "KEY-LIVE-CAP", (keys) => {
    const madeKeys = keys.filter(({ name }) => name.startsWith("runner"));
    const goneKeys = madeKeys.filter(({ revoked_at }) => revoked_at !== null);
    return madeKeys.filter(({ revoked_at }) => revoked_at === null).slice(0, goneKeys.length);
  }),
  omitFromCount("leaves a key that expires today out of the live keys instead of counting it", "KEY-LIVE-CAP", (keys, { now }) =>
    keys.filter(({ expires_at }) => expires_at !== null && expires_at < now + 24 * 60 * minute),
  ),
  ...mutantPerValue(
    "KEY-CREATOR-SUBSET",
    "creator permission",
    "lets a key with the scope manage_repos act on an anonymous repository as if its creator had * instead of refusing it",
    {
      rest: (permission) => (world, call, perform) => {
        const key = getKey(world, call);
        const isMeant = key?.scopes.includes("manage_repos") && getRepo(world, call)?.access_mode === "anonymous";
        return withTemporaryFields(isMeant ? key : undefined, { permissions: [permission] }, () => perform(world, call));
      },
    },
  ),
  ...mutantPerValue("KEY-LIVE-CAP", "key field", "leaves a key with * out of the live keys instead of counting it", (field) =>
    wrapRoute(createKeyRoute, (world, call, perform) => {
      const keys = Object.values(world.keys).filter((key) => key.revoked_at === null && key[field as keyof Key] !== null);
      for (const key of keys) key.revoked_at = world.now;
      const response = perform(world, call);
      for (const key of keys) key.revoked_at = null;
      return response;
    }),
  ),
  {
    name: "refuses key creation by an admin instead of accepting it",
    breaks: "KEY-CREATE-ADMIN",
    around: treatAsMember(createKeyRoute, "admin"),
  },
  {
    name: "refuses key creation by the owner instead of accepting it",
    breaks: "KEY-CREATE-OWNER",
    around: treatAsMember(createKeyRoute, "owner"),
  },
  {
    name: "lets a member create keys instead of answering 403",
    breaks: "KEY-CREATE-MEMBER",
    around: (world, call, perform) => withTemporaryFields(getSession(world, call), { role: "admin" }, () => perform(world, call)),
  },
  { name: "lets a key create keys instead of refusing it", breaks: "KEY-MANAGE-CREATE", around: admitKeyAsAdmin(createKeyRoute) },
  { name: "lets a key edit keys instead of refusing it", breaks: "KEY-MANAGE-PATCH", around: admitKeyAsAdmin(changeKeyRoute) },
  {
    name: "forgets a key without an expiry after a month instead of keeping it",
    breaks: "KEY-CREATE-VALUE",
    around: (world, call, perform) => {
      const key = getKey(world, call);
      const isMade = key?.expires_at === null && Object.values(world.keys).some(({ created_at }) => created_at < key.created_at);
      const isOld = isMade && world.now >= key.created_at + 30 * day;
      return withTemporaryFields(isOld ? key : undefined, { revoked_at: world.now }, () => perform(world, call));
    },
  },
  {
    name: "answers a new key without its expiry instead of with it",
    breaks: "KEY-CREATE-VALUE",
    around(world, call, perform) {
      const response = perform(world, call);
      const { key } = (response.body ?? {}) as { key?: string };
      return getRoute(call) === createKeyRoute && key ? withResponse(response, { key: `${key.slice(0, -4)}****` }) : response;
    },
  },
  {
    name: "shows the value of an edited key instead of only once",
    breaks: "KEY-CREATE-ONCE",
    around(world, call, perform) {
      const response = perform(world, call);
      return getRoute(call) === changeKeyRoute && response.status === 200
        ? withResponse(response, { key: world.keys[param(call, "key_id")]?.token })
        : response;
    },
  },
  {
    name: "creates a 26th live key instead of refusing it",
    breaks: "KEY-LIVE-CAP",
    around(world, call, perform) {
      const key = Object.values(world.keys).find(({ revoked_at, expires_at }) => revoked_at === null && expires_at === null);
      return withTemporaryFields(getRoute(call) === createKeyRoute ? key : undefined, { revoked_at: world.now }, () =>
        perform(world, call),
      );
    },
  },
  {
    name: "creates keys without an expiry instead of the requested one",
    breaks: "KEY-LIVE-REFUSED",
    around(world, call, perform) {
      const response = perform(world, call);
      return response.rule.code === "key_limit_reached" ? { ...response, status: 201, body: { key_id: "key_more" } } : response;
    },
  },
];

function barPlan(plan: string): WrapCall {
  return (world, call, perform) => {
    const isMeant = world.workspaces[getKey(world, call)?.workspace ?? ""]?.plan === plan;
    return perform(world, isMeant ? { ...call, authorization: undefined } : call);
  };
}

/** A server that refuses the key of a role somewhere. */
function refuseKeys(callerName: string, pathPattern: RegExp): AroundWire {
  return (relayedRequest, send) => {
    const authorization = String(relayedRequest.headers.authorization).replace(new RegExp(`_${callerName}$`), "_nobody");
    return send(
      pathPattern.test(relayedRequest.path)
        ? { ...relayedRequest, headers: { ...relayedRequest.headers, authorization } }
        : relayedRequest,
    );
  };
}

/** Leaves some keys out of the count of live ones. */
function omitFromCount(name: string, breaks: ClauseId, which: (keys: Key[], world: World) => Key[]): Mutant {
  const around: WrapCall = (world, call, perform) => {
    const keys = which(Object.values(world.keys), world).filter(({ revoked_at }) => revoked_at === null);
    for (const key of keys) key.revoked_at = world.now;
    const response = perform(world, call);
    for (const key of keys) key.revoked_at = null;
    return response;
  };
  return { name, breaks, around: wrapRoute(createKeyRoute, around) };
}

/** Treats any key as a signed-in admin on one route. */
function admitKeyAsAdmin(route: string): WrapCall {
  return (world, call, perform) => {
    const admin = Object.values(world.sessions).find(({ role }) => role === "admin");
    const isKey = getRoute(call) === route && call.authorization !== undefined;
    return perform(world, isKey ? { ...call, authorization: undefined, cookie: admin?.token } : call);
  };
}
