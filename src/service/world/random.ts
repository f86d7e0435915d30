import { entryAt } from "./lists.js";
import { nextSerial } from "./stamps.js";
import type { World } from "./world.js";

const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/** The next number of the world's seeded random source, 0 <= x < 1 (splitmix32). */
export function draw(world: World): number {
  world.random = (world.random + 0x9e3779b9) | 0;
  let z = world.random;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return ((z ^ (z >>> 15)) >>> 0) / 4294967296;
}

/** A fresh id such as `job_7h2k9d0000012`: seeded letters so that nobody parses it, a serial so that it is unique. */
export function freshId(world: World, kind: string): string {
  return `${kind}_${letters(world, 6)}${nextSerial(world, kind).toString(32).padStart(5, "0")}`;
}

/** `count` seeded characters of the id alphabet. */
export function letters(world: World, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += digits[Math.floor(draw(world) * digits.length)];
  return text;
}

/** One entry of a list that is not empty, by the seed. */
export function pick<T>(world: World, list: readonly T[]): T {
  return entryAt(list, Math.floor(draw(world) * list.length));
}
