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
  /** Calls that are played, by their number: a fault may delay one until the entry that resumes it is played. */
  parked: Map<number, PlayedCall>;
  /** How many calls a fault holds back now. */
  waiting: number;
  hooks: LogHooks;
  /** What the last entry's answer has to wait for. */
  kept: Promise<unknown> | null;
}

/** The functions that a log calls as it grows. */
export interface LogHooks {
  /** Called with each entry as it takes effect. Answers wait for the returned promise; when it rejects, the answer is lost. */
  onAppend?: (entry: LogEntry) => Promise<unknown> | undefined;
  /** Called with the answer of an entry; later for a delayed call. */
  onAnswer?: (entry: LogEntry, answer: LoggedAnswer) => void;
  /** Called when this entry and all after it were rewound. */
  onRewind?: (to: number) => void;
  /** Answers a call that cannot be kept; without it the connection ends. */
  refuse?: (request: IncomingMessage, response: ServerResponse, error: unknown) => void;
}

/** A call that is played. */
export interface PlayedCall {
  /** Called with the continuation when a fault delays the call. */
  park(go: () => void): void;
  /** Goes on; its client may have gone meanwhile. */
  resume(gone: boolean): Promise<void>;
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

/** Opens the log of a world that was created at a time of the wall. */
export function openLog(base: Segment["base"], hooks: LogHooks, after = 0): Log {
  const segments = [{ after, base, entries: [], bytes: 0 }];
  return { segments, total: after, playing: null, parked: new Map(), waiting: 0, hooks, kept: null };
}
