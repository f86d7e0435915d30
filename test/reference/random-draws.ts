/** Pseudo-random draws. The same seed gives the same draws. */
export interface RandomDraws {
  /** Returns a number from 0 to 1, without 1. */
  part(): number;
  /** Returns an integer from the least to the most, both included. */
  whole(min: number, max: number): number;
  /** Returns a random item of a non-empty list. */
  one<Value>(values: readonly Value[]): Value;
  /** Returns a part of a list, in its order. */
  some<Value>(values: readonly Value[]): Value[];
  /** Returns true once in this many times. */
  once(times: number): boolean;
}

/** Returns draws from a seed. */
export function randomDraws(seed: number): RandomDraws {
  let state = seed >>> 0;
  // splitmix32: neighbouring seeds give unrelated draws
  const part = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number) => min + Math.floor(part() * (max - min + 1));
  return {
    part,
    whole,
    one: <Value>(values: readonly Value[]) => values[whole(0, values.length - 1)] as Value,
    some: (values) => values.filter(() => part() < 0.5),
    once: (times) => part() * times < 1,
  };
}
