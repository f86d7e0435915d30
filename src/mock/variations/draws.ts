/** The random choices for one variation and one call. The same seed, number and name give the same draws. */
export interface Draws {
  /** Returns true in one of `odds` cases. */
  happens(odds: number): boolean;
  /** Returns one entry of a list; undefined for an empty list. */
  pick<T>(list: readonly T[]): T | undefined;
}

/** Returns the draws of a variation for one call. The same seed, number and name give the same draws. */
export function createDraws(seed: number, call: number, name: string): Draws {
  let state = seed | 0;
  for (const part of [call, ...Array.from(name, (letter) => letter.charCodeAt(0))]) state = mixBits(state ^ part);
  const next = () => {
    state = mixBits(state);
    return (state >>> 0) / 2 ** 32;
  };
  return { happens: (odds) => next() * odds < 1, pick: (list) => list[Math.floor(next() * list.length)] };
}

/** One round of splitmix32. */
function mixBits(state: number): number {
  let z = (state + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return z ^ (z >>> 15);
}
