import type { WireResponse } from "../../../engine/http/exchange.js";

/** Matches a Retry-After of whole seconds, from 1. The text gives no maximum: a longer wait than necessary is allowed. */
export const wholeSeconds = { matches: "^[1-9][0-9]*$" };

/** Returns the seconds that a 429 asks to wait; undefined without a whole number from 1. */
export function secondsToWait({ headers }: WireResponse): number | undefined {
  const value = headers["retry-after"];
  return typeof value === "string" && /^[1-9][0-9]*$/.test(value) ? Number(value) : undefined;
}
