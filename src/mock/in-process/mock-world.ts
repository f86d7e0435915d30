import type { ClientReport } from "../../client-report/report.js";
import type { EventArguments, EventName, KeyName, SessionName } from "../../contract/names.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import type { BucketLevel, BucketPreset, Meters } from "../control/meters.js";
import type { Fault, FaultRequest } from "../faults/faults.js";
import type { Addresses } from "../http/public-addresses.js";
import type { Match } from "../journal/matching.js";
import type { Entry } from "../journal/read-entry.js";
import type { Verification, VerificationRequest } from "../journal/verification.js";
import type { ClockMode, ClockMove, ClockSetting, ClockState, MoveResult } from "../worlds/clock.js";
import type { DriveResult } from "../worlds/drive.js";
import type { RewindResult } from "../worlds/log/rewind-result.js";
import type { WorldOptions } from "../worlds/options.js";
import type { WorldInfo } from "../worlds/world-info.js";
import type { InProcess } from "./interception.js";

/**
 * One world of a running mock: its addresses and credentials, and functions that control it. Each function throws if it cannot do its work.
 */
export interface MockWorld<Key extends string = string, Session extends string = string>
  extends Addresses,
    WorldInfo<Key, Session>,
    InProcess {
  /** Moves the clock: by a duration (`"30s"`), to a time, or until an event. */
  advance(move: string | ClockMove): MoveResult;
  /** Returns the time of the clock and the next scheduled events. */
  clock(): ClockState;
  /** Changes how the clock runs, what a Retry-After does to it, and when jobs complete. */
  setClock(setting: ClockMode | ClockSetting): void;
  /** Triggers an event from outside the API, such as `finish-job`. Returns the result of the event. */
  drive<Event extends EventName>(event: Event, args?: EventArguments<Event>): DriveResult<Event>;
  /** Adds a fault for calls of one route or tool. */
  fault(request: FaultRequest): Fault;
  /** Returns the placed faults, with the calls that they were applied to. */
  faults(): Fault[];
  /** Removes one fault, or all. */
  removeFaults(id?: string): void;
  /** Returns the journal's entries that match, oldest first; all entries without a match. */
  journal(match?: Match): Entry[];
  /** Verifies how many entries match, or in which order they came. When it fails, the result holds the closest entries. */
  verify(match: Match, count: number): Verification;
  verify(request: VerificationRequest): Verification;
  /** Deletes all entries of the journal. */
  clearJournal(): void;
  /** Returns the client report of this world. */
  clientReport(): ClientReport;
  /** Returns the used part of the buckets and dollars of each key. */
  buckets(): Meters;
  /** Sets how much of a bucket is used. */
  setBucket(preset: BucketPreset): BucketLevel;
  /** Returns the whole state. It can be restored in this mock or in another one. */
  snapshot(): Snapshot;
  /** Replaces the state with a snapshot. */
  restore(snapshot: Snapshot): void;
  /** Rewinds the world to the state before an entry of its log, by the entry's number. Rejects if the log no longer has the entry. */
  rewind(to: number): Promise<RewindResult>;
  /** Resets the world to its first state. */
  reset(): void;
}

/** A world besides the default world. It can be deleted. */
export interface IsolatedWorld<Key extends string = string, Session extends string = string> extends MockWorld<Key, Session> {
  /** Deletes the world. Its keys become invalid. */
  remove(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A running mock. It is also the handle of its default world. */
export interface Mock<Key extends string = string, Session extends string = string> extends MockWorld<Key, Session> {
  /** Creates a world with its own keys. Rejects if an option or the fixture is invalid. */
  world(options?: WorldOptions & { fixture?: never }): Promise<IsolatedWorld<Key, Session>>;
  world(options?: WorldOptions): Promise<IsolatedWorld>;
  /** Returns the report of the clients of all worlds, deleted worlds included. */
  joinedClientReport(): Promise<ClientReport>;
  /** The ids of its worlds. */
  worlds(): string[];
  /** Stops listening. Current answers have one second to finish. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A mock with the roles of the default fixture `demo`. */
export type DemoMock = Mock<KeyName, SessionName>;

/** A world besides the default world of such a mock. */
export type DemoWorld = IsolatedWorld<KeyName, SessionName>;
