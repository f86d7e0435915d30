import type { World } from "../../../service/world/world.js";
import type { IncomingMessage, ServerResponse } from "../../http/messages.js";
import { catchUp } from "../clock.js";
import type { WorldEntry } from "../worlds.js";
import { takeCheckpoint } from "./checkpoint.js";
import type { ControlCall, LogEntry, LogEvent, LoggedResponse } from "./entry.js";
import type { Log, Segment } from "./log.js";

/** Minimum number of entries that can be rewound, unless their bodies are too large or the state was replaced too often among them. */
export const minKept = 5000;
const maxKeptEntries = 100_000;
/** The oldest entries are deleted when all bodies together are larger than this. */
export const maxBytes = 16_777_216;
const maxCheckpoints = 4;

/** Approximate number of bytes of an entry besides its body. */
const entryBytes = 512;

/** Adds an event to the log before its effects. While the log is replayed, returns the replayed entry. */
export function append(worldEntry: WorldEntry, act: LogEvent, bytes = 0): LogEntry {
  const { log, world } = worldEntry;
  if (log.replayedEntry) return log.replayedEntry;
  if (isFull(log, world)) beginSegment(log, takeCheckpoint(worldEntry));
  return add(log, { number: log.total + 1, at: world.now, ...act }, bytes);
}

/** Adds an event of the control plane with the time of the world at which it took effect. */
export function appendControl(worldEntry: WorldEntry, at: number, act: ControlCall): LogEntry {
  const { log, begun } = worldEntry;
  if (log.replayedEntry) return log.replayedEntry;
  const wall = act.begins === "configuration" && { wall: begun };
  const entry = add(log, { number: log.total + 1, at, ...act, ...wall }, countBytes(act));
  rotate(worldEntry, entry);
  return entry;
}

/** Adds an entry whose replay is complete. */
export function appendReplayed(worldEntry: WorldEntry, entry: LogEntry): void {
  appendUnreplayed(worldEntry, entry);
  rotate(worldEntry, entry);
}

/** Adds an entry that a later state contains. It is replayed only for a rewind. */
export function appendUnreplayed({ log }: WorldEntry, entry: LogEntry): void {
  push(log, entry, "call" in entry ? entry.call.received.bytes : countBytes(entry));
}

/** Passes the response to an entry to the listener of the log. */
export function notifyResponse({ hooks }: Log, entry: LogEntry, response: LoggedResponse): void {
  hooks.onResponse?.(entry, response);
}

/** Sends a response when the log up to now is persisted. If that fails, the function that persists answers, or the connection ends. */
export function runWhenPersisted(
  { kept, hooks }: Log,
  request: IncomingMessage,
  response: ServerResponse,
  send: () => void,
): void {
  if (!kept) send();
  else
    kept.then(send, (error: unknown) => {
      if (hooks.refuse) hooks.refuse(request, response, error);
      else response.destroy();
    });
}

/** Continues a delayed call after some milliseconds. A rewind of its world cuts it off. */
export function delayCall(worldEntry: WorldEntry, response: ServerResponse, ms: number, go: () => void): void {
  const { log } = worldEntry;
  if (log.replayedEntry) {
    log.parked.get(log.replayedEntry.number)?.park(go);
    return;
  }
  const number = log.total;
  log.waiting++;
  const resume = () => {
    if (worldEntry.log !== log) {
      response.destroy();
      return;
    }
    log.waiting--;
    catchUp(worldEntry.clock);
    append(worldEntry, { resume: number, ...(response.destroyed && { gone: true }) });
    go();
  };
  // a client that stops waiting does not cancel the request: it is still performed and recorded
  setTimeout(resume, ms).unref();
}

/** Begins another segment after an entry, if necessary. */
function rotate(worldEntry: WorldEntry, entry: LogEntry): void {
  const { log, begun } = worldEntry;
  const begins = "control" in entry ? entry.begins : undefined;
  if (begins === "configuration") beginSegment(log, { wall: begun });
  else if (begins === "state") {
    // later entries are replayed on the new state, so it need not be kept twice
    forgetBody(log);
    beginSegment(log, takeCheckpoint(worldEntry));
  } else if (isFull(log, worldEntry.world)) beginSegment(log, takeCheckpoint(worldEntry));
}

function countBytes(act: LogEvent): number {
  return "body" in act && act.body !== undefined ? entryBytes : 0;
}

function add(log: Log, entry: LogEntry, bytes: number): LogEntry {
  push(log, entry, bytes);
  const kept = log.hooks.onAppend?.(entry);
  kept?.catch(() => {}); // a response that waits handles the promise
  log.kept = kept ?? null;
  return entry;
}

/** Adds an entry after the others. */
export function push(log: Log, entry: LogEntry, bytes: number): void {
  const segment = findLastSegment(log);
  segment.entries.push(entry);
  segment.bytes += bytes;
  log.total = entry.number;
}

/** Deletes the body of the last entry. */
function forgetBody(log: Log): void {
  const { entries } = findLastSegment(log);
  const last = entries.pop();
  if (!last) return;
  if ("control" in last) {
    const { body: _, ...rest } = last;
    entries.push(rest);
  } else entries.push(last);
}

/**
 * Returns whether the log needs another segment; never while a fault delays a call. Copying a world costs time for each row, so a larger
 * world is copied less often.
 */
export function isFull(log: Log, { serials }: World): boolean {
  const { entries, bytes } = findLastSegment(log);
  const rows = (serials.job_row ?? 0) + (serials.observation ?? 0);
  const max = Math.max(minKept, Math.min(rows, maxKeptEntries));
  return (entries.length >= max || bytes >= maxBytes) && log.waiting === 0 && log.parked.size === 0;
}

/** Begins another segment and deletes the oldest surplus segments. */
export function beginSegment(log: Log, base: Segment["base"]): void {
  log.segments.push({ after: log.total, base, entries: [], bytes: 0 });
  while (isTooMuch(log)) log.segments.shift();
}

/** Returns the number of the oldest entry that can be rewound. */
export function findOldestEntryNumber({ segments }: Log): number {
  return (segments[0]?.after ?? 0) + 1;
}

/** Returns the kept entries after a number, oldest first. */
export function listEntriesAfter({ segments }: Log, after: number): LogEntry[] {
  return segments.flatMap((segment) => segment.entries.slice(Math.max(0, after - segment.after)));
}

function findLastSegment({ segments }: Log): Segment {
  return segments[segments.length - 1]!; // a log has a segment from the beginning, and loses only segments before another one
}

function isTooMuch({ segments, total }: Log): boolean {
  const [oldest, next] = segments;
  if (!oldest || !next) return false;
  const rest = segments.slice(1);
  return (
    total - next.after >= minKept ||
    rest.reduce((sum, { bytes }) => sum + bytes, 0) >= maxBytes ||
    segments.filter(({ base }) => "world" in base).length > maxCheckpoints
  );
}
