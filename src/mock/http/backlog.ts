import type { ServerResponse } from "./messages.js";

/** How many bytes of long answers wait for their readers, over all connections; one alone may be longer. */
const mostBytes = 268_435_456;

/** Answers up to this length go in one piece and are not counted; longer ones piece by piece, each when the one before is taken. */
export const pieceBytes = 65_536;

/** The bytes of long answers that their readers have not taken yet; the slowest reader first. */
const untaken = new Map<ServerResponse, number>();
let sum = 0;

/** Ends a response whose head is written with a long body, as fast as its reader takes it. */
export function endInPieces(response: ServerResponse, text: string): void {
  const bytes = Buffer.from(text);
  let sent = 0;
  response.once("close", () => noteUntaken(response, 0));
  const goOn = () => {
    if (response.destroyed) return;
    while (sent < bytes.length) {
      const piece = bytes.subarray(sent, sent + pieceBytes);
      sent += piece.length;
      if (!response.write(piece)) break;
    }
    noteUntaken(response, bytes.length - sent);
    if (sent < bytes.length) response.once("drain", goOn);
    else response.end();
  };
  goOn();
}

/**
 * Notes the bytes of a response that its reader has not taken; 0 when the response is closed. When all together are too many,
 * ends the responses of the slowest readers.
 */
export function noteUntaken(response: ServerResponse, bytes: number): void {
  const before = untaken.get(response) ?? 0;
  if (bytes < before) untaken.delete(response);
  sum += bytes - before;
  if (bytes > 0) untaken.set(response, bytes);
  for (const [slowest, held] of untaken) {
    if (sum <= mostBytes || untaken.size === 1) return;
    untaken.delete(slowest);
    sum -= held;
    slowest.destroy();
  }
}
