import type { World } from "./world.js";

/** Takes the next number of a kind: 1, 2, 3, … */
export function nextSerial(world: World, kind: string): number {
  const serial = (world.serials[kind] ?? 0) + 1;
  world.serials[kind] = serial;
  return serial;
}

/** Times that were written lately: rows are shown again and again, and most have one moment several times. */
const written = new Map<number, string>();
const mostWritten = 10_000;

/** A time as the API shows it, ISO 8601 in UTC; null stays null. */
export function timestamp(ms: number): string;
export function timestamp(ms: number | null): string | null;
export function timestamp(ms: number | null): string | null {
  if (ms === null) return null;
  const known = written.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toISOString();
  if (written.size >= mostWritten) written.clear();
  written.set(ms, text);
  return text;
}

/** The id that names a request in its answer and in the journal. */
export function nextRequestId(world: World): string {
  return `req_${nextSerial(world, "request").toString(32).padStart(8, "0")}`;
}
