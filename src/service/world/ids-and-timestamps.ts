import { drawRandom } from "./random.js";
import type { World } from "./world.js";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Returns the next serial number of a kind: 1, 2, 3, … */
export function takeSerial(world: World, kind: string): number {
  const serial = (world.serials[kind] ?? 0) + 1;
  world.serials[kind] = serial;
  return serial;
}

/** Returns a new request id, which identifies a call in its response and in the journal. */
export function createRequestId(world: World): string {
  return `req_${takeSerial(world, "request").toString(32).padStart(8, "0")}`;
}

/** Returns a new id such as `job_7h2k9d0000012`: seeded characters that clients cannot predict, and a unique serial number. */
export function createId(world: World, kind: string): string {
  return `${kind}_${drawLetters(world, 6)}${takeSerial(world, kind).toString(32).padStart(5, "0")}`;
}

/** Returns `count` seeded characters of the id alphabet. */
export function drawLetters(world: World, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += alphabet[Math.floor(drawRandom(world) * alphabet.length)];
  return text;
}

/** The texts of recent times. Lists format the same times again and again. */
const written = new Map<number, string>();
const maxWritten = 10_000;

/** Returns a time as the API shows it, ISO 8601 in UTC; null stays null. */
export function formatTimestamp(ms: number): string;
export function formatTimestamp(ms: number | null): string | null;
export function formatTimestamp(ms: number | null): string | null {
  if (ms === null) return null;
  const known = written.get(ms);
  if (known !== undefined) return known;
  const text = new Date(ms).toISOString();
  if (written.size >= maxWritten) written.clear();
  written.set(ms, text);
  return text;
}
