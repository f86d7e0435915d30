import type { RateLimit } from "./rate-limit.js";

/** The result of a request that a limit may refuse. Its time lies between the target's clock before and after its burst. */
export interface RateResponse {
  outcome: "served" | "refused" | "other";
  /** Milliseconds. */
  fromMs: number;
  toMs: number;
  /** Number of the burst, from 0. The first burst starts with an unused limit. */
  burst: number;
}

/** The response that contradicts a limit. */
export interface Breach {
  /** Index of the response. */
  index: number;
  /** The required result. */
  required: "served" | "refused";
  why: string;
}

/** The figures of a limit. */
type Bounds = Pick<RateLimit, "min" | "max" | "uncounted">;

const MINUTE_MS = 60_000;

/**
 * Returns the first response that breaks a limit of N requests per minute (least ≤ N ≤ most); undefined when none does.
 * The contract names no algorithm, so only the bounds of every conforming algorithm apply. Fixed windows may start with
 * the first request or with the clock's minute. Sliding windows may be exact or estimated from two minutes.
 * Token buckets may refill N per minute and hold N to 2N + 1. Refused requests may count.
 *
 * 1. *A refused client has sent N requests in the last two minutes.* A full window was filled within its minute. An empty
 *    token bucket has refilled N within the last minute, or was full then. An estimated sliding window covers two minutes.
 * 2. *After a refusal, at most N requests are accepted within a minute.* That minute contains the start of one window only.
 *    A sliding window never holds more than N, and a token bucket without a whole token refills less than N + 1.
 * 3. *An unused limit accepts at most 2N + 1 requests in a row*, in less than a minute: two adjacent minutes of the clock,
 *    or the largest token bucket.
 * 4. *While the clock stands still, a limit accepts no more than when it was unused*: N, or the size of the token bucket. Requests
 *    that opened a tool session may have counted before.
 *
 * A client that waits for Retry-After gets N from a window, but perhaps only one from a token bucket. So the suite requires
 * one accepted request right after Retry-After, and N after two minutes without a request (rule 1).
 */
export function findBreach(responses: readonly RateResponse[], { min, max, uncounted = 0 }: Bounds): Breach | undefined {
  const afterRest = uncounted + responses.filter(({ outcome, burst }) => outcome === "served" && burst === 0).length;
  for (const [index, response] of responses.entries()) {
    const found =
      response.outcome === "refused"
        ? findEarlyRefusal(responses, index, min)
        : response.outcome === "served"
          ? (findLateService(responses, index, max) ?? findExcess(responses, index, max, afterRest))
          : undefined;
    if (found !== undefined) return { index, required: response.outcome === "refused" ? "served" : "refused", why: found };
  }
  return undefined;
}

/** Checks rule 1. A request in the middle of a burst may be refused, but not too early. */
function findEarlyRefusal(responses: readonly RateResponse[], index: number, min: number): string | undefined {
  const sinceMs = (responses[index]?.fromMs ?? 0) - 2 * MINUTE_MS;
  const sent = responses.slice(0, index).filter(({ toMs }) => toMs >= sinceMs).length;
  return sent < min ? `was refused after ${sent} requests in two minutes instead of at least ${min}` : undefined;
}

/** Checks rule 2, from each refusal in the minute before. */
function findLateService(responses: readonly RateResponse[], index: number, max: number): string | undefined {
  const untilMs = responses[index]?.toMs ?? 0;
  let served = 1;
  for (let place = index - 1; place >= 0; place--) {
    const { outcome, fromMs } = responses[place] as RateResponse;
    if (untilMs - fromMs > MINUTE_MS) return undefined;
    if (outcome === "served") served += 1;
    if (outcome === "refused" && served > max)
      return `was accepted ${served} times in the minute after a refusal instead of at most ${max}`;
  }
  return undefined;
}

/** Checks rules 3 and 4. */
function findExcess(responses: readonly RateResponse[], index: number, max: number, afterRest: number): string | undefined {
  const { burst, fromMs, toMs } = responses[index] as RateResponse;
  const served = responses
    .slice(0, index + 1)
    .filter((response) => response.burst === burst && response.outcome === "served").length;
  if (burst === 0) {
    const inTime = toMs - fromMs < MINUTE_MS;
    return inTime && served > 2 * max + 1 ? `was accepted ${served} times in a row at a limit of ${max} a minute` : undefined;
  }
  const isClockUnmoved = responses.every((response) =>
    response.burst === 0 || response.burst === burst ? response.fromMs === response.toMs : true,
  );
  return isClockUnmoved && served > Math.max(max, afterRest)
    ? `was accepted ${served} times in a burst at a limit of ${max} a minute, and ${afterRest} times before the first refusal`
    : undefined;
}
