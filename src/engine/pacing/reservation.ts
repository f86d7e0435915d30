import type { Demand } from "../scenario/scenario.js";
import type { RateRules } from "./rates.js";
import type { Limit } from "./sliding-window.js";

/** What one execution takes of a server's limits. */
export interface Reservation {
  /** By the limit's id. */
  readonly wants: ReadonlyMap<string, LimitNeed>;
  /** Limits that it goes up to: until it is over nobody else's requests may count against them. */
  readonly fills: ReadonlySet<string>;
  /** How many requests for a limit it has yet to send, of so many at the most. */
  leftOf(id: string, most: number): number;
  /** One of them is sent. */
  spend(id: string): void;
}

/** What an execution takes of one limit. */
export interface LimitNeed {
  limit: Limit;
  /** Single requests. */
  count: number;
  /** The largest burst, and the largest of those that come before any single request. */
  burst: number;
  first: number;
}

/** What some demands take of the limits of these keys. Requests without one of them count nowhere that is known. */
export function reservationFor(
  rates: Pick<RateRules, "bucketsOf" | "ceilingOf">,
  demands: readonly Demand[],
  keys: Readonly<Record<string, string>>,
): Reservation {
  const wants = new Map<string, LimitNeed>();
  const fills = new Set<string>();
  const left = new Map<string, number>();
  for (const { role, burst, count, ...request } of demands) {
    const key = role === undefined ? undefined : keys[role];
    if (key === undefined) continue;
    for (const { name, rpm } of rates.bucketsOf(request, rates.ceilingOf(role))) {
      const id = `${bearer(key)} ${name}`;
      const known = wants.get(id) ?? { limit: { id, rpm }, count: 0, burst: 0, first: 0 };
      wants.set(id, burst ? withBurst(known, count) : { ...known, count: known.count + count });
      left.set(id, (left.get(id) ?? 0) + count);
      if (burst && mayReachLimit(known.limit, count)) fills.add(id);
    }
  }
  const leftOf = (id: string) => left.get(id) ?? 0;
  return {
    ...{ wants, fills },
    leftOf: (id, most) => Math.min(most, leftOf(id)),
    spend: (id) => void left.set(id, Math.max(0, leftOf(id) - 1)),
  };
}

function withBurst(wanted: LimitNeed, count: number): LimitNeed {
  const { burst, first } = wanted;
  return { ...wanted, burst: Math.max(burst, count), first: wanted.count === 0 ? Math.max(first, count) : first };
}

/** Whether so many requests in one go may come to a limit, wherever it stands within a factor of two. */
export function mayReachLimit({ rpm }: Limit, count: number): boolean {
  return rpm < 2 * count;
}

/** A key as it stands in a header, and in the id of a limit. */
export function bearer(key: string): string {
  return `Bearer ${key}`;
}
