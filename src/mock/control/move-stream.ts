import { formatJson } from "../../common/escape/visible.js";
import type { Change } from "../../service/world/world.js";
import { countUnreadBytes } from "../http/backlog.js";
import { buildCorsHeaders } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { countChanges, eachChange, type ShownChange } from "../journal/changes.js";

/** A move with more events is sent in parts of this many events. The mock serves other requests between the parts. */
export const pieceEvents = 1000;

/** Approximate length of an event in the response, in bytes. */
const eventBytes = 150;

/** Answers with the time after a move and the events of the move, at the speed of the client. */
export function streamMove(
  request: IncomingMessage,
  response: ServerResponse,
  { now, changes }: { now: string; changes: readonly Change[] },
): void {
  response.writeHead(200, ["content-type", "application/json; charset=utf-8", ...buildCorsHeaders(request)]);
  response.once("close", () => countUnreadBytes(response, 0));
  const events = eachChange(changes);
  const total = countChanges(changes);
  let sent = 0;
  const resume = () => {
    if (response.destroyed) return;
    const piece = formatJson(moveNextPiece(events, pieceEvents)).slice(1, -1);
    const text = sent === 0 ? `{"now":${JSON.stringify(now)},"events":[${piece}` : `,${piece}`;
    sent += pieceEvents;
    const takes = response.write(text);
    countUnreadBytes(response, Math.max(0, total - sent) * eventBytes);
    if (sent >= total) response.end("]}");
    else if (takes) setImmediate(resume);
    else response.once("drain", resume);
  };
  resume();
}

function moveNextPiece(events: Iterator<ShownChange>, max: number): ShownChange[] {
  const shownChanges: ShownChange[] = [];
  while (shownChanges.length < max) {
    const { done, value } = events.next();
    if (done) break;
    shownChanges.push(value);
  }
  return shownChanges;
}
