import { bucketsOf, ceilingOf, KEY_BUDGET } from "./governor/buckets.js";
import { type Calendar, HEADROOM, openCalendar, type Pace, type Place } from "./governor/calendar.js";
import type { Demand } from "./play/demand.js";
import { isRecord } from "./scenario/interpolate.js";
import type { Target } from "./target/target.js";
import { bodyJson, type Exchange, requestJson, type WireRequest } from "./wire/exchange.js";

/** Keeps a run below every rate of a server that others may use too. It says how long to wait; the waiting is the caller's. */
export interface Governor {
  /** Seconds until the request may be sent. */
  wait(request: WireRequest): number;
  /** Seconds until all that a scenario is known to send fits, so that it need not wait half-way. */
  waitForAll(demands: readonly Demand[], keys: Readonly<Record<string, string>>): number;
  /** Counts a request that is being sent. */
  note(request: WireRequest): void;
  /** Reads in an answer what it tells of rates: a new key can have a ceiling of its own. KEY-FIELD-RPM. */
  heed(exchange: Exchange): void;
  /** The target's clock was moved. */
  skip(seconds: number): void;
}

/** Part of the suite that a run plays. */
export type Shard = { index: number; of: number } | undefined;

/** The governor of one run. Where each scenario has a world of its own with a clock that costs nothing, it holds nothing back. */
export function openGovernor(target: Target, shard: Shard): Governor {
  if (target.worlds && target.clock) return idle;
  const calendar = openCalendar(paceOf(target, shard));
  const ceilings = new Map(Object.entries(target.keys).map(([role, key]) => [`Bearer ${key}`, ceilingOf(role)]));
  let skipped = 0;
  // A clock that is moved by its hook may stand still otherwise, so our own time does not count beside it.
  const now = () => (target.clock ? skipped : performance.now() / 1000);
  const placesOf = (request: WireRequest) => placesFor(request, target, ceilings);
  return {
    wait: (request) => calendar.untilFree(placesOf(request), now()),
    waitForAll: (demands, keys) => untilAllFit(calendar, demands, keys, now()),
    note: (request) => calendar.note(placesOf(request), now()),
    heed: (exchange) => learn(ceilings, exchange),
    skip: (seconds) => {
      skipped += seconds;
    },
  };
}

/** How fast a target may be asked: below each rate, and with shards each its part. */
export function paceOf({ timing }: Target, shard: Shard): Pace {
  return { share: HEADROOM / (shard?.of ?? 1), minuteSeconds: timing.rateMinuteSeconds };
}

const idle: Governor = { wait: () => 0, waitForAll: () => 0, note: () => {}, heed: () => {}, skip: () => {} };

/** BUCKET-PER-KEY: counters are a key's own, so a request without one counts nowhere. */
function placesFor({ method, url, headers }: WireRequest, { urls }: Target, ceilings: ReadonlyMap<string, number>): Place[] {
  const { authorization } = headers;
  if (authorization === undefined) return [];
  const { pathname } = new URL(url);
  const tool = url.startsWith(urls.mcp ?? "\0") || /\/mcp\/?$/.test(pathname);
  const buckets = bucketsOf({ method, path: pathname, tool }, ceilings.get(authorization) ?? KEY_BUDGET);
  return buckets.map(({ name, rpm }) => ({ id: `${authorization} ${name}`, rpm }));
}

/** Bursts are left out: they wait for an empty bucket by themselves. */
function untilAllFit(
  calendar: Calendar,
  demands: readonly Demand[],
  keys: Readonly<Record<string, string>>,
  now: number,
): number {
  const wanted = new Map<string, { place: Place; count: number }>();
  for (const { role, burst, count, ...sort } of demands) {
    const key = role === undefined ? undefined : keys[role];
    if (key === undefined || burst) continue;
    for (const { name, rpm } of bucketsOf(sort, ceilingOf(role))) {
      const id = `Bearer ${key} ${name}`;
      wanted.set(id, { place: { id, rpm }, count: (wanted.get(id)?.count ?? 0) + count });
    }
  }
  return Math.max(0, ...[...wanted.values()].map(({ place, count }) => calendar.untilFree([place], now, count)));
}

function learn(ceilings: Map<string, number>, { request, response }: Exchange): void {
  if (request.method !== "POST" || !/\/api\/keys$/.test(request.url) || !response || response.status >= 300) return;
  const asked = requestJson(request);
  const made = bodyJson(response);
  const rpm = isRecord(asked) ? asked.requests_per_minute : undefined;
  if (typeof rpm !== "number" || !made.ok || !isRecord(made.value)) return;
  for (const value of Object.values(made.value))
    if (typeof value === "string") ceilings.set(`Bearer ${value}`, Math.min(rpm, KEY_BUDGET));
}
