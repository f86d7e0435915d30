import type { Exchange } from "./exchange.js";

/** The server's clock by the answers of its API host; ours as long as they say nothing else. Milliseconds. */
export interface ServerClock {
  now(): number;
  read(exchange: Exchange): void;
}

/** A `Date` header names the second in which it was written. */
const SECOND_MS = 1000;

/**
 * Opens a clock that follows the `Date` headers of a server's answers (RFC 9110, 6.6.1), so that a moment named to a server whose clock is
 * not ours means there what it is to mean. What a header leaves open by its whole seconds changes nothing.
 */
export function openServerClock(apiUrl: string, ours: () => number): ServerClock {
  let aheadMs = 0;
  return {
    now: () => ours() + aheadMs,
    read({ request, response, startedAt, endedAt }) {
      const serverTime = Date.parse(response?.headers.date ?? "");
      if (Number.isNaN(serverTime) || !request.url.startsWith(apiUrl)) return;
      const [least, most] = [serverTime - endedAt, serverTime + SECOND_MS - startedAt];
      aheadMs = Math.min(Math.max(aheadMs, least), most);
    },
  };
}
