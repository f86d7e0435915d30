import type { ServerResponse } from "./messages.js";

/** Maximum number of unread bytes of long answers over all connections. One response alone may be longer. */
const maxBytes = 268_435_456;

/**
 * A response up to this length is sent at once and not counted. A longer answer is sent in parts, each after the client took the previous
 * one.
 */
export const pieceBytes = 65_536;

/** The unread bytes of each long answer, with the slowest reader first. */
const unreadBytes = new Map<ServerResponse, number>();
let sum = 0;

/** Ends a response after its head with a long body, at the speed of its reader. */
export function endInPieces(response: ServerResponse, body: readonly Buffer[]): void {
  const pieces = body.flatMap(getPieces);
  let unsent = pieces.reduce((sum, { length }) => sum + length, 0);
  let next = 0;
  response.once("close", () => countUnreadBytes(response, 0));
  const resume = () => {
    if (response.destroyed) return;
    while (next < pieces.length) {
      const piece = pieces[next++]!;
      unsent -= piece.length;
      if (!response.write(piece)) break;
    }
    countUnreadBytes(response, unsent);
    if (next < pieces.length) response.once("drain", resume);
    else response.end();
  };
  resume();
}

function getPieces(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / pieceBytes);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes));
}

/**
 * Sets the number of bytes of a response that its reader has not taken; 0 when the response is closed. If the total is too large, ends the
 * responses of the slowest readers.
 */
export function countUnreadBytes(response: ServerResponse, bytes: number): void {
  const before = unreadBytes.get(response) ?? 0;
  if (bytes < before) unreadBytes.delete(response);
  sum += bytes - before;
  if (bytes > 0) unreadBytes.set(response, bytes);
  for (const [slowest, held] of unreadBytes) {
    if (sum <= maxBytes || unreadBytes.size === 1) return;
    unreadBytes.delete(slowest);
    sum -= held;
    slowest.destroy();
  }
}
