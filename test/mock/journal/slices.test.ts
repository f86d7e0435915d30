import { expect, test } from "vitest";
import { runInSlices, writeJsonInSlices } from "../../../src/mock/journal/slices.js";

/** Counts the turns of the event loop during some work. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let immediate = setImmediate(function count() {
    turns++;
    immediate = setImmediate(count);
  });
  await work.finally(() => clearImmediate(immediate));
  return turns;
}

test("the rows of an object are written in turns of the event loop, into pieces of the same text", async () => {
  const row = { title: "x".repeat(500), tags: ["a", { b: null }] };
  const value = { snapshot: 1, world: { jobs: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`job_${i}`, row])) } };
  let pieces: Buffer[] = [];
  const turns = await countTurns(
    writeJsonInSlices(value).then((written) => {
      pieces = written;
    }),
  );
  expect(turns).toBeGreaterThan(3);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
  expect(Buffer.concat(pieces).equals(Buffer.from(JSON.stringify(value)))).toBe(true);
});

test("many readers do no more work in a turn than one", async () => {
  let inTurn = 0;
  let maxInTurn = 0;
  let immediate = setImmediate(function count() {
    inTurn = 0;
    immediate = setImmediate(count);
  });
  const read = async () => {
    for await (const item of runInSlices([1, 2, 3])) {
      const until = performance.now() + 11 + item; // longer than a turn
      while (performance.now() < until);
      maxInTurn = Math.max(maxInTurn, ++inTurn);
    }
  };
  await Promise.all(Array.from({ length: 20 }, read));
  clearImmediate(immediate);
  expect(maxInTurn).toBeLessThanOrEqual(2);
});
