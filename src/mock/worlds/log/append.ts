import type { World } from "../../../service/world/world.js";
import type { IncomingMessage, ServerResponse } from "../../http/messages.js";
import { catchUp } from "../clock.js";
import type { WorldEntry } from "../worlds.js";
import { takeCheckpoint } from "./checkpoint.js";
import type { ControlAct, LogAct, LogEntry, LoggedAnswer } from "./entry.js";
import type { Log, Segment } from "./log.js";

/** So many entries can be rewound at least, unless their bodies are too large or too many states were put in place among them. */
export const leastKept = 5000;
const mostKept = 100_000;
/** The oldest entries are forgotten when all bodies together are this large. */
export const mostBytes = 16_777_216;
const mostCheckpoints = 4;

/** About how many bytes an entry takes beside its body. */
const entryBytes = 512;

/**
 * Notes an act as it takes effect: behind everything that took effect before it, and before anything that it does. While the log is played
 * it is the entry that is played.
 */
export function append(worldEntry: WorldEntry, act: LogAct, bytes = 0): LogEntry {
  const { log, world } = worldEntry;
  if (log.playing) return log.playing;
  if (isFull(log, world)) beginSegment(log, takeCheckpoint(worldEntry));
  return add(log, { number: log.total + 1, at: world.now, ...act }, bytes);
}

/** Notes an act of control that was done at a time of the world's. */
export function appendControl(worldEntry: WorldEntry, at: number, act: ControlAct): LogEntry {
  const { log, begun } = worldEntry;
  if (log.playing) return log.playing;
  const wall = act.begins === "configuration" && { wall: begun };
  const entry = add(log, { number: log.total + 1, at, ...act, ...wall }, bytesOf(act));
  turnOver(worldEntry, entry);
  return entry;
}

/** Notes an entry that was played and is done. */
export function appendPlayed(worldEntry: WorldEntry, entry: LogEntry): void {
  appendUnplayed(worldEntry, entry);
  turnOver(worldEntry, entry);
}

/** Adds an entry that a later state contains, so that it is played for a rewind only. */
export function appendUnplayed({ log }: WorldEntry, entry: LogEntry): void {
  push(log, entry, "call" in entry ? entry.call.received.bytes : bytesOf(entry));
}

/** Tells what came of an entry. */
export function notifyAnswer({ hooks }: Log, entry: LogEntry, answer: LoggedAnswer): void {
  hooks.onAnswer?.(entry, answer);
}

/** Sends an answer when the entries up to now are kept; when they cannot be, whoever keeps them answers, or the connection ends. */
export function whenPersisted({ kept, hooks }: Log, request: IncomingMessage, response: ServerResponse, send: () => void): void {
  if (!kept) send();
  else kept.then(send, () => (hooks.refuse ? hooks.refuse(request, response) : response.destroy()));
}

/** Lets a call that a fault holds back go on after so many milliseconds; one whose world is rewound meanwhile is cut off. */
export function holdBack(worldEntry: WorldEntry, response: ServerResponse, ms: number, go: () => void): void {
  const { log } = worldEntry;
  if (log.playing) {
    log.parked.get(log.playing.number)?.park(go);
    return;
  }
  const number = log.total;
  log.waiting++;
  const strike = () => {
    if (worldEntry.log !== log) {
      response.destroy();
      return;
    }
    log.waiting--;
    catchUp(worldEntry.clock);
    append(worldEntry, { strike: number, ...(response.destroyed && { gone: true }) });
    go();
  };
  // who gives up waiting does not call the request back: it is worked on and noted all the same
  setTimeout(strike, ms).unref();
}

/** Begins another segment behind an entry, where it is time. */
function turnOver(worldEntry: WorldEntry, entry: LogEntry): void {
  const { log, begun } = worldEntry;
  const begins = "control" in entry ? entry.begins : undefined;
  if (begins === "configuration") beginSegment(log, { wall: begun });
  else if (begins === "state") {
    // what comes next is played on what was put in place, so that need not be kept twice
    forgetBody(log);
    beginSegment(log, takeCheckpoint(worldEntry));
  } else if (isFull(log, worldEntry.world)) beginSegment(log, takeCheckpoint(worldEntry));
}

function bytesOf(act: LogAct): number {
  return "body" in act && act.body !== undefined ? entryBytes : 0;
}

function add(log: Log, entry: LogEntry, bytes: number): LogEntry {
  push(log, entry, bytes);
  const kept = log.hooks.onAppend?.(entry);
  kept?.catch(() => {}); // told to whoever waits for it, if anybody does
  log.kept = kept ?? null;
  return entry;
}

/** Adds an entry behind the others. */
export function push(log: Log, entry: LogEntry, bytes: number): void {
  const segment = lastSegment(log);
  segment.entries.push(entry);
  segment.bytes += bytes;
  log.total = entry.number;
}

/** Forgets what was sent along with the last entry. */
function forgetBody(log: Log): void {
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
