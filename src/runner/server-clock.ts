import type { Exchange } from "./wire/exchange.js";

/** The server's clock, as the answers of its API host tell it; ours as long as they say nothing else. Milliseconds. */
export interface ServerClock {
  now(): number;
  heed(exchange: Exchange): void;
}

/** A `Date` header names the second in which it was written. */
const SECOND_MS = 1000;

/**
 * Opens a clock that follows the `Date` headers of a server's answers (RFC 9110, 6.6.1), so that a moment told to a server whose clock is not
 * ours means there what it is to mean. What a header leaves open by its whole seconds changes nothing.
 */
export function openServerClock(apiUrl: string, ours: () => number): ServerClock {
  let aheadMs = 0;
  return {
    now: () => ours() + aheadMs,
    heed({ request, response, startedAt, endedAt }) {
      const told = Date.parse(response?.headers.date ?? "");
      if (Number.isNaN(told) || !request.url.startsWith(apiUrl)) return;
      const [least, most] = [told - endedAt, told + SECOND_MS - startedAt];
      aheadMs = Math.min(Math.max(aheadMs, least), most);
    },
  };
}
