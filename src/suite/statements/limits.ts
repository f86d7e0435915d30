/** The limits of a text's length in characters, both inclusive, and the clause of each limit. */
export interface TextLimit {
  min: number;
  max: number;
  clauses: { min: string; max: string; short: string; long: string; otherType: string; missing: string };
}

/** The text fields whose length section 8 limits, by their name in the body. */
export const textLimits = {
  dismissal_note: {
    min: 10,
    max: 500,
    clauses: {
      min: "OBS-DISMISS-NOTE-MIN",
      max: "OBS-DISMISS-NOTE-MAX",
      short: "OBS-DISMISS-NOTE-SHORT",
      long: "OBS-DISMISS-NOTE-LONG",
      otherType: "OBS-DISMISS-NOTE-STRING",
      missing: "OBS-DISMISS-BOTH-REQUIRED",
    },
  },
  reopen_reason: {
    min: 1,
    max: 2000,
    clauses: {
      min: "OBS-REOPEN-REASON-MIN",
      max: "OBS-REOPEN-REASON-MAX",
      short: "OBS-REOPEN-REASON-EMPTY",
      long: "OBS-REOPEN-REASON-LONG",
      otherType: "OBS-REOPEN-REASON-STRING",
      missing: "OBS-REOPEN-REASON-REQUIRED",
    },
  },
} as const satisfies Record<string, TextLimit>;

/** How long the server remembers an Idempotency-Key, in hours. IDEMPOTENCY-WINDOW. */
export const IDEMPOTENCY_HOURS = 24;

/** How often the scheduler starts pending jobs, in seconds, approximately. JOB-STATE-DISPATCH-TICK. */
export const DISPATCH_SECONDS = 30;

/** Maximum number of live keys of a workspace. KEY-LIVE-CAP. */
export const LIVE_KEYS = 25;
