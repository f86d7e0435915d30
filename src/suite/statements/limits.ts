/** How long a text may be, in characters, both ends included, and the clauses of each end. */
export interface TextLimit {
  least: number;
  most: number;
  clauses: { least: string; most: string; short: string; long: string; otherType: string; missing: string };
}

/** The texts whose length section 8 bounds, by the field of the body. */
export const textLimits = {
  dismissal_note: {
    least: 10,
    most: 500,
    clauses: {
      least: "OBS-DISMISS-NOTE-MIN",
      most: "OBS-DISMISS-NOTE-MAX",
      short: "OBS-DISMISS-NOTE-SHORT",
      long: "OBS-DISMISS-NOTE-LONG",
      otherType: "OBS-DISMISS-NOTE-STRING",
      missing: "OBS-DISMISS-BOTH-REQUIRED",
    },
  },
  reopen_reason: {
    least: 1,
    most: 2000,
    clauses: {
      least: "OBS-REOPEN-REASON-MIN",
      most: "OBS-REOPEN-REASON-MAX",
      short: "OBS-REOPEN-REASON-EMPTY",
      long: "OBS-REOPEN-REASON-LONG",
      otherType: "OBS-REOPEN-REASON-STRING",
      missing: "OBS-REOPEN-REASON-REQUIRED",
    },
  },
} as const satisfies Record<string, TextLimit>;

/** How long an Idempotency-Key holds. IDEMPOTENCY-WINDOW. */
export const IDEMPOTENCY_HOURS = 24;

/** How often the scheduler picks jobs up, about. JOB-STATE-DISPATCH-TICK. */
export const DISPATCH_SECONDS = 30;

/** Keys that are live in a workspace at most. KEY-LIVE-CAP. */
export const LIVE_KEYS = 25;
