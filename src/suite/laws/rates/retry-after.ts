import type { WireResponse } from "../../../engine/http/exchange.js";

/** How long a wait may be at most, in seconds, by what it is that was used up: a rate counts by the minute, spending by the hour. */
const longestWaits = { rate: 60, spend: 3600 } as const;

/** What Retry-After must look like: a whole number of seconds. */
const WHOLE_SECONDS = /^(0|[1-9][0-9]*)$/;

/** Seconds by which a wait may be longer than that: it is rounded up, and a server may not want all to come back at once. */
const SLACK_SECONDS = 5;

/** The same as a matcher of the header, with its bound. */
export function plausibleWait(kind: keyof typeof longestWaits): { matches: string } {
  return { matches: kind === "rate" ? "^([0-9]|[1-5][0-9]|6[0-5])$" : "^([0-9]{1,3}|[12][0-9]{3}|3[0-5][0-9]{2}|360[0-5])$" };
}

/** The seconds that a 429 asks to wait; undefined where it says none, or none that a limit of its kind can need. */
export function secondsToWait({ headers }: WireResponse, kind: keyof typeof longestWaits): number | undefined {
  const said = headers["retry-after"];
  if (typeof said !== "string" || !WHOLE_SECONDS.test(said)) return undefined;
  const seconds = Number(said);
  return seconds <= longestWaits[kind] + SLACK_SECONDS ? seconds : undefined;
}
