import type { Demand } from "../scenario/scenario.js";
import type { RateRules } from "./rates.js";
import type { Limit } from "./sliding-window.js";

/** The requests that one task will send, counted by rate limit. */
export interface Reservation {
  /** By the limit's id. */
  readonly needs: ReadonlyMap<string, LimitNeed>;
  /** Ids of limits that the task's bursts may reach. No other task may send requests that count against them meanwhile. */
  readonly exclusiveLimits: ReadonlySet<string>;
  /** Returns the number of unsent requests of the task for a limit, at most `max`. */
  remaining(id: string, max: number): number;
  /** Subtracts one request that was sent. */
  use(id: string): void;
}

/** The requests of one task for one limit. */
export interface LimitNeed {
  limit: Limit;
  /** Requests that are not part of a burst. */
  count: number;
  /** Requests of the largest burst. */
  burst: number;
  /** Requests of the largest burst that comes before all single requests. */
  first: number;
}

/** Returns the reservation for some requests with these keys. Requests with an unknown key are not counted. */
export function createReservation(
  rates: Pick<RateRules, "bucketsOf" | "ceilingOf">,
  demands: readonly Demand[],
  keys: Readonly<Record<string, string>>,
): Reservation {
  const needs = new Map<string, LimitNeed>();
  const exclusiveLimits = new Set<string>();
  const unsentCounts = new Map<string, number>();
  for (const { role, burst, count, ...request } of demands) {
    const key = role === undefined ? undefined : keys[role];
    if (key === undefined) continue;
    for (const { name, rpm } of rates.bucketsOf(request, rates.ceilingOf(role))) {
      const id = `${createBearer(key)} ${name}`;
      const need = needs.get(id) ?? { limit: { id, rpm }, count: 0, burst: 0, first: 0 };
      needs.set(id, burst ? addBurst(need, count) : { ...need, count: need.count + count });
      unsentCounts.set(id, (unsentCounts.get(id) ?? 0) + count);
      if (burst && mayReachLimit(need.limit, count)) exclusiveLimits.add(id);
    }
  }
  const getUnsent = (id: string) => unsentCounts.get(id) ?? 0;
  return {
    ...{ needs, exclusiveLimits },
    remaining: (id, max) => Math.min(max, getUnsent(id)),
    use: (id) => void unsentCounts.set(id, Math.max(0, getUnsent(id) - 1)),
  };
}

function addBurst(need: LimitNeed, count: number): LimitNeed {
  const { burst, first } = need;
  return { ...need, burst: Math.max(burst, count), first: need.count === 0 ? Math.max(first, count) : first };
}

/** Tells whether a burst may reach a limit. The server's limit may be as low as half of the documented one. */
export function mayReachLimit({ rpm }: Limit, burst: number): boolean {
  return rpm < 2 * burst;
}

/** Returns a key in the form of the `Authorization` header, which ids of limits use. */
export function createBearer(key: string): string {
  return `Bearer ${key}`;
}
