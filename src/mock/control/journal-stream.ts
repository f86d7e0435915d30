import { formatJson } from "../../common/escape/visible.js";
import { countUnreadBytes, pieceBytes } from "../http/backlog.js";
import { buildCorsHeaders } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import type { JournalListener } from "../journal/journal.js";
import { fits, type Match, readActual } from "../journal/matching.js";
import { type Entry, readEntry } from "../journal/read-entry.js";
import { runInSlices } from "../journal/slices.js";
import { openUnreadJournal } from "../journal/unread-journal.js";
import type { WorldEntry } from "../worlds/worlds.js";

/** The stream ends when its client is this many bytes behind. The client continues with the number of the last entry that it read. */
const maxBufferedBytes = 4_194_304;
/** The stream also ends when this many new calls wait until earlier ones are sent. */
const maxWaitingCalls = 1000;
const heartbeatMs = 15_000;

/** Sends the matching calls after a number as server-sent events, until the client disconnects. */
export function followJournal(
  worldEntry: WorldEntry,
  match: Match,
  after: number | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const head = ["content-type", "text/event-stream", "cache-control", "no-cache", ...buildCorsHeaders(request)];
  response.writeHead(200, head).write(": the journal\n\n");
  /** Returns false if the client has to read first. */
  const sendMatching = (entry: Entry): boolean => {
    if (response.destroyed || !fits(readActual(entry), match)) return true;
    const isTaken = response.write(`id: ${entry.number}\nevent: call\ndata: ${formatJson(entry)}\n\n`);
    const behind = response.writableLength;
    if (behind > maxBufferedBytes) response.destroy();
    else countUnreadBytes(response, behind > pieceBytes ? behind : 0);
    return isTaken;
  };
  const begin = after ?? readLastEventId(request);
  // new calls wait here until the earlier ones are sent; a reset or a deletion of the journal does not remove them
  let waiting: ReadCall[] | null = begin === null ? null : [];
  const listener: JournalListener = (recorded, number) => {
    const read = () => readEntry(recorded, number, worldEntry.world);
    if (waiting === null) sendMatching(read());
    else if (waiting.push(read) > maxWaitingCalls) response.destroy();
  };
  const { listeners } = worldEntry.journal;
  listeners.add(listener);
  // in a cluster, another mock may own the world now: the client continues there after the last entry that it read
  const sendHeartbeat = () => (listeners.has(listener) ? response.write(": \n\n") : response.end());
  const heartbeat = setInterval(sendHeartbeat, heartbeatMs).unref();
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  void closed.then(() => {
    clearInterval(heartbeat);
    listeners.delete(listener);
    countUnreadBytes(response, 0);
  });
  const sendAll = async (calls: readonly ReadCall[]) => {
    for await (const read of runInSlices(calls)) {
      if (response.destroyed) return;
      if (!sendMatching(read())) await Promise.race([closed, new Promise<void>((resolve) => response.once("drain", resolve))]);
    }
  };
  const sendKept = async (number: number) => {
    const unread = openUnreadJournal(worldEntry.journal, worldEntry.world);
    const earlier = unread.entries.filter((entry) => entry.number > number);
    if (earlier.length > 0) await unread.learn();
    await sendAll(earlier.map(({ read }) => read));
    while (waiting?.length) await sendAll(waiting.splice(0));
    waiting = null;
  };
  if (begin !== null) sendKept(begin).catch(() => response.destroy());
}

/** Returns a call as an entry. */
type ReadCall = () => Entry;

function readLastEventId({ headers }: IncomingMessage): number | null {
  const id = headers["last-event-id"];
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : null;
}
