import { jsonText } from "../../common/escape/visible.js";
import { noteUntaken, pieceBytes } from "../http/backlog.js";
import { corsHeaders } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import type { JournalListener } from "../journal/journal.js";
import { fits, type Match, seenOf } from "../journal/matching.js";
import { type Entry, readEntry } from "../journal/read-entry.js";
import { inSlices } from "../journal/slices.js";
import { openUnreadJournal } from "../journal/unread-journal.js";
import type { WorldEntry } from "../worlds/worlds.js";

/** The stream ends when its client is this many bytes behind. The client continues with the number of the last entry that it read. */
const maxBufferedBytes = 4_194_304;
const heartbeatMs = 15_000;

/** Sends the matching calls after a number as server-sent events, until the client disconnects. */
export async function followJournal(
  worldEntry: WorldEntry,
  match: Match,
  after: number | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const head = ["content-type", "text/event-stream", "cache-control", "no-cache", ...corsHeaders(request)];
  response.writeHead(200, head).write(": the journal\n\n");
  /** Returns false if the client has to read first. */
  const sendMatching = (entry: Entry): boolean => {
    if (response.destroyed || !fits(seenOf(entry), match)) return true;
    const isTaken = response.write(`id: ${entry.number}\nevent: call\ndata: ${jsonText(entry)}\n\n`);
    const behind = response.writableLength;
    if (behind > maxBufferedBytes) response.destroy();
    else noteUntaken(response, behind > pieceBytes ? behind : 0);
    return isTaken;
  };
  const begin = after ?? lastRead(request);
  if (begin !== null) await sendKept(worldEntry, begin, response, sendMatching);
  if (response.destroyed) return;
  const listener: JournalListener = (entry, number) => sendMatching(readEntry(entry, number, worldEntry.world));
  const { listeners } = worldEntry.journal;
  listeners.add(listener);
  // in a cluster, another mock may own the world now: the client continues there after the last entry that it read
  const sendHeartbeat = () => (listeners.has(listener) ? response.write(": \n\n") : response.end());
  const heartbeat = setInterval(sendHeartbeat, heartbeatMs).unref();
  response.on("close", () => {
    clearInterval(heartbeat);
    listeners.delete(listener);
    noteUntaken(response, 0);
  });
}

/** Sends the kept entries after a number in turns of the event loop, as fast as the client reads. Ends when none is left. */
async function sendKept(
  { journal, world }: WorldEntry,
  after: number,
  response: ServerResponse,
  sendMatching: (entry: Entry) => boolean,
): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  for (let last = after; ; ) {
    const unread = openUnreadJournal(journal, world);
    const entries = unread.entries.filter(({ number }) => number > last);
    if (entries.length === 0) return;
    await unread.learn();
    for await (const entry of inSlices(entries)) {
      if (response.destroyed) return;
      last = entry.number;
      if (!sendMatching(entry.read()))
        await Promise.race([closed, new Promise<void>((resolve) => response.once("drain", resolve))]);
    }
  }
}

function lastRead({ headers }: IncomingMessage): number | null {
  const id = headers["last-event-id"];
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : null;
}
