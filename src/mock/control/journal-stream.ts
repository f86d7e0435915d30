import { jsonText } from "../../common/escape/visible.js";
import { noteUntaken, pieceBytes } from "../http/backlog.js";
import { corsHeaders } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import type { JournalListener } from "../journal/journal.js";
import { fits, type Match } from "../journal/matching.js";
import { type Entry, readEntry, readJournal } from "../journal/read-entry.js";
import type { WorldEntry } from "../worlds/worlds.js";

/** The stream ends when its client is this many bytes behind. The client continues with the number of the last entry that it read. */
const maxBufferedBytes = 4_194_304;
const heartbeatMs = 15_000;

/** Sends the matching calls after a number as server-sent events, until the client disconnects. */
export function followJournal(
  worldEntry: WorldEntry,
  match: Match,
  after: number | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const head = ["content-type", "text/event-stream", "cache-control", "no-cache", ...corsHeaders(request)];
  response.writeHead(200, head).write(": the journal\n\n");
  const tell = (entry: Entry) => {
    if (response.destroyed || !fits(entry, match)) return;
    response.write(`id: ${entry.number}\nevent: call\ndata: ${jsonText(entry)}\n\n`);
    const behind = response.writableLength;
    if (behind > maxBufferedBytes) response.destroy();
    else noteUntaken(response, behind > pieceBytes ? behind : 0);
  };
  const begin = after ?? lastRead(request);
  if (begin !== null) for (const entry of readJournal(worldEntry.journal, worldEntry.world, begin)) tell(entry);
  const listener: JournalListener = (entry, number) => tell(readEntry(entry, number, worldEntry.world));
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

function lastRead({ headers }: IncomingMessage): number | null {
  const id = headers["last-event-id"];
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : null;
}
