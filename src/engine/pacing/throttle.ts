import type { Exchange, WireRequest } from "../http/exchange.js";
import type { Demand } from "../scenario/scenario.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";
import { purposesCalled } from "../target/tools.js";
import type { RateRules } from "./rates.js";
import { bearer, type LimitNeed, mayReachLimit, type Reservation, reservationFor } from "./reservation.js";
import { HEADROOM, type Limit, openSlidingWindow, type Pace, type SlidingWindow } from "./sliding-window.js";

/** Keeps a run below every rate of a server that others may use too. It says how long to wait; the waiting is the caller's. */
export interface Throttle {
  /** Seconds until the request may be sent. */
  wait(request: WireRequest): number;
  /** Seconds until so many requests, like these in turn, may be sent in one go to see which of them is refused: nothing that was sent counts against them. */
  waitForBurst(requests: readonly WireRequest[], count: number): number;
  /** Seconds until all that a scenario is known to send fits, so that it need not wait half-way. */
  waitForAll(demands: readonly Demand[], keys: Readonly<Record<string, string>>): number;
  /** What a scenario takes of the server's limits. */
  reserve(demands: readonly Demand[]): Reservation;
  /** Seconds until a claim fits beside what those in progress have yet to send. */
  waitForReservation(claim: Reservation, inProgress: readonly Reservation[]): number;
  /** The same throttle for the one that has a claim: what it sends is taken from that. */
  by(claim: Reservation): Throttle;
  /** The same throttle for one of which nobody knows what it will send, until it leaves: it comes after those that are known. */
  beside(others: KnownReservations): { throttle: Throttle; leave(): void };
  /** Counts a request that is being sent. */
  note(request: WireRequest): void;
  /** Reads in an answer what it says of rates: a new key can have a ceiling of its own. */
  learn(exchange: Exchange): void;
  /** The target's clock was moved. */
  skip(seconds: number): void;
}

/** Claims of those in progress, and of those that would be if there were room. */
export interface KnownReservations {
  inProgress(): readonly Reservation[];
  waiting(): readonly Reservation[];
}

/** What a throttle needs to know of a contract. */
export interface ThrottleRules {
  rates: RateRules;
  target: TargetRules;
}

/** Part of the suite that a run executes. */
export type Shard = { index: number; of: number } | undefined;

/** Part of a minute before one looks again whether another is done with a limit. */
const LOOK_AGAIN = 1 / 12;

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
  const { rateMinuteSeconds: minuteSeconds } = target.timing;
  const ceilings = new Map(Object.entries(target.keys).map(([role, key]) => [bearer(key), rates.ceilingOf(role)]));
  const waits = ({ burst }: Demand) => !burst || waitsBeforeBurst(target);
  const waiters: Waiter[] = [];
  let skipped = 0;
  // A clock that is moved by its hook may stand still otherwise, so our own time does not count beside it.
  const now = () => (target.clock ? skipped : realSeconds());
  const window = openSlidingWindow(paceOf(target, shard), now());
  const limitsOf = (request: WireRequest) => limitsFor(rules, request, target, ceilings);
  const countedBy = (request: WireRequest) => orUnknown(limitsOf(request));
  const reserve = (demands: readonly Demand[], keys = target.keys) => reservationFor(rates, demands.filter(waits), keys);
  const throttle: Throttle = {
    wait: (request) => window.untilFree(limitsOf(request), now()),
    waitForBurst: (requests, count) =>
      Math.max(0, ...requests.flatMap(countedBy).map((limit) => untilClear(window, limit, count, now()))),
    waitForAll: (demands, keys) => untilFits(window, reserve(demands, keys), [], now()),
    reserve,
    waitForReservation: (claim, others) => untilFits(window, claim, others, now()),
    by: (claim) => ({
      ...throttle,
      note(request) {
        for (const { id } of limitsOf(request)) claim.spend(id);
        throttle.note(request);
      },
    }),
    beside(others) {
      const waiter: Waiter = { wants: [] };
      waiters.push(waiter);
      const wait: Throttle["wait"] = (request) => {
        const limits = limitsOf(request);
        waiter.wants = limits.map(({ id }) => id);
        return waitBeside(window, limits, { ...others, before: waiters.slice(0, waiters.indexOf(waiter)), minuteSeconds }, now());
      };
      const note: Throttle["note"] = (request) => {
        waiter.wants = [];
        throttle.note(request);
      };
      return { throttle: { ...throttle, wait, note }, leave: () => void waiters.splice(waiters.indexOf(waiter), 1) };
    },
    note: (request) => window.note(countedBy(request), now()),
    learn(exchange) {
      window.end(countedBy(exchange.request), now());
      for (const [key, rpm] of rates.ceilingsMadeBy(exchange)) ceilings.set(bearer(key), rpm);
    },
    skip: (seconds) => {
      skipped += seconds;
    },
  };
  return throttle;
}

/**
 * Whether a burst waits for what the run itself has sent, and no longer. What others send may come at any time, so no wait helps against it;
 * where time is moved a whole minute costs nothing.
 */
export function waitsBeforeBurst({ clock }: Target): boolean {
  return !clock;
}

/** How fast a target may be asked: below each rate, and with shards each its part. */
export function paceOf({ timing }: Target, shard: Shard): Pace {
  return { share: HEADROOM / (shard?.of ?? 1), minuteSeconds: timing.rateMinuteSeconds };
}

/** Holds nothing back. */
export const unthrottled: Throttle = {
  ...{ wait: () => 0, waitForBurst: () => 0, waitForAll: () => 0, waitForReservation: () => 0 },
  reserve: () => reservationFor({ bucketsOf: () => [], ceilingOf: () => 1 }, [], {}),
  by: () => unthrottled,
  beside: () => ({ throttle: unthrottled, leave: () => {} }),
  ...{ note: () => {}, learn: () => {}, skip: () => {} },
};

function orUnknown(limits: Limit[]): Limit[] {
  return limits.length > 0 ? limits : [UNKNOWN];
}

/** Counters are a key's own, so a request without one counts nowhere. */
function limitsFor(
  { rates, target: addresses }: ThrottleRules,
  sent: WireRequest,
  target: Target,
  ceilings: ReadonlyMap<string, number>,
): Limit[] {
  const { method, url, headers } = sent;
  if (headers.authorization === undefined) return [];
  const authorization = bearer(headers.authorization.trim().replace(/^bearer +/i, ""));
  const tool = isToolServer(addresses, target, url);
  const [purpose] = tool ? purposesCalled(sent, target) : [];
  const request = { method, path: new URL(url).pathname, tool, ...(purpose !== undefined && { purpose }) };
  const buckets = rates.bucketsOf(request, ceilings.get(authorization) ?? rates.ceilingOf());
  return buckets.map(({ name, rpm }) => ({ id: `${authorization} ${name}`, rpm }));
}

/** Limits that a burst may come to must be empty; below others it must find room. */
function untilClear(window: SlidingWindow, limit: Limit, count: number, now: number): number {
  return mayReachLimit(limit, count) ? window.untilEmpty([limit], now) : window.untilFree([limit], now, count);
}

/** A burst that comes after other requests for the same limit has to wait for these by itself, whenever they are sent. */
function untilFits(window: SlidingWindow, { wants }: Reservation, others: readonly Reservation[], now: number): number {
  return Math.max(0, ...[...wants.values()].map((wanted) => untilOneFits(window, wanted, others, now)));
}

function untilOneFits(
  window: SlidingWindow,
  { limit, count, first }: LimitNeed,
  others: readonly Reservation[],
  now: number,
): number {
  const left = others.reduce((sum, other) => sum + other.leftOf(limit.id, other.wants.get(limit.id)?.count ?? 0), 0);
  const single = count > 0 ? window.untilFree([limit], now, count + left) : 0;
  return Math.max(single, first > 0 ? untilClear(window, limit, first, now) : 0);
}

/** Who takes what is left of limits, while it waits for room below some of them. */
interface Waiter {
  wants: readonly string[];
}

/** Who is there beside one of whom nobody knows what it will send. */
interface Others extends KnownReservations {
  /** Those like it that have waited longer. */
  before: readonly Waiter[];
  minuteSeconds: number;
}

/** Seconds until a request may be sent without being in the way of those in progress, of those that wait for the same room, or of who has waited longer. */
function waitBeside(window: SlidingWindow, limits: readonly Limit[], others: Others, now: number): number {
  const waits = limits.map((limit) => {
    const { id } = limit;
    const claims = claimsOn(window, limit, others, now);
    if (claims.some(({ fills }) => fills.has(id))) return others.minuteSeconds * LOOK_AGAIN;
    const left = claims.reduce((sum, claim) => sum + claim.leftOf(id, mostAtOnce(claim.wants.get(id))), 0);
    return window.untilFree([limit], now, 1 + left + others.before.filter(({ wants }) => wants.includes(id)).length);
  });
  return Math.max(0, ...waits);
}

/** The claims that are to be heeded for a limit: of those in progress, and of those that wait for room there. */
function claimsOn(window: SlidingWindow, { id }: Limit, { inProgress, waiting }: KnownReservations, now: number): Reservation[] {
  const claims = inProgress();
  const isShort = ({ wants }: Reservation) => {
    const wanted = wants.get(id);
    return wanted !== undefined && untilOneFits(window, wanted, claims, now) > 0;
  };
  return [...claims, ...waiting().filter(isShort)];
}

/** How much at once an execution may send of one limit. */
function mostAtOnce(wanted: LimitNeed | undefined): number {
  return wanted ? wanted.count + wanted.burst : 0;
}
