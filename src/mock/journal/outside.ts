import type { ServiceResponse } from "../../service/call.js";
import type { IncomingMessage } from "../http/messages.js";
import { type Journal, type JournalRecord, keepHeaders, keepText, record, recordsAfter } from "./journal.js";

/** A request that no operation of the service answered: a refused host, a redirect, or invalid HTTP. */
export type OutsideRequest = Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "headers">;

/** The answer to the request, and its reason. */
interface OutsideResponse extends Pick<ServiceResponse, "headers"> {
  /** Null without an answer. */
  status: number | null;
  text?: string | undefined;
  rule: ServiceResponse["rule"];
  /** The reason, if the answer does not contain it. */
  reason?: string;
}

/** The parts of a world for an entry. */
interface OutsideWorld {
  journal: Journal;
  log: { replayedEntry: unknown; total: number };
  world: { now: number };
}

/** Records a request that no operation of the service answered in the journal of a world. */
export function recordOutside(
  { journal, log, world }: OutsideWorld,
  { method = "", url = "", rawHeaders, headers }: OutsideRequest,
  { status, headers: answered, text, rule, reason }: OutsideResponse,
): void {
  if (log.replayedEntry) return;
  record(journal, {
    log: log.total,
    at: world.now,
    method,
    url,
    headers: keepHeaders(rawHeaders),
    route: null,
    authorization: headers.authorization,
    body: null,
    status,
    answer: { headers: answered, text: keepText(text) },
    levels: null,
    drawn: false,
    rule,
    changes: [],
    forced: false,
    fault: null,
    variations: [],
    outside: true,
    ...(reason !== undefined && { reason }),
  });
}

/** Restores the outside requests before an entry of the log in a journal that was rebuilt from the log. */
export function restoreOutside(fresh: Journal, before: Journal, to: number): void {
  const journalRecords = recordsAfter(fresh, 0).map(([entry]) => entry);
  const lost = recordsAfter(before, 0).flatMap(([entry]) =>
    entry.outside && entry.log < to && !journalRecords.includes(entry) ? [entry] : [],
  );
  if (lost.length === 0) return;
  const all: JournalRecord[] = [...journalRecords, ...lost].sort(
    (a, b) => a.log - b.log || Number(a.outside ?? 0) - Number(b.outside ?? 0),
  );
  const total = fresh.total + lost.length;
  const kept = all.slice(-fresh.size);
  const again: Journal = { size: fresh.size, ring: [], total: total - kept.length, listeners: new Set() };
  for (const entry of kept) record(again, entry);
  Object.assign(fresh, { ring: again.ring, total: again.total });
}
