import type { RouteName, VariationName } from "../../contract/types.js";
import type { Gate, IncomingCall, Reply } from "../../service/call.js";
import { levelsOf } from "../../service/limits/buckets.js";
import { keyByToken } from "../../service/world/lookups.js";
import type { Change, World } from "../../service/world/world.js";

/** One answered call as it is kept: references only, so that noting costs next to nothing. Made readable by `readEntry`. */
export interface JournalRecord {
  /** The number of its entry in the log of the world. */
  log: number;
  at: number;
  method: string;
  url: string;
  /** Names and values in turn, as they came. */
  headers: readonly string[];
  /** What was called: a route or a tool; null when it was nothing the service has. */
  route: string | null;
  authorization: string | undefined;
  body: unknown;
  status: number | null;
  answer: AnswerRecord;
  /** How full the caller's buckets were behind the call; null where it has none. */
  levels: readonly MeterLevel[] | null;
  /** Whether the call was counted in them. */
  drawn: boolean;
  rule: Reply["rule"];
  changes: Change[];
  /** Asked for by a Prefer header: no evidence of anything. */
  forced: boolean;
  /** The id of the fault that struck. */
  fault: string | null;
  /** The variations of a world with variations that struck. */
  variations: readonly VariationName[];
  /** No operation of the service answered it, and a replay of the log does not bring it about. */
  outside?: true;
  /** Why it was answered so, where the answer does not say it. */
  reason?: string;
}

/** What was answered; the text of a long one is not kept, only how long it was. */
export interface AnswerRecord {
  headers: Readonly<Record<string, string>>;
  text: string | number | null;
}

/** How full a rate bucket is. */
export interface MeterLevel {
  bucket: string;
  requests_per_minute: number;
  used: number;
}

/** Somebody who is told of every call as it is noted. */
export type JournalListener = (entry: JournalRecord, number: number) => void;

/** The newest calls to a world, a ring of fixed size. */
export interface Journal {
  size: number;
  ring: JournalRecord[];
  /** How many were ever recorded; the number of the last. */
  total: number;
  listeners: Set<JournalListener>;
}

/** Bodies longer than this, in bytes or characters, are not kept. */
const mostKept = 16_384;

/** Opens an empty journal of `size` entries; 0 records nothing. */
export function openJournal(size: number, listeners: Set<JournalListener> = new Set()): Journal {
  return { size, ring: [], total: 0, listeners };
}

/** Adds an entry, in the place of the oldest when the ring is full. */
export function record(journal: Journal, entry: JournalRecord): void {
  if (journal.size > 0) journal.ring[journal.total % journal.size] = entry;
  else if (journal.listeners.size === 0) return;
  journal.total++;
  for (const listener of journal.listeners) listener(entry, journal.total);
}

/** Forgets every entry. */
export function clearJournal(journal: Journal): void {
  journal.ring = [];
  journal.total = 0;
}

/** The records that are kept behind a number, oldest first, each with its own. */
export function recordsAfter({ ring, size, total }: Journal, after: number): [JournalRecord, number][] {
  const first = total - ring.length + 1;
  const begin = Math.max(first, after + 1);
  const found: [JournalRecord, number][] = [];
  for (let number = begin; number <= total; number++) {
    const entry = ring[(number - 1) % size];
    if (entry) found.push([entry, number]);
  }
  return found;
}

let lastHeaders: readonly string[] = [];

/** The headers of a call as they are kept: calls in a row that sent the same have one list of them. */
export function keepHeaders(headers: readonly string[]): readonly string[] {
  const same = headers.length === lastHeaders.length && headers.every((text, i) => text === lastHeaders[i]);
  if (!same) lastHeaders = headers;
  return lastHeaders;
}

/** What of a call's body the journal keeps. */
export function keepBody(body: IncomingCall["body"], bytes: number): unknown {
  if (body.kind === "none") return null;
  if (body.kind !== "json") return `(${body.kind})`;
  return bytes > mostKept ? `(${bytes} bytes)` : body.value;
}

/** What of an answer's text the journal keeps. */
export function keepText(text: string | undefined): AnswerRecord["text"] {
  if (text === undefined) return null;
  return text.length > mostKept ? text.length : text;
}

/** Whether a call that this gate answered was counted in its caller's buckets. */
export function isDrawn(gate: Gate, code: string | null): boolean {
  return gate !== "authenticate" && (gate !== "rate" || code === null);
}

/** How full the buckets are that a call with this credential draws on; null where it has none. */
export function levelsFor(
  world: World,
  authorization: string | undefined,
  surface: "rest" | "mcp",
  route: RouteName | null,
): MeterLevel[] | null {
  const key = authorization && keyByToken(world, authorization.slice(authorization.lastIndexOf(" ") + 1));
  return key && world.workspaces[key.workspace] ? levelsOf(world, key, surface, route) : null;
}
