import { contract } from "../../../src/contract/load.js";
import { routes } from "../../../src/contract/routes.js";
import type { BucketName, ClauseId, RouteName } from "../../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../../src/service/call.js";
import type { RateWindow, World } from "../../../src/service/world/world.js";
import { mutantPerValue } from "../family.js";
import { getKey, getRoute, type Mutant, type WrapCall, withTemporaryFields } from "../mutant.js";
import { performUnchanged } from "./observations.js";

/** Returns the limit of a key that a 429 stands for, by its name in the contract. */
export function limitHit(world: World, call: IncomingCall, { rule }: ServiceResponse): string {
  const key = getKey(world, call);
  if (rule.code === "rate_limit_budget") return key?.dollars_per_hour ? "key spend ceiling" : "workspace spend ceiling";
  const { key: own, plan } = getWindows(world, key?.id);
  if (own && key?.requests_per_minute && own.used >= key.requests_per_minute) return "key ceiling";
  const budget = contract.limits.plans[getPlan(world, call) ?? "paid"].requests_per_minute;
  return plan && plan.used >= budget ? "plan budget" : "path bucket";
}

export function mixesOfLimits(
  breaks: ClauseId,
  what: string,
  meter: string,
  isMeant: (world: World, call: IncomingCall) => boolean,
): Mutant[] {
  return mutantPerValue(breaks, "mix", `leaves * out of ${what} instead of counting it`, (mix) => {
    const faulty = mix === "one operation" ? skipRepeats(meter) : perRoute(meter);
    return (world, call, perform) => (isMeant(world, call) ? faulty : performUnchanged)(world, call, perform);
  });
}

export function getBucket(route: string): BucketName {
  return routes[route as RouteName].bucket as BucketName;
}

export function getPlan(world: World, call: IncomingCall) {
  return world.workspaces[getKey(world, call)?.workspace ?? ""]?.plan;
}

/** Returns the rate windows of a key. */
export function getWindows(world: World, key = ""): Record<string, RateWindow> {
  return world.rates[key] ?? {};
}

/** Forgets the requests that a bucket counted. */
export function emptyBucket(bucket: string): WrapCall {
  return (world, call, perform) => {
    delete getWindows(world, getKey(world, call)?.id)[bucket];
    return perform(world, call);
  };
}

/** Counts a bucket as full (`full` requests) when `taken` requests were counted. */
export function reduceBucket(bucket: string, taken: number, full: number): WrapCall {
  return (world, call, perform) => {
    const window = getWindows(world, getKey(world, call)?.id)[bucket];
    if (window?.used === taken) window.used = full;
    return perform(world, call);
  };
}

/** Counts a bucket of all keys in one window. */
export function shareBucket(bucket: string): WrapCall {
  return (world, call, perform) => {
    const key = getKey(world, call);
    const common = Object.values(world.rates).find((windows) => windows[bucket])?.[bucket];
    if (key && common) world.rates[key.id] = { ...world.rates[key.id], [bucket]: common };
    return perform(world, call);
  };
}

/** Holds a key to another ceiling, or to none. */
export function withCeiling(requests_per_minute: number | null): WrapCall {
  return (world, call, perform) => withTemporaryFields(getKey(world, call), { requests_per_minute }, () => perform(world, call));
}

/** Answers as if the key, or its workspace, had no hourly ceiling. */
export function withoutHourlyCeiling(level: string): WrapCall {
  return (world, call, perform) => {
    const key = getKey(world, call);
    const response = () => perform(world, call);
    return level === "key"
      ? withTemporaryFields(key, { dollars_per_hour: null }, response)
      : withTemporaryFields(world.workspaces[key?.workspace ?? ""], { hourly_ceiling_usd: null }, response);
  };
}

/** Counts each route in a separate window. */
function perRoute(meter: string): WrapCall {
  return (world, call, perform) =>
    withSwappedWindows(getWindows(world, getKey(world, call)?.id), meter, `${meter} ${getRoute(call)}`, () =>
      perform(world, call),
    );
}

export function withSwappedWindows<T>(windows: Record<string, RateWindow>, one: string, other: string, response: () => T): T {
  const swap = () => ([windows[one], windows[other]] = [windows[other]!, windows[one]!]);
  swap();
  const answered = response();
  swap();
  return answered;
}

/** Does not count a call for the route of the call before. */
function skipRepeats(meter: string): WrapCall {
  const last = new WeakMap<World, string | null>();
  return (world, call, perform) => {
    const route = getRoute(call);
    const window = getWindows(world, getKey(world, call)?.id)[meter];
    const before = window && { ...window };
    const response = perform(world, call);
    if (window && before && last.get(world) === route) Object.assign(window, before);
    last.set(world, route);
    return response;
  };
}
