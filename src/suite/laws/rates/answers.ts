/** What came of one request that a limit may refuse. Its time is known within bounds: the target's clock before and after the burst it was in. */
export interface Answer {
  outcome: "served" | "refused" | "other";
  /** Milliseconds. */
  fromMs: number;
  toMs: number;
  /** Number of its burst, from 0; the first begins at rest. */
  burst: number;
}

/** A figure that is broken by the last of so many answers, and how. */
export interface Breach {
  /** The place of the answer that breaks it. */
  index: number;
  /** What it must have been. */
  rightly: "served" | "refused";
  why: string;
}

const MINUTE_MS = 60_000;

/**
 * Holds the answers to the requests that draw on one limit of N a minute (least ≤ N ≤ most) against what every conforming window has in common.
 * The text gives no window, so these are conforming: minutes that begin with the first request, minutes of the clock, the minute just past
 * (sliding, exact or reckoned from two minutes), and a bucket of tokens that gains N a minute and holds N to 2N + 1. Requests that are refused
 * may count, and so may those that were refused for another reason. What then is known:
 *
 * 1. *Who is refused has asked N times in the two minutes before.* A window that is full was filled within its own minute. A bucket of tokens
 *    that is empty has gained N in the minute, or was full in it, and both have been taken since. A sliding window that is reckoned looks at
 *    two minutes of the clock. Within one minute it would be true of all but the last.
 * 2. *Who was refused is served at most N times in the minute after.* That minute holds but one beginning of a window of a minute, whether it
 *    begins with a request or with the clock; a sliding window is never fuller than N; a bucket without a whole token gains N and so has
 *    less than N + 1. It is true wherever in a window the refusal came, and however the requests are spread: no 2N + 1 is let through here.
 * 3. *At rest, at most 2N + 1 are served in a row*, in less than a minute: two minutes of the clock that meet, or the largest bucket of tokens.
 * 4. *While time stands, nothing holds more than it did at rest*: N by every window; a bucket of tokens what it showed in the first burst.
 *
 * From there on, who waits out Retry-After sees N by every window of a minute, and by a bucket of tokens perhaps a single one: so the least
 * that is demanded right after Retry-After is one, and N after two minutes without a request (by 1).
 */
export function breachOf(answers: readonly Answer[], { least, most }: { least: number; most: number }): Breach | undefined {
  const atRest = answers.filter(({ outcome, burst }) => outcome === "served" && burst === 0).length;
  for (const [index, answer] of answers.entries()) {
    const found =
      answer.outcome === "refused"
        ? refusedEarly(answers, index, least)
        : answer.outcome === "served"
          ? (servedAfterRefusal(answers, index, most) ?? servedInOneGo(answers, index, most, atRest))
          : undefined;
    if (found !== undefined) return { index, rightly: answer.outcome === "refused" ? "served" : "refused", why: found };
  }
  return undefined;
}

/** By 1: the first of a series may be refused late in what was asked, but not before. */
function refusedEarly(answers: readonly Answer[], index: number, least: number): string | undefined {
  const sinceMs = (answers[index]?.fromMs ?? 0) - 2 * MINUTE_MS;
  const asked = answers.slice(0, index).filter(({ toMs }) => toMs >= sinceMs).length;
  return asked < least ? `is refused after ${asked} requests in two minutes, not ${least}` : undefined;
}

/** By 2, from each refusal in the minute before. */
function servedAfterRefusal(answers: readonly Answer[], index: number, most: number): string | undefined {
  const untilMs = answers[index]?.toMs ?? 0;
  let served = 1;
  for (let place = index - 1; place >= 0; place--) {
    const { outcome, fromMs } = answers[place] as Answer;
    if (untilMs - fromMs > MINUTE_MS) return undefined;
    if (outcome === "served") served += 1;
    if (outcome === "refused" && served > most) return `is served ${served} times in the minute after a refusal, not ${most}`;
  }
  return undefined;
}

/** By 3 and 4. */
function servedInOneGo(answers: readonly Answer[], index: number, most: number, atRest: number): string | undefined {
  const { burst, fromMs, toMs } = answers[index] as Answer;
  const served = answers.slice(0, index + 1).filter((one) => one.burst === burst && one.outcome === "served").length;
  if (burst === 0) {
    const inTime = toMs - fromMs < MINUTE_MS;
    return inTime && served > 2 * most + 1 ? `is served ${served} times in a row, where ${most} a minute are` : undefined;
  }
  const stood = answers.every((one) => (one.burst === 0 || one.burst === burst ? one.fromMs === one.toMs : true));
  return stood && served > Math.max(most, atRest)
    ? `is served ${served} times at once, where ${most} a minute are and ${atRest} were at rest`
    : undefined;
}
