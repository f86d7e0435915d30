import { nextRandom } from "./random.js";
import type { World } from "./world.js";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Returns the next serial number of a kind: 1, 2, 3, … */
export function nextSerial(world: World, kind: string): number {
  const serial = (world.serials[kind] ?? 0) + 1;
  world.serials[kind] = serial;
  return serial;
}

/** Returns a new request id, which identifies a call in its answer and in the journal. */
export function nextRequestId(world: World): string {
  return `req_${nextSerial(world, "request").toString(32).padStart(8, "0")}`;
}

/** Returns a new id such as `job_7h2k9d0000012`: seeded characters that clients cannot predict, and a unique serial number. */
export function freshId(world: World, kind: string): string {
  return `${kind}_${randomLetters(world, 6)}${nextSerial(world, kind).toString(32).padStart(5, "0")}`;
}

/** Returns `count` seeded characters of the id alphabet. */
export function randomLetters(world: World, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += alphabet[Math.floor(nextRandom(world) * alphabet.length)];
  return text;
}
