import { unreadNames } from "../../client-report/undeclared.js";
import type { JournalRecord } from "./journal.js";

/** What a call sent that nobody read: undeclared query parameters and fields, a body or an Idempotency-Key where none is looked at. */
export function unknownParts({ route, url, body, headers }: JournalRecord): string[] {
  const sendsIdempotencyKey = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === "idempotency-key");
  return unreadNames({ route, url, body, sendsIdempotencyKey });
}
