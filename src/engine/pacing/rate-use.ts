import type { Demand } from "../scenario/scenario.js";
import type { Bucket, RateRules } from "./rates.js";
import { allowanceOf, type Pace } from "./sliding-window.js";

/** One rate of the server, and how much of it a plan uses. */
export interface RateUse {
  /** Its routes, or what it counts. */
  bucket: string;
  /** Requests a minute that the contract allows a key. */
  rpm: number;
  /** Requests of the plan, of all keys together; bursts, which go up to the limit, included. */
  requests: number;
  /** The most requests of one key, without bursts. */
  most: number;
  /** Minutes that these take when they are throttled; 0 where nothing is held back. */
  minutes: number;
}

/** How much of each rate some requests use. Without a pace nothing is held back. */
export function ratesUsed(rates: RateRules, demands: readonly Demand[], pace: Pace | undefined): RateUse[] {
  const used = new Map<string, { bucket: Bucket; requests: number; keys: Map<string, number> }>();
  for (const { role, burst, count, ...request } of demands) {
    if (role === undefined) continue;
    for (const bucket of rates.bucketsOf(request, rates.ceilingOf(role))) {
      const name = `${bucket.name} ${bucket.rpm}`;
      const use = used.get(name) ?? { bucket, requests: 0, keys: new Map<string, number>() };
      use.keys.set(role, (use.keys.get(role) ?? 0) + (burst ? 0 : count));
      used.set(name, { ...use, requests: use.requests + count });
    }
  }
  return [...used.values()]
    .map(({ bucket: { name, rpm }, requests, keys }) => {
      const most = Math.max(...keys.values());
      return { bucket: name, rpm, requests, most, minutes: pace ? minutesFor(most, rpm, pace) : 0 };
    })
    .sort((a, b) => b.minutes - a.minutes || b.requests - a.requests);
}

/** The first requests go at once: only what does not fit in one minute waits. */
function minutesFor(requests: number, rpm: number, pace: Pace): number {
  const { most, seconds } = allowanceOf(rpm, pace);
  return (Math.max(0, Math.ceil(requests / most) - 1) * seconds) / 60;
}
