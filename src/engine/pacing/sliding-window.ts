/** One rate limit for one credential. */
export interface Limit {
  /** The credential and the bucket's name. */
  id: string;
  /** Requests a minute. */
  rpm: number;
}

/** How much of each rate a run uses, and how long the server's minute is. */
export interface Pace {
  /** Part of the rate, from 0 to 1: the headroom, divided by the number of shards. */
  share: number;
  minuteSeconds: number;
}

/** Counts the requests that were sent within the last minute, by limit. It reads no clock and waits for nothing: the caller passes `now` in seconds. */
export interface SlidingWindow {
  /** Returns the seconds until `count` more requests fit below every limit; 0 when they fit now. */
  untilFree(limits: readonly Limit[], now: number, count?: number): number;
  /** Returns the seconds until every request has left the windows of all limits, including requests from before this window was opened. */
  untilEmpty(limits: readonly Limit[], now: number): number;
  /** Counts one request that is being sent. */
  record(limits: readonly Limit[], now: number): void;
  /** Records that a request was answered. The server counted it no later than now. */
  recordResponse(limits: readonly Limit[], now: number): void;
}

/** The part of a rate that a run uses at most: other clients may use the same key, and the server's minute may begin at another second. */
export const RATE_SHARE = 0.8;

/** Opens an empty window. Requests from before `openedAt` are unknown, so a limit counts as empty one minute later. */
export function openSlidingWindow(pace: Pace, openedAt = 0): SlidingWindow {
  const last = new Map<string, number>();
  const recordResponse: SlidingWindow["recordResponse"] = (limits, now) => {
    for (const { id } of limits) last.set(id, now);
  };
  const sent = new Map<string, number[]>();
  const recent = (id: string, since: number) => {
    const kept = (sent.get(id) ?? []).filter((at) => at > since);
    sent.set(id, kept);
    return kept;
  };
  const untilOneIsFree = ({ id, rpm }: Limit, now: number, count: number): number => {
    const { max, seconds } = computeAllowance(rpm, pace);
    const times = recent(id, now - seconds);
    const over = times.length + Math.min(count, max) - max;
    return over > 0 ? (times[over - 1] ?? now) + seconds - now : 0;
  };
  return {
    untilFree: (limits, now, count = 1) => Math.max(0, ...limits.map((limit) => untilOneIsFree(limit, now, count))),
    untilEmpty: (limits, now) => Math.max(0, ...limits.map(({ id }) => (last.get(id) ?? openedAt) + pace.minuteSeconds - now)),
    recordResponse,
    record(limits, now) {
      recordResponse(limits, now);
      for (const { id, rpm } of limits) recent(id, now - computeAllowance(rpm, pace).seconds).push(now);
    },
  };
}

/** Returns how many requests of a rate may be sent in how many seconds. Where the share is below one request, the time is longer than a minute. */
export function computeAllowance(rpm: number, { share, minuteSeconds }: Pace): { max: number; seconds: number } {
  const max = rpm * share;
  return max >= 1 ? { max: Math.floor(max), seconds: minuteSeconds } : { max: 1, seconds: minuteSeconds / max };
}
