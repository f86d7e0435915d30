import fc from "fast-check";

/** Draws this many items of a list, or all if there are fewer, in an order of the seed. */
export function draw<T>(all: readonly T[], count: number, seed: number): T[] {
  const size = Math.min(count, all.length);
  const [drawn = []] = fc.sample(fc.shuffledSubarray([...all], { minLength: size, maxLength: size }), { seed, numRuns: 1 });
  return drawn;
}

/** The same, with some of each family before more of any: no family is left out, however small the count. */
export function drawEvenly<T>(all: readonly T[], count: number, seed: number, familyOf: (one: T) => string): T[] {
  const turns = new Map<string, number>();
  const inTurn = draw(all, all.length, seed).map((one) => {
    const turn = turns.get(familyOf(one)) ?? 0;
    turns.set(familyOf(one), turn + 1);
    return { one, turn };
  });
  return inTurn
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, Math.max(count, turns.size))
    .map(({ one }) => one);
}
