import type { ClauseId, ErrorCode } from "../../src/contract/types.js";
import type { Key, World } from "../../src/service/world/world.js";
import { bearerOf, each } from "./family.js";
import { type Around, type AroundEntry, type Fault, keyOf, type Mutant, onRoute, pretending } from "./mutant.js";
import type { AroundWire, Asked } from "./wire.js";

const refusals: [clause: ClauseId, who: string, code: ErrorCode][] = [
  ["AUTH-MISSING", "anybody without a key", "missing_key"],
  ["KEY-EXPIRY-401", "an expired key", "expired_key"],
  ["KEY-STATE-REVOKED", "a revoked key", "revoked_key"],
  ["KEY-FENCE-OUTSIDE", "a key of another network", "network_not_allowed"],
  ["WORKSPACE-SUSPEND-401", "a key of a suspended workspace", "workspace_suspended"],
];

const malformed: Record<string, RegExp> = {
  "no token": /^bearer\s*$/i,
  "unknown token": /^bearer +\S+$/i,
  "token with spaces": /^bearer +\S+ +\S/i,
  "other scheme": /^(?!bearer )\S+ +\S+$/i,
  "no scheme": /^(?!bearer$)\S+$/i,
};

/** Faults in which requests are refused for their key: one request at a time lets in whom all others refuse. */
export const entryMutants: Mutant[] = [
  ...refusals.flatMap(([clause, who, code]) =>
    each(clause, "request", `lets ${who} in for *`, {
      rest: (route) => onRoute(route, lettingIn(code)),
      mcp: (method) => lettingInFor(method, code),
    }),
  ),
  ...each("AUTH-MALFORMED", "malformed key", "takes an Authorization of * for a key", {
    rest: (form) => (world, call, perform) => {
      const reply = perform(world, call);
      const isMeant = reply.rule.gate === "authenticate" && isOfForm(form, call.authorization);
      return isMeant ? perform(world, { ...call, authorization: bearerOf(world) }) : reply;
    },
    mcp: (form) => ({
      aroundEntry(world, authorization, enter) {
        const entered = enter(authorization);
        return "refused" in entered && isOfForm(form, authorization) ? enter(bearerOf(world)) : entered;
      },
    }),
  }),
  {
    name: "finds a key wherever it stands in an Authorization",
    breaks: "AUTH-MALFORMED",
    around(world, call, perform) {
      const found = /bearer +([^\s]+)/i.exec(call.authorization ?? "")?.[1];
      return perform(world, found ? { ...call, authorization: `Bearer ${found}` } : call);
    },
  },
  ...each("KEY-FENCE-CLOSED", "claimed address", "believes the address that * claims", {
    rest: (header) => ({ aroundWire: believing(header, "/api/") }),
    mcp: (header) => ({ aroundWire: believing(header, "/mcp/") }),
  }),
  ...["GET /api/jobs", "GET /api/observations", "GET /api/repos"].flatMap((route) =>
    each("PLAN-KEYS-BOTH", "plan", `keeps ${route} from keys of a * workspace`, {
      rest: (plan) => onRoute(route, barringPlan(plan)),
    }),
  ),
  ...each("PLAN-KEYS-BOTH", "plan", "lets no key of a * workspace in to the tools", {
    mcp: (plan) => ({
      aroundEntry(_world, authorization, enter) {
        const entered = enter(authorization);
        return "key" in entered && entered.workspace.plan === plan ? enter(undefined) : entered;
      },
    }),
  }),
  ...each("WORKSPACE-REACTIVATE", "what a key had", "takes the * from keys when their workspace is active again", {
    rest: (what) => reactivated(what === "scopes" ? { scopes: ["view_jobs"] } : { requests_per_minute: null }),
    mcp: () => ({ aroundEntry: emptyHanded() }),
  }),
];

/** Answers as if nothing stood against a key that is refused for this. */
function lettingIn(code: ErrorCode): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    if (reply.rule.code !== code) return reply;
    const key = keyOf(world, call);
    if (!key) return perform(world, { ...call, authorization: bearerOf(world) });
    const live: Partial<Key> = { expires_at: null, revoked_at: null, allowed_cidrs: null };
    return pretending(world.workspaces[key.workspace], { state: "active" }, () =>
      pretending(key, live, () => perform(world, call)),
    );
  };
}

/** The tool server is not told what is asked for, only who asks; the wire knows what is asked for, and learns here why it was refused. */
function lettingInFor(method: string, code: ErrorCode): Fault {
  const refused = new Map<string | undefined, { code: ErrorCode | null; bearer: string }>();
  const aroundEntry: AroundEntry = (world, authorization, enter) => {
    const entered = enter(authorization);
    if ("refused" in entered)
      refused.set(authorization, { code: whyRefused(world, authorization, entered.refused.rule.code), bearer: bearerOf(world) });
    return entered;
  };
  const aroundWire: AroundWire = async (asked, send) => {
    const answer = await send(asked);
    const why = refused.get(asked.headers.authorization as string | undefined);
    const isMeant = answer.status === 401 && methodOf(asked) === method && why?.code === code;
    return isMeant ? send({ ...asked, headers: { ...asked.headers, authorization: why.bearer } }) : answer;
  };
  return { aroundEntry, aroundWire };
}

/** The tool server does not say that a workspace is suspended. */
function whyRefused(world: World, authorization: string | undefined, said: ErrorCode | null): ErrorCode | null {
  const key = Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
  const isSuspended = world.workspaces[key?.workspace ?? ""]?.state === "suspended";
  return said === "invalid_key" && isSuspended ? "workspace_suspended" : said;
}

function methodOf({ path, text }: Asked): string | undefined {
  if (path !== "/mcp/") return undefined;
  return /"method"\s*:\s*"([^"]+)"/.exec(text)?.[1];
}

function isOfForm(form: string, authorization: string | undefined): boolean {
  return authorization !== undefined && malformed[form]?.test(authorization) === true;
}

function believing(header: string, place: string): AroundWire {
  return async (asked, send) => {
    const answer = await send(asked);
    const isMeant = answer.status === 401 && asked.path.startsWith(place) && asked.headers[header] !== undefined;
    const authorization = String(asked.headers.authorization).replace(/fenced$/, "full");
    return isMeant ? send({ ...asked, headers: { ...asked.headers, authorization } }) : answer;
  };
}

function barringPlan(plan: string): Around {
  return (world, call, perform) => {
    const isMeant = world.workspaces[keyOf(world, call)?.workspace ?? ""]?.plan === plan;
    return perform(world, isMeant ? { ...call, authorization: undefined } : call);
  };
}

/** Treats the keys of a workspace otherwise once it was seen suspended and is active again. */
function reactivated(change: Partial<Key>): Around {
  const suspended = new WeakSet<object>();
  return (world, call, perform) => {
    const key = keyOf(world, call);
    const workspace = world.workspaces[key?.workspace ?? ""];
    if (workspace?.state === "suspended") suspended.add(workspace);
    const isBack = workspace?.state === "active" && suspended.has(workspace);
    return pretending(isBack ? key : undefined, change, () => perform(world, call));
  };
}

/** Lets keys in to the tools without their scopes once their workspace was seen suspended. */
function emptyHanded(): AroundEntry {
  const suspended = new WeakSet<object>();
  return (world, authorization, enter) => {
    for (const workspace of Object.values(world.workspaces)) if (workspace.state === "suspended") suspended.add(workspace);
    const entered = enter(authorization);
    return "key" in entered && suspended.has(entered.workspace) ? { ...entered, scopes: new Set() } : entered;
  };
}
