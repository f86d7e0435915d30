/** One rate that requests are kept below, for one credential. */
export interface Limit {
  /** Told apart from every other: the credential and the bucket. */
  id: string;
  rpm: number;
}

/** How much of each rate is used, and how long the minute is that it counts. */
export interface Pace {
  /** Part of a rate: the headroom below it, shared among shards. */
  share: number;
  minuteSeconds: number;
}

/** Which requests were sent within the last minute of each limit. Plain bookkeeping: it knows no clock and waits for nothing. */
export interface SlidingWindow {
  /** Seconds from `now` until so many more requests fit below every limit; 0 when they fit now. */
  untilFree(limits: readonly Limit[], now: number, count?: number): number;
  /** Seconds from `now` until nothing that was sent, here or before the window was opened, counts against a limit any more. */
  untilEmpty(limits: readonly Limit[], now: number): number;
  /** Notes one request. */
  note(limits: readonly Limit[], now: number): void;
  /** A request was answered: it was counted no later. */
  end(limits: readonly Limit[], now: number): void;
}

/** At most this part of a rate is used: others may act with the same key, and a server's minute need not be ours. */
export const HEADROOM = 0.8;

/** Opens a window in which nothing was sent; what may have been before now nobody knows. */
export function openSlidingWindow(pace: Pace, openedAt = 0): SlidingWindow {
  const last = new Map<string, number>();
  const end: SlidingWindow["end"] = (limits, now) => {
    for (const { id } of limits) last.set(id, now);
  };
  const sent = new Map<string, number[]>();
  const recent = (id: string, since: number) => {
    const kept = (sent.get(id) ?? []).filter((at) => at > since);
    sent.set(id, kept);
    return kept;
  };
  const untilOneIsFree = ({ id, rpm }: Limit, now: number, count: number): number => {
    const { most, seconds } = allowanceOf(rpm, pace);
    const times = recent(id, now - seconds);
    const over = times.length + Math.min(count, most) - most;
    return over > 0 ? (times[over - 1] ?? now) + seconds - now : 0;
  };
  return {
    untilFree: (limits, now, count = 1) => Math.max(0, ...limits.map((limit) => untilOneIsFree(limit, now, count))),
    untilEmpty: (limits, now) => Math.max(0, ...limits.map(({ id }) => (last.get(id) ?? openedAt) + pace.minuteSeconds - now)),
    end,
    note(limits, now) {
      end(limits, now);
      for (const { id, rpm } of limits) recent(id, now - allowanceOf(rpm, pace).seconds).push(now);
    },
  };
}

/** How many requests of a rate are sent in how many seconds. A share of less than one request is one in a longer time. */
export function allowanceOf(rpm: number, { share, minuteSeconds }: Pace): { most: number; seconds: number } {
  const most = rpm * share;
  return most >= 1 ? { most: Math.floor(most), seconds: minuteSeconds } : { most: 1, seconds: minuteSeconds / most };
}
