import type { ClientReport } from "../../client-report/report.js";
import type { EventArguments, EventName, KeyName, SessionName } from "../../contract/names.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import type { BucketLevel, BucketPreset, Meters } from "../control/meters.js";
import type { Fault, FaultRequest } from "../faults/faults.js";
import type { Addresses } from "../http/public-addresses.js";
import type { Entry } from "../journal/entry.js";
import type { Match } from "../journal/matching.js";
import type { Verification, VerificationRequest } from "../journal/verification.js";
import type { ClockFace, ClockMode, ClockMove, ClockSetting, MoveResult } from "../worlds/clock.js";
import type { DriveResult } from "../worlds/drive.js";
import type { RewindResult } from "../worlds/log/rewind-result.js";
import type { WorldOptions } from "../worlds/options.js";
import type { WorldInfo } from "../worlds/world-info.js";
import type { InProcess } from "./interception.js";

/** One world of a running mock: where and with what to call it, and how to make things happen in it. All of it throws when it cannot. */
export interface MockWorld<Key extends string = string, Session extends string = string>
  extends Addresses,
    WorldInfo<Key, Session>,
    InProcess {
  /** Moves the clock: by a length of time (`"30s"`), to a time, or until something happens. */
  advance(move: string | ClockMove): MoveResult;
  /** What the clock shows, and what will happen next by itself. */
  clock(): ClockFace;
  /** Changes how the clock runs by itself, what waits do to it, and when work is done. */
  setClock(setting: ClockMode | ClockSetting): void;
  /** Lets something happen from outside the API, such as `finish-job`; answers what came of it. */
  drive<Event extends EventName>(event: Event, args?: EventArguments<Event>): DriveResult;
  /** Lets calls of one route or tool go wrong. */
  fault(request: FaultRequest): Fault;
  /** Returns the placed faults, with the calls that they were applied to. */
  faults(): Fault[];
  /** Takes one fault away, or all. */
  removeFaults(id?: string): void;
  /** Returns the journal's entries that match, oldest first; all entries without a match. */
  journal(match?: Match): Entry[];
  /** Verifies how many entries match, or in which order they came. When it fails, the result holds the closest entries. */
  verify(match: Match, count: number): Verification;
  verify(request: VerificationRequest): Verification;
  /** Forgets every entry. */
  clearJournal(): void;
  /** Returns the client report of this world. */
  clientReport(): ClientReport;
  /** What the keys have used of their buckets and dollars. */
  buckets(): Meters;
  /** Says how much of a bucket is used. */
  setBucket(preset: BucketPreset): BucketLevel;
  /** The whole state, to be put back later or into another mock. */
  snapshot(): Snapshot;
  /** Puts a snapshot in the place of the state. */
  restore(snapshot: Snapshot): void;
  /** Takes the world back to where it stood before an entry of its log, by the entry's number; rejects when the log does not reach back so far. */
  rewind(to: number): Promise<RewindResult>;
  /** Starts the world again as it was at first. */
  reset(): void;
}

/** A world beside the default one, which can go again. */
export interface IsolatedWorld<Key extends string = string, Session extends string = string> extends MockWorld<Key, Session> {
  /** Takes the world off the mock; its keys are no longer known. */
  remove(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A running mock; itself the handle of its default world. */
export interface Mock<Key extends string = string, Session extends string = string> extends MockWorld<Key, Session> {
  /** Creates one more world with its own keys. Rejects when an option or the fixture is wrong. */
  world(options?: WorldOptions & { fixture?: never }): Promise<IsolatedWorld<Key, Session>>;
  world(options?: WorldOptions): Promise<IsolatedWorld>;
  /** The report of the clients of all worlds together, deleted worlds included. */
  joinedClientReport(): Promise<ClientReport>;
  /** The ids of its worlds. */
  worlds(): string[];
  /** Stops listening; answers under way get a second. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A mock with the roles of the fixture `demo`, which is the default. */
export type DemoMock = Mock<KeyName, SessionName>;

/** A world beside its default one. */
export type DemoWorld = IsolatedWorld<KeyName, SessionName>;
