import type { IncomingMessage, ServerResponse } from "../../http/messages.js";
import { catchUp } from "../clock.js";
import type { WorldEntry } from "../worlds.js";
import { takeCheckpoint } from "./checkpoint.js";
import type { ControlAct, LogAct, LogEntry, LoggedAnswer } from "./entry.js";
import { beginSegment, forgetBody, isFull, type Log, push } from "./log.js";

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
