import { createHash } from "node:crypto";

/** Whether the tests try everything, as in `npm run quality`. `npm test` tries a sample. */
export const exhaustive: boolean = process.env.COUNTERPART_TEST_ALL === "1";

/** The seed of the samples. `test/vitest.config.ts` chooses and prints it. */
export const sampleSeed = Number(process.env.COUNTERPART_TEST_SEED ?? 1);

/** Draws this many items of a list. Returns all of them if everything is tried. */
export function sampled<T>(all: readonly T[], count: number): readonly T[] {
  return exhaustive ? all : draw(all, count);
}

/** Draws this many items of a list, the same number from each family. Another seed draws other items. */
export function draw<T>(all: readonly T[], count: number, familyOf: (one: T) => unknown = () => ""): T[] {
  const turns = new Map<unknown, number>();
  return shuffleItems(all)
    .map((one) => {
      const family = familyOf(one);
      const turn = turns.get(family) ?? 0;
      turns.set(family, turn + 1);
      return { one, turn };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, count)
    .map(({ one }) => one);
}

function shuffleItems<T>(all: readonly T[]): T[] {
  return all
    .map((one, index) => ({ one, rank: createHash("sha256").update(`${sampleSeed} ${index}`).digest("hex") }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ one }) => one);
}
