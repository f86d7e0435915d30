import type { Rank } from "./views.js";

/**
 * Makes an opaque cursor for the place behind `rank` in the list that `binding` names. CURSOR-FILTERS, CURSOR-ENDPOINT: it opens only
 * with an equal binding.
 */
export function sealCursor(binding: string, rank: Rank): string {
  const place = JSON.stringify(rank);
  return btoa(`${fingerprint(binding + place)}${place}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The place a cursor names, or null when it is damaged, made up, or sealed for another list. */
export function openCursor(binding: string, cursor: string): Rank | null {
  const text = unbase64(cursor);
  if (text === null) return null;
  const place = text.slice(14);
  return fingerprint(binding + place) === text.slice(0, 14) ? (JSON.parse(place) as number[]) : null;
}

/** 14 characters that change with any change of the text (two 32-bit FNV-1a runs of different start). */
export function fingerprint(text: string): string {
  return (run(text, 0x811c9dc5) + run(text, 0x2545f491)).padEnd(14, "0");
}

function run(text: string, start: number): string {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, "0");
}

function unbase64(cursor: string): string | null {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
}
