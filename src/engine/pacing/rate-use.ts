import type { Demand } from "../scenario/scenario.js";
import type { Bucket, RateRules } from "./rates.js";
import { computeAllowance, type Pace } from "./sliding-window.js";

/** One rate limit of the server, and how much of it a plan uses. */
export interface RateUse {
  /** The routes that count against it, or what it counts. */
  bucket: string;
  /** Requests a minute that the contract allows for one key. */
  rpm: number;
  /** Requests of the plan with all keys, bursts included. */
  requests: number;
  /** The most requests with one key, bursts excluded. */
  max: number;
  /** Minutes that `max` requests take; 0 without a pace. */
  minutes: number;
}

/** Returns how much of each rate limit some requests use, slowest first. Without a pace, no request waits. */
export function listRateUse(rates: RateRules, demands: readonly Demand[], pace: Pace | undefined): RateUse[] {
  const used = new Map<string, { bucket: Bucket; requests: number; countByRole: Map<string, number> }>();
  for (const { role, burst, count, ...request } of demands) {
    if (role === undefined) continue;
    for (const bucket of rates.bucketsOf(request, rates.ceilingOf(role))) {
      const name = `${bucket.name} ${bucket.rpm}`;
      const use = used.get(name) ?? { bucket, requests: 0, countByRole: new Map<string, number>() };
      use.countByRole.set(role, (use.countByRole.get(role) ?? 0) + (burst ? 0 : count));
      used.set(name, { ...use, requests: use.requests + count });
    }
  }
  return [...used.values()]
    .map(({ bucket: { name, rpm }, requests, countByRole }) => {
      const max = Math.max(...countByRole.values());
      return { bucket: name, rpm, requests, max, minutes: pace ? computeMinutes(max, rpm, pace) : 0 };
    })
    .sort((a, b) => b.minutes - a.minutes || b.requests - a.requests);
}

/** Returns the minutes that some requests take. The requests that fit in the first minute do not wait. */
function computeMinutes(requests: number, rpm: number, pace: Pace): number {
  const { max, seconds } = computeAllowance(rpm, pace);
  return (Math.max(0, Math.ceil(requests / max) - 1) * seconds) / 60;
}
