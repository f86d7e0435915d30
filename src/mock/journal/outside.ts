import type { ServiceResponse } from "../../service/call.js";
import type { IncomingMessage } from "../http/messages.js";
import { type Journal, type JournalRecord, keepHeaders, keepText, listRecordsAfter, record } from "./journal.js";

/** A request that no operation of the service answered: a refused host, a redirect, or invalid HTTP. */
export type OutsideRequest = Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "headers">;

/** The response to the request, and its reason. */
interface OutsideResponse extends Pick<ServiceResponse, "headers"> {
  /** Null without a response. */
  status: number | null;
  text?: string | undefined;
  rule: ServiceResponse["rule"];
  /** The reason, if the response does not contain it. */
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
export function restoreOutside(freshJournal: Journal, journalBefore: Journal, to: number): void {
  const journalRecords = listRecordsAfter(freshJournal, 0).map(([entry]) => entry);
  const lostJournalRecords = listRecordsAfter(journalBefore, 0).flatMap(([entry]) =>
    entry.outside && entry.log < to && !journalRecords.includes(entry) ? [entry] : [],
  );
  if (lostJournalRecords.length === 0) return;
  const all: JournalRecord[] = [...journalRecords, ...lostJournalRecords].sort(
    (a, b) => a.log - b.log || Number(a.outside ?? 0) - Number(b.outside ?? 0),
  );
  const total = freshJournal.total + lostJournalRecords.length;
  const keptJournalRecords = all.slice(-freshJournal.size);
  const rebuiltJournal: Journal = {
    size: freshJournal.size,
    ring: [],
    total: total - keptJournalRecords.length,
    listeners: new Set(),
  };
  for (const entry of keptJournalRecords) record(rebuiltJournal, entry);
  Object.assign(freshJournal, { ring: rebuiltJournal.ring, total: rebuiltJournal.total });
}
