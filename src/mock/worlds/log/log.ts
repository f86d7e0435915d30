import type { World } from "../../../service/world/world.js";
import type { Fault } from "../../faults/faults.js";
import type { IncomingMessage, ServerResponse } from "../../http/messages.js";
import type { JournalRecord } from "../../journal/journal.js";
import type { Refusals } from "../../variations/refusals.js";
import type { ClockMode, Skip } from "../clock.js";
import type { LogEntry, LoggedAnswer } from "./entry.js";

/** What happened to a world from outside, the newest of it. */
export interface Log {
  /** Oldest first; each begins with a state that its entries can be played on. */
  segments: Segment[];
  /** How many entries there ever were; the number of the last. */
  total: number;
  /** The entry that is being played again: nothing is added meanwhile. */
  playing: LogEntry | null;
  /** Calls that are played, by their number: a fault may hold one back until its strike is played. */
  parked: Map<number, PlayedCall>;
  /** How many calls a fault holds back now. */
  waiting: number;
  hooks: LogHooks;
  /** What the last entry's answer has to wait for. */
  kept: Promise<unknown> | null;
}

/** Who is told of a log, as it grows. */
export interface LogHooks {
  /** Told of each entry as it takes effect. No answer leaves before what it gives is fulfilled; is it rejected, the answer is lost. */
  onAppend?: (entry: LogEntry) => Promise<unknown> | undefined;
  /** Told what came of an entry; of a call that is held back, later. */
  onAnswer?: (entry: LogEntry, answer: LoggedAnswer) => void;
  /** Told that the entry of this number and all behind it never were. */
  onRewind?: (to: number) => void;
  /** Answers a call that cannot be kept; without it the connection ends. */
  refuse?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A call that is played. */
export interface PlayedCall {
  /** Told how it goes on, when a fault holds it back. */
  park(go: () => void): void;
  /** Goes on; its client may have gone meanwhile. */
  strike(gone: boolean): Promise<void>;
}

/** Entries, and what they were played on. */
export interface Segment {
  /** The number of the last entry before them. */
  after: number;
  base: Checkpoint | FoundingBase;
  entries: LogEntry[];
  /** About how many bytes the bodies in it are. */
  bytes: number;
}

/** The world as it was created, at a time of the wall. */
export interface FoundingBase {
  wall: number;
}

/** Everything that what comes next depends on, as it was. */
export interface Checkpoint {
  world: World;
  clock: { mode: ClockMode; skip: Skip; until: number | null };
  faults: Fault[];
  faultCount: number;
  journal: { ring: JournalRecord[]; total: number };
  sessions: { id: string; key: string; usedAt: number }[];
  /** What a world with variations remembers of its early refusals. */
  refusals?: Refusals;
}

/** So many entries can be rewound at least, unless their bodies are too large or too many states were put in place among them. */
export const leastKept = 5000;
const mostKept = 100_000;
/** The oldest entries are forgotten when all bodies together are this large. */
export const mostBytes = 16_777_216;
const mostCheckpoints = 4;

/** Opens the log of a world that was created at a time of the wall. */
export function openLog(base: Segment["base"], hooks: LogHooks, after = 0): Log {
  const segments = [{ after, base, entries: [], bytes: 0 }];
  return { segments, total: after, playing: null, parked: new Map(), waiting: 0, hooks, kept: null };
}

/** Adds an entry behind the others. */
export function push(log: Log, entry: LogEntry, bytes: number): void {
  const segment = lastSegment(log);
  segment.entries.push(entry);
  segment.bytes += bytes;
  log.total = entry.number;
}

/** Forgets what was sent along with the last entry. */
export function forgetBody(log: Log): void {
  const { entries } = lastSegment(log);
  const last = entries.pop();
  if (!last) return;
  if ("control" in last) {
    const { body: _, ...rest } = last;
    entries.push(rest);
  } else entries.push(last);
}

/**
 * Whether it is time to begin another segment: never while a call is held back, which would strike in a segment that does not know it. A world
 * of many rows takes long to copy, so it is copied after as many calls: each pays for a row at most, however many there are.
 */
export function isFull(log: Log, { serials }: World): boolean {
  const { entries, bytes } = lastSegment(log);
  const rows = (serials.job_row ?? 0) + (serials.observation ?? 0);
  const most = Math.max(leastKept, Math.min(rows, mostKept));
  return (entries.length >= most || bytes >= mostBytes) && log.waiting === 0 && log.parked.size === 0;
}

/** Begins another segment, and forgets the oldest ones that are too much. */
export function beginSegment(log: Log, base: Segment["base"]): void {
  log.segments.push({ after: log.total, base, entries: [], bytes: 0 });
  while (isTooMuch(log)) log.segments.shift();
}

/** The number of the oldest entry that can be rewound. */
export function oldestKept({ segments }: Log): number {
  return (segments[0]?.after ?? 0) + 1;
}

/** The entries that are kept behind a number, oldest first. */
export function entriesAfter({ segments }: Log, after: number): LogEntry[] {
  return segments.flatMap((segment) => segment.entries.slice(Math.max(0, after - segment.after)));
}

function lastSegment({ segments }: Log): Segment {
  return segments[segments.length - 1]!; // a log is opened with one, and loses none but those before another
}

function isTooMuch({ segments, total }: Log): boolean {
  const [oldest, next] = segments;
  if (!oldest || !next) return false;
  const rest = segments.slice(1);
  return (
    total - next.after >= leastKept ||
    rest.reduce((sum, { bytes }) => sum + bytes, 0) >= mostBytes ||
    segments.filter(({ base }) => "world" in base).length > mostCheckpoints
  );
}
