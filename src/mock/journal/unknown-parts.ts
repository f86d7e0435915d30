import { findUndeclaredNames } from "../../client-report/undeclared.js";
import type { JournalRecord } from "./journal.js";

/**
 * Returns the unread parts of a call: undeclared query parameters and fields, and a body or an Idempotency-Key that the route does not
 * read.
 */
export function findUnknownParts({ route, url, body, headers }: JournalRecord): string[] {
  const sendsIdempotencyKey = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === "idempotency-key");
  return findUndeclaredNames({ route, url, body, sendsIdempotencyKey });
}
