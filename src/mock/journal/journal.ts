import type { RouteName, VariationName } from "../../contract/types.js";
import type { Gate, IncomingCall, ServiceResponse } from "../../service/call.js";
import { readBucketLevels } from "../../service/limits/buckets.js";
import { findKeyByToken } from "../../service/world/lookups.js";
import type { Change, World } from "../../service/world/world.js";

/** One answered call. It contains only references, so that recording is fast. `recordCall` of `call/pipeline.ts` makes it; `readEntry` makes it readable. */
export interface JournalRecord {
  /** The number of its entry in the log of the world. */
  log: number;
  at: number;
  method: string;
  url: string;
  /** Alternating names and values, as they arrived. */
  headers: readonly string[];
  /** The route or tool; null for an unknown path. */
  route: string | null;
  authorization: string | undefined;
  body: unknown;
  status: number | null;
  answer: ResponseRecord;
  /** The levels of the caller's rate buckets after the call; null without a caller. */
  levels: readonly MeterLevel[] | null;
  /** Whether the buckets counted the call. */
  drawn: boolean;
  rule: ServiceResponse["rule"];
  changes: Change[];
  /** Whether a Prefer header determined the response, so that it does not show the service. */
  forced: boolean;
  /** The id of the fault that was applied. */
  fault: string | null;
  /** The legal variations that were applied to the response. */
  variations: readonly VariationName[];
  /** Whether no operation of the service answered the request. A replay of the log does not repeat it. */
  outside?: true;
  /** The reason, if the response does not contain it. */
  reason?: string;
}

/** The recorded response. A long text is replaced by its length. */
export interface ResponseRecord {
  headers: Readonly<Record<string, string>>;
  text: string | number | null;
}

/** The level of a rate bucket. */
export interface MeterLevel {
  bucket: string;
  requests_per_minute: number;
  used: number;
}

/** Receives every recorded call. */
export type JournalListener = (record: JournalRecord, number: number) => void;

/** The newest calls to a world, in a ring buffer. */
export interface Journal {
  size: number;
  ring: JournalRecord[];
  /** Number of all recorded calls, and so the number of the newest call. */
  total: number;
  listeners: Set<JournalListener>;
}

/** Longer bodies are not kept, in bytes or characters. */
const maxBodyLength = 16_384;

/** Opens an empty journal of `size` entries; 0 records nothing. */
export function openJournal(size: number, listeners: Set<JournalListener> = new Set()): Journal {
  return { size, ring: [], total: 0, listeners };
}

/** Adds a record. It replaces the oldest record if the ring is full. */
export function record(journal: Journal, journalRecord: JournalRecord): void {
  if (journal.size > 0) journal.ring[journal.total % journal.size] = journalRecord;
  else if (journal.listeners.size === 0) return;
  journal.total++;
  for (const listener of journal.listeners) listener(journalRecord, journal.total);
}

/** Deletes every entry. */
export function clearJournal(journal: Journal): void {
  journal.ring = [];
  journal.total = 0;
}

/** Returns the kept records after a number, oldest first, each with its number. */
export function listRecordsAfter({ ring, size, total }: Journal, after: number): [JournalRecord, number][] {
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

/** Returns the headers to keep. Consecutive calls with equal headers share one list. */
export function keepHeaders(headers: readonly string[]): readonly string[] {
  const same = headers.length === lastHeaders.length && headers.every((text, i) => text === lastHeaders[i]);
  if (!same) lastHeaders = headers;
  return lastHeaders;
}

let lastUrl = "";

/** Returns the URL to keep. Consecutive calls with the same URL share one text. */
export function keepUrl(url: string): string {
  if (url !== lastUrl) lastUrl = url;
  return lastUrl;
}

/** Returns the part of a call's body that the journal keeps. */
export function keepBody(body: IncomingCall["body"], bytes: number): unknown {
  if (body.kind === "none") return null;
  if (body.kind !== "json") return `(${body.kind})`;
  return bytes > maxBodyLength ? `(${bytes} bytes)` : body.value;
}

/** Returns the part of a response's text that the journal keeps. */
export function keepText(text: string | undefined): ResponseRecord["text"] {
  if (text === undefined) return null;
  return text.length > maxBodyLength ? text.length : text;
}

/** Returns whether the rate buckets count a call that this check answered. */
export function isCharged(gate: Gate, code: string | null): boolean {
  return gate !== "authenticate" && (gate !== "rate" || code === null);
}

/** Returns the levels of the rate buckets that count calls with this credential; null for an unknown credential. */
export function readLevels(
  world: World,
  authorization: string | undefined,
  surface: "rest" | "mcp",
  route: RouteName | null,
): MeterLevel[] | null {
  const key = authorization && findKeyByToken(world, authorization.slice(authorization.lastIndexOf(" ") + 1));
  return key && world.workspaces[key.workspace] ? readBucketLevels(world, key, surface, route) : null;
}
