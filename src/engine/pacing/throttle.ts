import type { Exchange, WireRequest } from "../http/exchange.js";
import type { Demand } from "../scenario/scenario.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";
import { listCalledPurposes } from "../target/tools.js";
import type { RateRules } from "./rates.js";
import { createBearer, createReservation, type LimitNeed, mayReachLimit, type Reservation } from "./reservation.js";
import { type Limit, openSlidingWindow, type Pace, RATE_SHARE, type SlidingWindow } from "./sliding-window.js";

/** Keeps a run below every rate limit of the server. It returns how many seconds to wait; the caller waits. */
export interface Throttle {
  /** Returns the seconds until the request may be sent. */
  wait(request: WireRequest): number;
  /**
   * Returns the seconds until a burst may be sent: until no earlier request counts against its limits. The burst has `count` requests and repeats
   * `requests` in turn.
   */
  waitForBurst(requests: readonly WireRequest[], count: number): number;
  /** Returns the seconds until all known requests of a scenario fit, so that it need not wait between its steps. */
  waitForAll(demands: readonly Demand[], keys: Readonly<Record<string, string>>): number;
  /** Returns the reservation for the known requests of a task. */
  reservationFor(demands: readonly Demand[]): Reservation;
  /** Returns the seconds until a reservation fits beside the unsent requests of those in progress. */
  waitForReservation(reservation: Reservation, inProgress: readonly Reservation[]): number;
  /** Returns this throttle for the owner of a reservation: each request that it sends is subtracted from the reservation. */
  forReservation(reservation: Reservation): Throttle;
  /** Returns this throttle for a background task, which yields to all reservations until `close`. */
  withoutReservation(knownReservations: KnownReservations): { throttle: Throttle; close(): void };
  /** Counts a request that is being sent. */
  record(request: WireRequest): void;
  /** Reads rate limits from an exchange: a new key can have its own ceiling. */
  readRates(exchange: Exchange): void;
  /** Records that the target's clock was moved. */
  advanceClock(seconds: number): void;
}

/** The reservations of tasks in progress, and of tasks that wait for room. */
export interface KnownReservations {
  inProgress(): readonly Reservation[];
  waiting(): readonly Reservation[];
}

/** The rules of a contract that a throttle uses. */
export interface ThrottleRules {
  rates: RateRules;
  target: TargetRules;
}

/** The part of the suite that a run executes, counted from 1. */
export type Shard = { index: number; of: number } | undefined;

/** Part of a minute after which a background task tries a reserved limit again. */
const RETRY_AFTER_MINUTES = 1 / 12;

/** The limit for requests without a key, whose real limit is unknown. */
const UNKNOWN_LIMIT: Limit = { id: "", rpm: 1 };

/**
 * Opens the throttle of one run. It never waits where each scenario has its own world with a movable clock. `realSeconds` is the clock of targets
 * whose clock cannot be moved.
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
  const ceilings = new Map(Object.entries(target.keys).map(([role, key]) => [createBearer(key), rates.ceilingOf(role)]));
  const isThrottled = ({ burst }: Demand) => !burst || waitsBeforeBurst(target);
  const waiters: Waiter[] = [];
  let skippedSeconds = 0;
  // A clock that a hook moves may stop between moves, so real time does not count.
  const now = () => (target.clock ? skippedSeconds : realSeconds());
  const window = openSlidingWindow(computePace(target, shard), now());
  const getLimits = (request: WireRequest) => listLimits(rules, request, target, ceilings);
  const getCountedLimits = (request: WireRequest) => addUnknown(getLimits(request));
  const getReservationFor = (demands: readonly Demand[], keys = target.keys) =>
    createReservation(rates, demands.filter(isThrottled), keys);
  const throttle: Throttle = {
    wait: (request) => window.untilFree(getLimits(request), now()),
    waitForBurst: (requests, count) =>
      Math.max(0, ...requests.flatMap(getCountedLimits).map((limit) => computeWait(window, limit, count, now()))),
    waitForAll: (demands, keys) => computeFitWait(window, getReservationFor(demands, keys), [], now()),
    reservationFor: getReservationFor,
    waitForReservation: (reservation, otherReservations) => computeFitWait(window, reservation, otherReservations, now()),
    forReservation: (reservation) => ({
      ...throttle,
      record(request) {
        for (const { id } of getLimits(request)) reservation.use(id);
        throttle.record(request);
      },
    }),
    withoutReservation: (knownReservations) =>
      openBackground(throttle, { window, waiters, minuteSeconds, limitsOf: getLimits, now }, knownReservations),
    record: (request) => window.record(getCountedLimits(request), now()),
    readRates(exchange) {
      window.recordResponse(getCountedLimits(exchange.request), now());
      for (const [key, rpm] of rates.ceilingsMadeBy(exchange)) ceilings.set(createBearer(key), rpm);
    },
    advanceClock: (seconds) => {
      skippedSeconds += seconds;
    },
  };
  return throttle;
}

/** The parts of a throttle that its background tasks share. */
interface BackgroundState {
  window: SlidingWindow;
  /** Background tasks in the order in which they began. */
  waiters: Waiter[];
  minuteSeconds: number;
  limitsOf(request: WireRequest): Limit[];
  now(): number;
}

function openBackground(
  throttle: Throttle,
  { window, waiters, minuteSeconds, limitsOf, now }: BackgroundState,
  knownReservations: KnownReservations,
): ReturnType<Throttle["withoutReservation"]> {
  const waiter: Waiter = { limitIds: [] };
  waiters.push(waiter);
  const wait: Throttle["wait"] = (request) => {
    const limits = limitsOf(request);
    waiter.limitIds = limits.map(({ id }) => id);
    const waitersBefore = waiters.slice(0, waiters.indexOf(waiter));
    return waitInBackground(window, limits, { ...knownReservations, before: waitersBefore, minuteSeconds }, now());
  };
  const record: Throttle["record"] = (request) => {
    waiter.limitIds = [];
    throttle.record(request);
  };
  return { throttle: { ...throttle, wait, record }, close: () => void waiters.splice(waiters.indexOf(waiter), 1) };
}

/**
 * Tells whether a burst waits until the run's own requests no longer count. Where the clock can be moved, it is moved by a minute instead. Requests
 * of other clients may come at any time, so no wait helps against them.
 */
export function waitsBeforeBurst({ clock }: Target): boolean {
  return !clock;
}

/** Returns the pace for a target: `HEADROOM` of each rate, divided by the number of shards. */
export function computePace({ timing }: Target, shard: Shard): Pace {
  return { share: RATE_SHARE / (shard?.of ?? 1), minuteSeconds: timing.rateMinuteSeconds };
}

/** A throttle that never waits. */
export const unthrottled: Throttle = {
  ...{ wait: () => 0, waitForBurst: () => 0, waitForAll: () => 0, waitForReservation: () => 0 },
  reservationFor: () => createReservation({ bucketsOf: () => [], ceilingOf: () => 1 }, [], {}),
  forReservation: () => unthrottled,
  withoutReservation: () => ({ throttle: unthrottled, close: () => {} }),
  ...{ record: () => {}, readRates: () => {}, advanceClock: () => {} },
};

function addUnknown(limits: Limit[]): Limit[] {
  return limits.length > 0 ? limits : [UNKNOWN_LIMIT];
}

/** Returns the limits that a request counts against. The server counts by key, so a request without a key has none. */
function listLimits(
  { rates, target: targetRules }: ThrottleRules,
  wireRequest: WireRequest,
  target: Target,
  ceilings: ReadonlyMap<string, number>,
): Limit[] {
  const { method, url, headers } = wireRequest;
  if (headers.authorization === undefined) return [];
  const authorization = createBearer(headers.authorization.trim().replace(/^bearer +/i, ""));
  const tool = isToolServer(targetRules, target, url);
  const [purpose] = tool ? listCalledPurposes(wireRequest, target) : [];
  const request = { method, path: new URL(url).pathname, tool, ...(purpose !== undefined && { purpose }) };
  const buckets = rates.bucketsOf(request, ceilings.get(authorization) ?? rates.ceilingOf());
  return buckets.map(({ name, rpm }) => ({ id: `${authorization} ${name}`, rpm }));
}

/** Returns the seconds until a burst may be sent for a limit: until the limit is empty if the burst may reach it, else until there is room. */
function computeWait(window: SlidingWindow, limit: Limit, count: number, now: number): number {
  return mayReachLimit(limit, count) ? window.untilEmpty([limit], now) : window.untilFree([limit], now, count);
}

function computeFitWait(
  window: SlidingWindow,
  { needs }: Reservation,
  otherReservations: readonly Reservation[],
  now: number,
): number {
  return Math.max(0, ...[...needs.values()].map((need) => computeOneFitWait(window, need, otherReservations, now)));
}

/** Returns the seconds until the requests for one limit fit. A burst after single requests is left out: it waits for them when it is sent. */
function computeOneFitWait(
  window: SlidingWindow,
  { limit, count, first }: LimitNeed,
  otherReservations: readonly Reservation[],
  now: number,
): number {
  const unsent = otherReservations.reduce(
    (sum, otherReservation) => sum + otherReservation.remaining(limit.id, otherReservation.needs.get(limit.id)?.count ?? 0),
    0,
  );
  const single = count > 0 ? window.untilFree([limit], now, count + unsent) : 0;
  return Math.max(single, first > 0 ? computeWait(window, limit, first, now) : 0);
}

/** A background task that waits for room below some limits. */
interface Waiter {
  limitIds: readonly string[];
}

/** The tasks that a background task yields to. */
interface OtherTasks extends KnownReservations {
  /** Background tasks that began earlier. */
  before: readonly Waiter[];
  minuteSeconds: number;
}

/** Returns the seconds until a background task may send a request: after all reservations for its limits and all earlier background tasks. */
function waitInBackground(window: SlidingWindow, limits: readonly Limit[], otherTasks: OtherTasks, now: number): number {
  const waits = limits.map((limit) => {
    const { id } = limit;
    const reservations = listReservationsOn(window, limit, otherTasks, now);
    if (reservations.some(({ exclusiveLimits }) => exclusiveLimits.has(id)))
      return otherTasks.minuteSeconds * RETRY_AFTER_MINUTES;
    const unsent = reservations.reduce(
      (sum, reservation) => sum + reservation.remaining(id, computeMaxAtOnce(reservation.needs.get(id))),
      0,
    );
    return window.untilFree([limit], now, 1 + unsent + otherTasks.before.filter(({ limitIds }) => limitIds.includes(id)).length);
  });
  return Math.max(0, ...waits);
}

/** Returns the reservations that come first at a limit: those in progress, and those that wait for room below it. */
function listReservationsOn(
  window: SlidingWindow,
  { id }: Limit,
  { inProgress, waiting }: KnownReservations,
  now: number,
): Reservation[] {
  const reservations = inProgress();
  const hasNoRoom = ({ needs }: Reservation) => {
    const need = needs.get(id);
    return need !== undefined && computeOneFitWait(window, need, reservations, now) > 0;
  };
  return [...reservations, ...waiting().filter(hasNoRoom)];
}

/** Returns the maximum number of requests that a task may send at once for one limit. */
function computeMaxAtOnce(need: LimitNeed | undefined): number {
  return need ? need.count + need.burst : 0;
}
