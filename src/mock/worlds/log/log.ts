import type { World } from "../../../service/world/world.js";
import type { Fault } from "../../faults/faults.js";
import type { IncomingMessage, ServerResponse } from "../../http/messages.js";
import type { JournalRecord } from "../../journal/journal.js";
import type { Refusals } from "../../variations/refusals.js";
import type { ClockMode, Skip } from "../clock.js";
import type { LogEntry, LoggedResponse } from "./entry.js";

/** The newest events of a world from outside. */
export interface Log {
  /** Segments, oldest first. Each begins with a state on which its entries can be replayed. */
  segments: Segment[];
  /** Number of all entries so far, and so the number of the last entry. */
  total: number;
  /** The entry that is being replayed. Meanwhile no entry is added. */
  replayedEntry: LogEntry | null;
  /** Calls that are being replayed, by their number. A fault may delay one until the entry that resumes it is replayed. */
  parked: Map<number, ReplayedCall>;
  /** Number of calls that a fault delays now. */
  waiting: number;
  hooks: LogHooks;
  /** The promise for which the last entry's answer waits. */
  kept: Promise<unknown> | null;
}

/** The functions that a log calls when it changes. */
export interface LogHooks {
  /** Called with each entry when it takes effect. Answers wait for the returned promise; if it rejects, the response is lost. */
  onAppend?: (entry: LogEntry) => Promise<unknown> | undefined;
  /** Called with the response of an entry; later for a delayed call. */
  onResponse?: (entry: LogEntry, response: LoggedResponse) => void;
  /** Called when this entry and all after it were rewound. */
  onRewind?: (to: number) => void;
  /** Answers a call that cannot be persisted. Without it, the connection ends. */
  refuse?: (request: IncomingMessage, response: ServerResponse, error: unknown) => void;
}

/** A call that is being replayed. */
export interface ReplayedCall {
  /** Receives the continuation if a fault delays the call. */
  park(go: () => void): void;
  /** Continues the call. `gone`: its client has disconnected. */
  resume(hasGone: boolean): Promise<void>;
}

/** Entries, and the state on which they are replayed. */
export interface Segment {
  /** Number of the last entry before them. */
  after: number;
  base: Checkpoint | ConfigurationBase;
  entries: LogEntry[];
  /** Approximate number of bytes of their bodies. */
  bytes: number;
}

/** The world as it was created, at a real time. */
export interface ConfigurationBase {
  wall: number;
}

/** The whole state on which later events depend. */
export interface Checkpoint {
  world: World;
  clock: { mode: ClockMode; skip: Skip; until: number | null };
  faults: Fault[];
  faultCount: number;
  journal: { ring: JournalRecord[]; total: number };
  sessions: { id: string; key: string; usedAt: number }[];
  /** The state of early refusals in a world with variations. */
  refusals?: Refusals;
}

/** Opens the log of a world that was created at a real time. */
export function openLog(base: Segment["base"], hooks: LogHooks, after = 0): Log {
  const segments = [{ after, base, entries: [], bytes: 0 }];
  return { segments, total: after, replayedEntry: null, parked: new Map(), waiting: 0, hooks, kept: null };
}
