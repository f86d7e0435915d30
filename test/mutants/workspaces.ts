import type { ServiceResponse } from "../../src/service/call.js";
import type { Key, Workspace, World } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { day } from "./helpers/durations.js";
import { afterSuspension, getHistory } from "./helpers/jobs.js";
import { afterReactivation, ceilingsBefore } from "./helpers/keys.js";
import { jobsRoute } from "./helpers/routes.js";
import {
  getKey,
  getRoute,
  type Mutant,
  type WrapCall,
  type WrapEntry,
  withError,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

/** Mutants that break a clause of WORKSPACE-GRACE-*, WORKSPACE-REACTIVATE-* or WORKSPACE-SUSPEND-*. */
export const workspacesMutants: Mutant[] = [
  {
    name: "answers a suspended workspace as an invalid key instead of workspace_suspended",
    breaks: "WORKSPACE-SUSPEND-MESSAGE",
    around(world, call, perform) {
      const response = perform(world, call);
      return response.rule.code === "workspace_suspended"
        ? withError(response, { code: "invalid_key", message: "This key is not valid." })
        : response;
    },
  },
  {
    name: "answers a tool client that its workspace is suspended instead of a plain challenge",
    breaks: "WORKSPACE-SUSPEND-MCP",
    aroundEntry: changeToolRefusal((serviceResponse) => withError(serviceResponse, { message: "The workspace is suspended." })),
  },
  {
    name: "challenges a tool client with the word suspended instead of a plain challenge",
    breaks: "WORKSPACE-SUSPEND-MCP",
    aroundEntry: changeToolRefusal((serviceResponse) => ({
      ...serviceResponse,
      headers: { ...serviceResponse.headers, "www-authenticate": 'Bearer error_description="workspace suspended"' },
    })),
  },
  {
    name: "lets keys read for thirty days after a suspension instead of refusing them",
    breaks: "WORKSPACE-SUSPEND-GRACE",
    around: extendGrace((route) => route.startsWith("GET ")),
  },
  {
    name: "lets keys list jobs for thirty days after a suspension instead of refusing them",
    breaks: "WORKSPACE-SUSPEND-GRACE",
    around: extendGrace((route) => route === jobsRoute),
  },
  ...mutantPerValue(
    "WORKSPACE-GRACE-WRITES",
    "write route",
    "lets a signed-in person of a suspended workspace write by * instead of refusing it",
    (route) =>
      wrapRoute(
        route,
        admitSession(() => true),
      ),
  ),
  ...mutantPerValue(
    "WORKSPACE-GRACE-WRITES",
    "time of suspension",
    "lets a signed-in person of a suspended workspace create keys * instead of refusing it",
    (time) =>
      wrapRoute(
        "POST /api/keys",
        admitSession(({ suspended_at }, { now }) => now < (suspended_at ?? 0) + 30 * day === (time === "in grace")),
      ),
  ),
  {
    name: "refuses for ever a key that called during a suspension instead of until reactivation",
    breaks: "WORKSPACE-REACTIVATE",
    around: withKeysAfterReactivation((_key, hasCalled) => (hasCalled ? { revoked_at: 0 } : {})),
  },
  {
    name: "gives keys every scope after a suspension instead of their own",
    breaks: "WORKSPACE-REACTIVATE",
    around: withKeysAfterReactivation(({ scopes }) => ({ scopes: [...scopes, "submit_audit_jobs"] })),
  },
  {
    name: "refuses the tools for ever to a key refused during a suspension instead of until reactivation",
    breaks: "WORKSPACE-REACTIVATE",
    aroundEntry: recordRefused(),
  },
  ...mutantPerValue("WORKSPACE-REACTIVATE", "what a key had", "removes the * of keys at a reactivation instead of keeping it", {
    rest: (what) => withKeyAfterReactivation(what === "scopes" ? { scopes: ["view_jobs"] } : { requests_per_minute: null }),
    mcp: () => ({ aroundEntry: withoutRole() }),
  }),
  ...(["requests_per_minute", "dollars_per_hour", "expires_at", "allowed_cidrs"] as const).flatMap((term): Mutant[] => [
    {
      name: `accepts a key with ${term} in a suspended workspace instead of refusing it`,
      breaks: "WORKSPACE-SUSPEND-401",
      around(world, call, perform) {
        const key = getKey(world, call);
        const others = ["requests_per_minute", "dollars_per_hour", "allowed_cidrs"] as const;
        const isMeant = key && key[term] !== null && others.every((other) => other === term || key[other] === null);
        return withTemporaryFields(isMeant ? world.workspaces[key.workspace] : undefined, { state: "active" }, () =>
          perform(world, call),
        );
      },
    },
    {
      name: `accepts a revoked key with ${term} instead of refusing it`,
      breaks: "KEY-STATE-REVOKED",
      around(world, call, perform) {
        const key = getKey(world, call);
        return withTemporaryFields(key?.[term] ? key : undefined, { revoked_at: null }, () => perform(world, call));
      },
    },
  ]),
  afterReactivation(
    "reactivates every workspace with one instead of that one alone",
    "WORKSPACE-SUSPEND-401",
    ({ workspace }, _since, _now, world) => {
      for (const otherWorkspace of Object.values(world.workspaces))
        if (otherWorkspace.id !== workspace) otherWorkspace.state = "active";
    },
  ),
  afterReactivation(
    "restores at a reactivation ceilings lowered before a suspension instead of keeping them",
    "WORKSPACE-REACTIVATE",
    (key) => {
      if (ceilingsBefore.has(key)) key.requests_per_minute = ceilingsBefore.get(key)!;
    },
  ),
  {
    name: "hides from requests with a body that the workspace is suspended instead of answering it",
    breaks: "WORKSPACE-SUSPEND-MESSAGE",
    around(world, call, perform) {
      const response = perform(world, call);
      const isMeant = response.rule.code === "workspace_suspended" && call.body.kind === "json";
      return isMeant ? withError(response, { message: "This key is not valid." }) : response;
    },
  },
  {
    name: "restores at a reactivation the values that a PATCH removed instead of keeping them removed",
    breaks: "WORKSPACE-REACTIVATE",
    around: restoreScopes(),
  },
  {
    name: "suspends a workspace only the first time instead of every time",
    breaks: "WORKSPACE-SUSPEND-401",
    around: (world, call, perform) => {
      const { workspace, suspendedBefore } = getHistory(world, getKey(world, call));
      return suspendedBefore
        ? withTemporaryFields(workspace, { state: "active" }, () => perform(world, call))
        : perform(world, call);
    },
  },
  {
    name: "removes the dollar ceilings of keys after a suspension instead of keeping them",
    breaks: "WORKSPACE-REACTIVATE",
    around: afterSuspension(() => ({ dollars_per_hour: null })),
  },
];

function getWorkspace(world: World, key: Key | undefined): Workspace | undefined {
  return world.workspaces[key?.workspace ?? ""];
}

/** Lets the keys of a suspended workspace use some routes for thirty days. */
function extendGrace(isGraced: (route: string) => boolean): WrapCall {
  return (world, call, perform) => {
    const workspace = getWorkspace(world, getKey(world, call));
    const isGrace = isGraced(getRoute(call) ?? "") && world.now < (workspace?.suspended_at ?? 0) + 30 * day;
    return withTemporaryFields(isGrace ? workspace : undefined, { state: "active" }, () => perform(world, call));
  };
}

/** Treats a suspended workspace as active for signed-in callers. */
function admitSession(isMeant: (workspace: Workspace, world: World) => boolean): WrapCall {
  return (world, call, perform) => {
    const session = Object.values(world.sessions).find(({ token }) => call.cookie?.includes(token));
    const workspace = world.workspaces[session?.workspace ?? ""];
    const isOpen = workspace?.state === "suspended" && isMeant(workspace, world);
    return withTemporaryFields(isOpen ? workspace : undefined, { state: "active" }, () => perform(world, call));
  };
}

/** Changes the refusal of a tool client of a suspended workspace. */
function changeToolRefusal(change: (serviceResponse: ServiceResponse) => ServiceResponse): WrapEntry {
  return (world, authorization, enter) => {
    const entered = enter(authorization);
    const key = Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
    const isSuspended = getWorkspace(world, key)?.state === "suspended";
    return "refused" in entered && isSuspended ? { refused: change(entered.refused) } : entered;
  };
}

/** Changes the keys of a workspace after it was suspended and is active again. */
function withKeysAfterReactivation(change: (key: Key, hasCalled: boolean) => Partial<Key>): WrapCall {
  const suspended = new WeakSet<Workspace>();
  const callers = new WeakSet<Key>();
  return (world, call, perform) => {
    const key = getKey(world, call);
    const workspace = getWorkspace(world, key);
    if (!key || !workspace) return perform(world, call);
    if (workspace.state === "active" && suspended.has(workspace)) {
      return withTemporaryFields(key, change(key, callers.has(key)), () => perform(world, call));
    }
    if (workspace.state === "suspended") {
      suspended.add(workspace);
      callers.add(key);
    }
    return perform(world, call);
  };
}

/** Remembers the refused callers. */
function recordRefused(): WrapEntry {
  const away = new Set<string>();
  return (_world, authorization = "", enter) => {
    const entered = enter(authorization);
    if ("refused" in entered) away.add(authorization);
    return away.has(authorization) ? enter("") : entered;
  };
}

/** Treats the keys of a workspace otherwise once it was seen suspended and is active again. */
function withKeyAfterReactivation(change: Partial<Key>): WrapCall {
  const suspended = new WeakSet<object>();
  return (world, call, perform) => {
    const key = getKey(world, call);
    const workspace = world.workspaces[key?.workspace ?? ""];
    if (workspace?.state === "suspended") suspended.add(workspace);
    const isBack = workspace?.state === "active" && suspended.has(workspace);
    return withTemporaryFields(isBack ? key : undefined, change, () => perform(world, call));
  };
}

/** Admits keys to the tools without their scopes after their workspace was suspended. */
function withoutRole(): WrapEntry {
  const suspended = new WeakSet<object>();
  return (world, authorization, enter) => {
    for (const workspace of Object.values(world.workspaces)) if (workspace.state === "suspended") suspended.add(workspace);
    const entered = enter(authorization);
    return "key" in entered && suspended.has(entered.workspace) ? { ...entered, scopes: new Set() } : entered;
  };
}

/** Restores the first scopes of a key after its workspace was suspended. */
function restoreScopes(): WrapCall {
  const first = new WeakMap<Key, Key["scopes"]>();
  const suspended = new WeakSet<Workspace>();
  return (world, call, perform) => {
    for (const key of Object.values(world.keys)) if (!first.has(key)) first.set(key, key.scopes);
    const key = getKey(world, call);
    const workspace = world.workspaces[key?.workspace ?? ""];
    if (workspace?.state === "suspended") suspended.add(workspace);
    const isBack = key && workspace?.state === "active" && suspended.has(workspace);
    const scopes = key && first.get(key);
    return withTemporaryFields(isBack ? key : undefined, scopes ? { scopes } : {}, () => perform(world, call));
  };
}
