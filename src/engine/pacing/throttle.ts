import type { Exchange, WireRequest } from "../http/exchange.js";
import type { Demand } from "../scenario/scenario.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";
import type { RateRules } from "./rates.js";
import { HEADROOM, type Limit, openSlidingWindow, type Pace, type SlidingWindow } from "./sliding-window.js";

/** Keeps a run below every rate of a server that others may use too. It says how long to wait; the waiting is the caller's. */
export interface Throttle {
  /** Seconds until the request may be sent. */
  wait(request: WireRequest): number;
  /** Seconds until so many requests, like these in turn, may be sent in one go to see which of them is refused: nothing that was sent counts against them. */
  waitForBurst(requests: readonly WireRequest[], count: number): number;
  /** Seconds until all that a scenario is known to send fits, so that it need not wait half-way. */
  waitForAll(demands: readonly Demand[], keys: Readonly<Record<string, string>>): number;
  /** Counts a request that is being sent. */
  note(request: WireRequest): void;
  /** Reads in an answer what it says of rates: a new key can have a ceiling of its own. */
  learn(exchange: Exchange): void;
  /** The target's clock was moved. */
  skip(seconds: number): void;
}

/** What a throttle needs to know of a contract. */
export interface ThrottleRules {
  rates: RateRules;
  target: TargetRules;
}

/** Part of the suite that a run executes. */
export type Shard = { index: number; of: number } | undefined;

/** What requests without a key count against: nobody knows what. */
const UNKNOWN: Limit = { id: "", rpm: 1 };

/**
 * The throttle of one run. Where each scenario has a world of its own with a clock that costs nothing, it holds nothing back. `realSeconds` is
 * the time that passes where no clock is moved.
 */
export function openThrottle(
  rules: ThrottleRules,
  target: Target,
  shard: Shard,
  realSeconds: () => number = () => performance.now() / 1000,
): Throttle {
  if (target.worlds && target.clock) return unthrottled;
  const { rates } = rules;
  const ceilings = new Map(Object.entries(target.keys).map(([role, key]) => [bearer(key), rates.ceilingOf(role)]));
  const waits = ({ burst }: Demand) => !burst || isOursAlone(target);
  let skipped = 0;
  // A clock that is moved by its hook may stand still otherwise, so our own time does not count beside it.
  const now = () => (target.clock ? skipped : realSeconds());
  const window = openSlidingWindow(paceOf(target, shard), now());
  const limitsOf = (request: WireRequest) => limitsFor(rules, request, target, ceilings);
  const countedBy = (request: WireRequest) => {
    const limits = limitsOf(request);
    return limits.length > 0 ? limits : [UNKNOWN];
  };
  return {
    wait: (request) => window.untilFree(limitsOf(request), now()),
    waitForBurst: (requests, count) =>
      Math.max(0, ...requests.flatMap(countedBy).map((limit) => untilClear(window, limit, count, now()))),
    waitForAll: (demands, keys) => untilAllFit(rates, window, demands.filter(waits), keys, now()),
    note: (request) => window.note(countedBy(request), now()),
    learn(exchange) {
      window.end(countedBy(exchange.request), now());
      for (const [key, rpm] of rates.ceilingsMadeBy(exchange)) ceilings.set(bearer(key), rpm);
    },
    skip: (seconds) => {
      skipped += seconds;
    },
  };
}

/** Whether all that counts against limits is what a run has sent itself, so that a burst need not wait for more than that. */
export function isOursAlone({ exclusive, clock }: Target): boolean {
  return exclusive && !clock; // where time is moved a whole minute costs nothing
}

/** How fast a target may be asked: below each rate, and with shards each its part. */
export function paceOf({ timing }: Target, shard: Shard): Pace {
  return { share: HEADROOM / (shard?.of ?? 1), minuteSeconds: timing.rateMinuteSeconds };
}

const unthrottled: Throttle = {
  ...{ wait: () => 0, waitForBurst: () => 0, waitForAll: () => 0 },
  ...{ note: () => {}, learn: () => {}, skip: () => {} },
};

/** Counters are a key's own, so a request without one counts nowhere. */
function limitsFor(
  { rates, target: addresses }: ThrottleRules,
  { method, url, headers }: WireRequest,
  target: Target,
  ceilings: ReadonlyMap<string, number>,
): Limit[] {
  if (headers.authorization === undefined) return [];
  const authorization = bearer(headers.authorization.trim().replace(/^bearer +/i, ""));
  const request = { method, path: new URL(url).pathname, tool: isToolServer(addresses, target, url) };
  const buckets = rates.bucketsOf(request, ceilings.get(authorization) ?? rates.ceilingOf());
  return buckets.map(({ name, rpm }) => ({ id: `${authorization} ${name}`, rpm }));
}

/** Limits that a burst may come to must be empty; below others it must find room. */
function untilClear(window: SlidingWindow, limit: Limit, count: number, now: number): number {
  return limit.rpm < 2 * count ? window.untilEmpty([limit], now) : window.untilFree([limit], now, count);
}

/** A burst that comes after other requests for the same limit has to wait for these by itself, whenever they are sent. */
function untilAllFit(
  rates: RateRules,
  window: SlidingWindow,
  demands: readonly Demand[],
  keys: Readonly<Record<string, string>>,
  now: number,
): number {
  const wanted = new Map<string, { limit: Limit; count: number; burst: number }>();
  for (const { role, burst, count, ...request } of demands) {
    const key = role === undefined ? undefined : keys[role];
    if (key === undefined) continue;
    for (const { name, rpm } of rates.bucketsOf(request, rates.ceilingOf(role))) {
      const id = `${bearer(key)} ${name}`;
      const known = wanted.get(id) ?? { limit: { id, rpm }, count: 0, burst: 0 };
      if (!burst) wanted.set(id, { ...known, count: known.count + count });
      else if (known.count === 0) wanted.set(id, { ...known, burst: Math.max(known.burst, count) });
    }
  }
  const waits = [...wanted.values()].map(({ limit, count, burst }) =>
    Math.max(window.untilFree([limit], now, count), burst > 0 ? untilClear(window, limit, burst, now) : 0),
  );
  return Math.max(0, ...waits);
}

function bearer(key: string): string {
  return `Bearer ${key}`;
}
