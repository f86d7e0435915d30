import { contract } from "../../src/contract/load.js";
import { routes } from "../../src/contract/routes.js";
import type { BucketName, ClauseId, RouteName } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { RateWindow, World } from "../../src/service/world/world.js";
import { changing, each, onTool } from "./family.js";
import { type Around, type AroundTool, keyOf, type Mutant, onRoute, pretending, routeOf, withError } from "./mutant.js";

const buckets = Object.keys(contract.limits.buckets) as BucketName[];
const pairs = buckets.flatMap((one, at) => buckets.slice(at + 1).map((other) => [one, other] as const));
const figures: Record<string, string> = { bucket: "list_repos", "plan budget": "plan", "key ceiling": "key" };

/** Faults in how often a key may ask: one route, one bucket, one way to ask at a time. */
export const limitMutants: Mutant[] = [
  ...buckets.map((bucket): Mutant => ({ name: `has no bucket ${bucket}`, breaks: clauseOf(bucket), around: emptying(bucket) })),
  ...buckets.map((bucket): Mutant => {
    const { rpm } = contract.limits.buckets[bucket];
    return {
      name: `takes one a minute less in the bucket ${bucket}`,
      breaks: clauseOf(bucket),
      around: cutting(bucket, rpm - 1, rpm),
    };
  }),
  ...buckets.map(
    (bucket): Mutant => ({
      name: `counts the bucket ${bucket} by the second`,
      breaks: clauseOf(bucket),
      around: forgetting(bucket, 1000),
    }),
  ),
  ...each("BUCKET-ENFORCED", "bucketed route", "has no bucket on *", (route) => onRoute(route, emptying(bucketOf(route)))),
  ...each("BUCKET-JOB-START", "starting operation", "does not hold * to the bucket of starts", (route) =>
    onRoute(route, emptying(bucketOf(route))),
  ),
  ...each("BUCKET-OBS-TRIAGE", "triage action", "does not hold * to the bucket of triage", (route) =>
    onRoute(route, emptying(bucketOf(route))),
  ),
  ...(["BUCKET-JOB-COMBINED", "BUCKET-OBS-COMBINED"] as const).flatMap((clause) => {
    const dimension = clause === "BUCKET-JOB-COMBINED" ? "starting operation" : "triage action";
    return [
      ...each(clause, dimension, "counts * in a bucket of its own", (route) => onRoute(route, setApart(bucketOf(route)))),
      ...each(clause, dimension, "holds * to its own count alone", (route) => onRoute(route, heedless(bucketOf(route)))),
    ];
  }),
  ...each("BUCKET-CODE", "bucketed route", "calls a full bucket a used-up budget on *", (route) =>
    onRoute(
      route,
      changing(isFullBucket, (reply) => withError(reply, { code: "rate_limit_budget" })),
    ),
  ),
  ...each("BUCKET-NONE", "budget-only route", "has a bucket of a hundred on *", (route) => onRoute(route, ceiling(100))),
  ...each("BUCKET-PER-KEY", "bucketed route", "counts all keys together on *", (route) =>
    onRoute(route, sharing(bucketOf(route))),
  ),
  ...each("BUCKET-ADDITIONAL", "full bucket", "takes nothing at all from a key whose bucket is full: *", (bucket) =>
    closing((full) => full.includes(bucket as BucketName)),
  ),
  ...each("BUCKET-ADDITIONAL", "bucketed route", "takes no * while a bucket of other paths is full", (route) =>
    onRoute(
      route,
      closing((full) => full.some((bucket) => bucket !== bucketOf(route))),
    ),
  ),
  ...pairs.map(
    ([one, other]): Mutant => ({
      name: `counts the buckets ${one} and ${other} as one`,
      breaks: "BUCKET-ADDITIONAL",
      value: { surface: "rest", dimension: "full bucket", value: one },
      around: merging(one, other),
    }),
  ),
  ...each("LIMIT-EFFECTIVE", "least figure", "forgets the least figure where it is the *", (figure) =>
    emptying(figures[figure]!),
  ),
  ...each("LIMIT-EFFECTIVE-PATH", "bucketed route", "lets a ceiling of a key stand for the bucket of *", (route) =>
    onRoute(route, (world, call, perform) => {
      const bucket = bucketOf(route);
      const isHigher = (keyOf(world, call)?.requests_per_minute ?? 0) > contract.limits.buckets[bucket].rpm;
      return (isHigher ? emptying(bucket) : unchanged)(world, call, perform);
    }),
  ),
  ...each("RETRY-AFTER-HELPS", "bucketed route", "says too short a wait on *", (route) =>
    onRoute(
      route,
      changing(
        ({ status }) => status === 429,
        (reply) => ({ ...reply, headers: { ...reply.headers, "retry-after": "1" } }),
      ),
    ),
  ),
  ...each(
    "BUDGET-UNSHARED",
    "plan",
    "counts the keys of * workspaces together",
    (plan) => (world, call, perform) => (planOf(world, call) === plan ? sharing("plan") : unchanged)(world, call, perform),
  ),
  ...mixes("BUDGET-FREE", "the budget of a Free key", "plan", (world, call) => planOf(world, call) === "free"),
  ...mixes("BUDGET-PAID", "the budget of a Paid key", "plan", (world, call) => planOf(world, call) === "paid"),
  ...mixes(
    "KEY-FIELD-RPM",
    "the ceiling of a key that was made since",
    "key",
    (world, call) => (keyOf(world, call)?.created_at ?? 0) >= world.epoch,
  ),
  ...mixes("LIMIT-EFFECTIVE-KEY", "the ceiling of a key", "key", () => true),
  ...each("MCP-RATE-KEY", "mix", "has no count of the tool server's rate for *", {
    mcp: (mix) => ({ aroundTool: miscountingCalls(mix) }),
  }),
  {
    name: "serves the tools to a key for a minute after its dollars are spent",
    breaks: "MCP-RATE-SPEND",
    aroundTool: (world, call, performTool) => {
      const since = world.spend[call.caller.key.id]?.since ?? Number.NEGATIVE_INFINITY;
      const key = { ...call.caller.key, dollars_per_hour: null };
      return performTool(world, world.now < since + 60_000 ? { ...call, caller: { ...call.caller, key } } : call);
    },
  },
  ...each("MCP-RATE-SPEND", "tool", "serves * to a key that has spent its dollars", {
    mcp: (tool) =>
      onTool(tool, (world, call, performTool) => {
        const key = { ...call.caller.key, dollars_per_hour: null };
        return performTool(world, { ...call, caller: { ...call.caller, key } });
      }),
  }),
];

/** What of a key's limits a 429 stands for, as the contract calls it. */
export function limitHit(world: World, call: IncomingCall, { rule }: Reply): string {
  if (rule.code === "rate_limit_budget") return "key spend ceiling";
  const key = keyOf(world, call);
  const { key: own, plan } = windowsOf(world, key?.id);
  if (own && key?.requests_per_minute && own.used >= key.requests_per_minute) return "key ceiling";
  const budget = contract.limits.plans[planOf(world, call) ?? "paid"].requests_per_minute;
  return plan && plan.used >= budget ? "plan budget" : "path bucket";
}

function mixes(breaks: ClauseId, what: string, meter: string, isMeant: (world: World, call: IncomingCall) => boolean): Mutant[] {
  return each(breaks, "mix", `does not count ${what} for *`, (mix) => {
    const faulty = mix === "one operation" ? forgettingRepeats(meter) : perRoute(meter);
    return (world, call, perform) => (isMeant(world, call) ? faulty : unchanged)(world, call, perform);
  });
}

function unchanged(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return perform(world, call);
}

function clauseOf(bucket: BucketName): ClauseId {
  return contract.limits.buckets[bucket].clause as ClauseId;
}

function bucketOf(route: string): BucketName {
  return routes[route as RouteName].bucket as BucketName;
}

function planOf(world: World, call: IncomingCall) {
  return world.workspaces[keyOf(world, call)?.workspace ?? ""]?.plan;
}

/** What was counted of a key. */
export function windowsOf(world: World, key = ""): Record<string, RateWindow> {
  return world.rates[key] ?? {};
}

function isFullBucket(reply: Reply, call: IncomingCall, world: World): boolean {
  return reply.status === 429 && limitHit(world, call, reply) === "path bucket";
}

/** Forgets what was counted in a bucket. */
export function emptying(bucket: string): Around {
  return (world, call, perform) => {
    delete windowsOf(world, keyOf(world, call)?.id)[bucket];
    return perform(world, call);
  };
}

/** Forgets what was counted in a bucket so many milliseconds ago. */
function forgetting(bucket: string, afterMs: number): Around {
  return (world, call, perform) => {
    const windows = windowsOf(world, keyOf(world, call)?.id);
    if (world.now >= (windows[bucket]?.since ?? world.now) + afterMs) delete windows[bucket];
    return perform(world, call);
  };
}

/** Fills a bucket of so many when fewer were taken. */
export function cutting(bucket: string, taken: number, full: number): Around {
  return (world, call, perform) => {
    const window = windowsOf(world, keyOf(world, call)?.id)[bucket];
    if (window?.used === taken) window.used = full;
    return perform(world, call);
  };
}

/** Counts a bucket of all keys in one window. */
export function sharing(bucket: string): Around {
  return (world, call, perform) => {
    const key = keyOf(world, call);
    const common = Object.values(world.rates).find((windows) => windows[bucket])?.[bucket];
    if (key && common) world.rates[key.id] = { ...world.rates[key.id], [bucket]: common };
    return perform(world, call);
  };
}

/** Holds a key to another ceiling of its own, or to none. */
export function ceiling(requests_per_minute: number | null): Around {
  return (world, call, perform) => pretending(keyOf(world, call), { requests_per_minute }, () => perform(world, call));
}

/** Counts two buckets in one window. */
function merging(one: BucketName, other: BucketName): Around {
  return (world, call, perform) => {
    const windows = windowsOf(world, keyOf(world, call)?.id);
    const common = windows[one] ?? windows[other];
    if (common) windows[one] = windows[other] = common;
    return perform(world, call);
  };
}

/** Refuses as for a used-up budget while some buckets are full. */
function closing(isClosed: (full: BucketName[]) => boolean): Around {
  return (world, call, perform) => {
    const windows = windowsOf(world, keyOf(world, call)?.id);
    const full = buckets.filter((name) => isFull(world, windows[name], contract.limits.buckets[name].rpm));
    const isOther = !full.some((name) => contract.limits.buckets[name].routes.includes(routeOf(call) as never));
    if (!windows.plan || !isOther || !isClosed(full)) return perform(world, call);
    return pretending(windows.plan, { used: 1e6 }, () => perform(world, call));
  };
}

function isFull({ now }: World, window: RateWindow | undefined, rpm: number): boolean {
  return window !== undefined && window.used >= rpm && now < window.since + 60_000;
}

/** Counts some calls in another window of the same bucket. */
function setApart(bucket: string): Around {
  return (world, call, perform) => swapped(windowsOf(world, keyOf(world, call)?.id), bucket, "apart", () => perform(world, call));
}

/** Counts some calls in the common window and looks for room in another. */
function heedless(bucket: string): Around {
  return (world, call, perform) => {
    const id = keyOf(world, call)?.id;
    const reply = swapped(windowsOf(world, id), bucket, `apart ${routeOf(call)}`, () => perform(world, call));
    const common = windowsOf(world, id)[bucket];
    if (common && reply.status !== 429) common.used++;
    return reply;
  };
}

/** Counts each route in a window of its own. */
function perRoute(meter: string): Around {
  return (world, call, perform) =>
    swapped(windowsOf(world, keyOf(world, call)?.id), meter, `${meter} ${routeOf(call)}`, () => perform(world, call));
}

function swapped<T>(windows: Record<string, RateWindow>, one: string, other: string, answer: () => T): T {
  const swap = () => ([windows[one], windows[other]] = [windows[other]!, windows[one]!]);
  swap();
  const answered = answer();
  swap();
  return answered;
}

/** Does not count a call for the route of the call before. */
function forgettingRepeats(meter: string): Around {
  const last = new WeakMap<World, string | null>();
  return (world, call, perform) => {
    const route = routeOf(call);
    const window = windowsOf(world, keyOf(world, call)?.id)[meter];
    const before = window && { ...window };
    const reply = perform(world, call);
    if (window && before && last.get(world) === route) Object.assign(window, before);
    last.set(world, route);
    return reply;
  };
}

/** The same of tool calls. */
function miscountingCalls(mix: string): AroundTool {
  const last = new WeakMap<World, string>();
  return (world, call, performTool) => {
    const windows = windowsOf(world, call.caller.key.id);
    if (mix !== "one operation") return swapped(windows, "mcp", `mcp ${call.purpose}`, () => performTool(world, call));
    const before = windows.mcp && { ...windows.mcp };
    const reply = performTool(world, call);
    if (windows.mcp && before && last.get(world) === call.purpose) Object.assign(windows.mcp, before);
    last.set(world, call.purpose);
    return reply;
  };
}
