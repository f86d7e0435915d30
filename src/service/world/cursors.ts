import type { Rank } from "./views.js";

/**
 * Returns an opaque cursor for the position after `rank` in the list that `binding` names. Only the same binding opens it.
 * CURSOR-FILTERS, CURSOR-ENDPOINT.
 */
export function sealCursor(binding: string, rank: Rank): string {
  const place = JSON.stringify(rank);
  return btoa(`${hashText(binding + place)}${place}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** No cursor is longer, in characters. */
const longest = 1024;

/** Returns the position in a cursor, or null when the cursor is damaged, forged or of another list. */
export function openCursor(binding: string, cursor: string): Rank | null {
  const text = cursor.length > longest ? null : decodeBase64(cursor);
  if (text === null) return null;
  const place = text.slice(14);
  return hashText(binding + place) === text.slice(0, 14) ? (JSON.parse(place) as number[]) : null;
}

/** Returns 14 characters that identify the text (two 32-bit FNV-1a hashes with different offsets). */
export function hashText(text: string): string {
  let [one, other] = [0x811c9dc5, 0x2545f491];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x01000193);
  }
  return (shortenText(one) + shortenText(other)).padEnd(14, "0");
}

function shortenText(hash: number): string {
  return (hash >>> 0).toString(36).padStart(7, "0");
}

function decodeBase64(cursor: string): string | null {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
}
