import { contract } from "../contract/load.js";
import { type Gate, gates, type IncomingCall, type Reply } from "../service/call.js";
import { keyByToken } from "../service/lookups.js";
import type { Change, World } from "../service/world.js";
import { type ShownChange, showChanges } from "./changes.js";

/** One answered call as it is kept: references only, and not the answer's body. Made readable by `readEntry`. */
export interface JournalRecord {
  at: number;
  method: string;
  url: string;
  /** What was called: a route or a tool; null when it was nothing the service has. */
  route: string | null;
  authorization: string | undefined;
  body: unknown;
  status: number | null;
  rule: Reply["rule"];
  changes: Change[];
  /** Asked for by a Prefer header: no evidence of anything. */
  forced: boolean;
  /** The id of the fault that struck. */
  fault: string | null;
}

/** The newest calls to a world, a ring of fixed size. */
export interface Journal {
  size: number;
  ring: JournalRecord[];
  /** How many were ever recorded; the number of the last. */
  total: number;
}

/** One entry as users see it: what was asked, what was answered, and why. */
export interface Entry {
  number: number;
  at: string;
  request: string;
  route: string | null;
  /** Id of the key that called, null when none of this world did. */
  key: string | null;
  body: unknown;
  /** Null when a fault left the call without an answer. */
  status: number | null;
  /** The gates that let the call pass, in order. */
  passed: Gate[];
  rule: { gate: Gate; code: string | null; clause: string | null; says: string | null };
  changes: ShownChange[];
  forced: boolean;
  fault: string | null;
}

/** Bodies longer than this many bytes are not kept. */
const keptBodyBytes = 16_384;

/** Opens an empty journal of `size` entries; 0 records nothing. */
export function openJournal(size: number): Journal {
  return { size, ring: [], total: 0 };
}

/** Adds an entry, in the place of the oldest when the ring is full. */
export function record(journal: Journal, entry: JournalRecord): void {
  if (journal.size === 0) return;
  journal.ring[journal.total % journal.size] = entry;
  journal.total++;
}

/** Forgets every entry. */
export function clearJournal(journal: Journal): void {
  journal.ring = [];
  journal.total = 0;
}

/** The entries, oldest first, as users see them. */
export function readJournal(journal: Journal, world: World): Entry[] {
  const { ring, size, total } = journal;
  const begin = ring.length < size ? 0 : total % size;
  const oldestFirst = [...ring.slice(begin), ...ring.slice(0, begin)];
  return oldestFirst.map((entry, i) => readEntry(entry, total - ring.length + i + 1, world));
}

/** What of a call's body the journal keeps. */
export function keepBody(body: IncomingCall["body"], bytes: number): unknown {
  if (body.kind === "none") return null;
  if (body.kind !== "json") return `(${body.kind})`;
  return bytes > keptBodyBytes ? `(${bytes} bytes)` : body.value;
}

function readEntry(recorded: JournalRecord, number: number, world: World): Entry {
  const { at, method, url, rule, authorization, ...rest } = recorded;
  const key = authorization && keyByToken(world, authorization.slice(authorization.lastIndexOf(" ") + 1));
  return {
    number,
    at: new Date(at).toISOString(),
    request: `${method} ${url}`,
    route: rest.route,
    key: key ? key.id : null,
    body: rest.body,
    status: rest.status,
    passed: gates.slice(0, gates.indexOf(rule.gate)),
    rule: { ...rule, says: rule.clause && contract.clauses[rule.clause].says },
    changes: showChanges(rest.changes),
    forced: rest.forced,
    fault: rest.fault,
  };
}
