import type { Exchange } from "./exchange.js";

/** The server's clock in milliseconds, estimated from the responses of its API host. Equals the local clock until a response shows a difference. */
export interface ServerClock {
  now(): number;
  read(exchange: Exchange): void;
}

/** A `Date` header has a precision of one second. */
const SECOND_MS = 1000;

/**
 * Opens a clock that follows the `Date` headers of a server's answers (RFC 9110 6.6.1). Times that the runner sends are then right by the server's
 * clock. A difference within the header's precision of one second changes nothing.
 */
export function openServerClock(apiUrl: string, localNow: () => number): ServerClock {
  let aheadMs = 0;
  return {
    now: () => localNow() + aheadMs,
    read({ request, response, startedAt, endedAt }) {
      const serverTime = Date.parse(response?.headers.date ?? "");
      if (Number.isNaN(serverTime) || !request.url.startsWith(apiUrl)) return;
      const [min, max] = [serverTime - endedAt, serverTime + SECOND_MS - startedAt];
      aheadMs = Math.min(Math.max(aheadMs, min), max);
    },
  };
}
