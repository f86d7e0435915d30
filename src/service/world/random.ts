import { readEntryAt } from "./arrays.js";
import type { World } from "./world.js";

/** Returns the next number of the world's seeded random source, 0 <= x < 1 (splitmix32). */
export function drawRandom(world: World): number {
  world.random = (world.random + 0x9e3779b9) | 0;
  let z = world.random;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return ((z ^ (z >>> 15)) >>> 0) / 4294967296;
}

/** Returns one entry of a non-empty list, by the seed. */
export function pickRandom<T>(world: World, list: readonly T[]): T {
  return readEntryAt(list, Math.floor(drawRandom(world) * list.length));
}
