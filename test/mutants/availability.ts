import type { Reply } from "../../src/service/call.js";
import type { Key, Workspace, World } from "../../src/service/world/world.js";
import { each } from "./family.js";
import { type Around, type AroundEntry, keyOf, type Mutant, onRoute, pretending, routeOf, withError } from "./mutant.js";

const jobs = "GET /api/jobs";
const observations = "GET /api/observations";

const day = 86_400_000;

/** Faults in where a key is let in, and in what becomes of it while its workspace is suspended. */
export const availabilityMutants: Mutant[] = [
  {
    name: "wants the key of the observations without the word Bearer",
    breaks: "AUTH-BEARER",
    around: onRoute(observations, (world, call, perform) => {
      const { authorization: sent } = call;
      return perform(world, { ...call, authorization: sent?.startsWith("Bearer ") ? sent.slice(7) : `Bearer ${sent}` });
    }),
  },
  {
    name: "reads the word Bearer in small letters alone",
    breaks: "AUTH-BEARER",
    aroundEntry: (_world, authorization, enter) => enter(authorization?.replace(/^Bearer/, "Bear")),
  },
  {
    name: "lets a key in to the tools only until it has been used on REST",
    breaks: "AUTH-ONE-KEY",
    aroundEntry: barring(({ id }, _workspace, { rates }) => rates[id]?.plan !== undefined),
  },
  {
    name: "says to a tool client that its workspace is suspended",
    breaks: "WORKSPACE-SUSPEND-MCP",
    aroundEntry: telling((refused) => withError(refused, { message: "The workspace is suspended." })),
  },
  {
    name: "challenges a tool client with the word suspended",
    breaks: "WORKSPACE-SUSPEND-MCP",
    aroundEntry: telling((refused) => ({
      ...refused,
      headers: { ...refused.headers, "www-authenticate": 'Bearer error_description="workspace suspended"' },
    })),
  },
  {
    name: "lets keys read for thirty days after a suspension",
    breaks: "WORKSPACE-SUSPEND-GRACE",
    around: gracing((route) => route.startsWith("GET ")),
  },
  {
    name: "lets keys list jobs for thirty days after a suspension",
    breaks: "WORKSPACE-SUSPEND-GRACE",
    around: gracing((route) => route === jobs),
  },
  ...each("WORKSPACE-GRACE-WRITES", "write route", "lets who is signed in to a suspended workspace write by *", (route) =>
    onRoute(
      route,
      signedIn(() => true),
    ),
  ),
  ...each("WORKSPACE-GRACE-WRITES", "time of suspension", "lets who is signed in to a suspended workspace make keys *", (time) =>
    onRoute(
      "POST /api/keys",
      signedIn(({ suspended_at }, { now }) => now < (suspended_at ?? 0) + 30 * day === (time === "in grace")),
    ),
  ),
  {
    name: "keeps a key out for good that called while its workspace was suspended",
    breaks: "WORKSPACE-REACTIVATE",
    around: reactivated((_key, hasCalled) => (hasCalled ? { revoked_at: 0 } : {})),
  },
  {
    name: "gives keys every scope after a suspension",
    breaks: "WORKSPACE-REACTIVATE",
    around: reactivated(({ scopes }) => ({ scopes: [...scopes, "submit_audit_jobs"] })),
  },
  {
    name: "lets a key that was turned away by the tools in to them no more",
    breaks: "WORKSPACE-REACTIVATE",
    aroundEntry: turningAway(),
  },
];

function workspaceOf(world: World, key: Key | undefined): Workspace | undefined {
  return world.workspaces[key?.workspace ?? ""];
}

/** Lets the keys of a suspended workspace use some routes for thirty days. */
function gracing(isGraced: (route: string) => boolean): Around {
  return (world, call, perform) => {
    const workspace = workspaceOf(world, keyOf(world, call));
    const isGrace = isGraced(routeOf(call) ?? "") && world.now < (workspace?.suspended_at ?? 0) + 30 * day;
    return pretending(isGrace ? workspace : undefined, { state: "active" }, () => perform(world, call));
  };
}

/** Takes a suspended workspace for an active one where somebody is signed in to it. */
function signedIn(isMeant: (workspace: Workspace, world: World) => boolean): Around {
  return (world, call, perform) => {
    const session = Object.values(world.sessions).find(({ token }) => call.cookie?.includes(token));
    const workspace = world.workspaces[session?.workspace ?? ""];
    const isOpen = workspace?.state === "suspended" && isMeant(workspace, world);
    return pretending(isOpen ? workspace : undefined, { state: "active" }, () => perform(world, call));
  };
}

/** Lets some keys in to the tools no more. */
function barring(isBarred: (key: Key, workspace: Workspace, world: World) => boolean): AroundEntry {
  return (world, authorization, enter) => {
    const caller = enter(authorization);
    if ("refused" in caller || !caller.key) return caller;
    return isBarred(caller.key, caller.workspace, world) ? enter(undefined) : caller;
  };
}

/** Refuses a tool client of a suspended workspace otherwise. */
function telling(change: (refused: Reply) => Reply): AroundEntry {
  return (world, authorization, enter) => {
    const entered = enter(authorization);
    const key = Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
    const isSuspended = workspaceOf(world, key)?.state === "suspended";
    return "refused" in entered && isSuspended ? { refused: change(entered.refused) } : entered;
  };
}

/** Treats the keys of a workspace otherwise once it was seen suspended and is active again. */
function reactivated(change: (key: Key, hasCalled: boolean) => Partial<Key>): Around {
  const suspended = new WeakSet<Workspace>();
  const callers = new WeakSet<Key>();
  return (world, call, perform) => {
    const key = keyOf(world, call);
    const workspace = workspaceOf(world, key);
    if (!key || !workspace) return perform(world, call);
    if (workspace.state === "active" && suspended.has(workspace)) {
      return pretending(key, change(key, callers.has(key)), () => perform(world, call));
    }
    if (workspace.state === "suspended") {
      suspended.add(workspace);
      callers.add(key);
    }
    return perform(world, call);
  };
}

/** Remembers whom it turned away. */
function turningAway(): AroundEntry {
  const away = new Set<string>();
  return (_world, authorization = "", enter) => {
    const entered = enter(authorization);
    if ("refused" in entered) away.add(authorization);
    return away.has(authorization) ? enter("") : entered;
  };
}
