import { expect, test } from "vitest";
import { chooseBudget } from "../../../src/engine/run/connect.js";

test.each([
  [undefined, 1, 4, Number.POSITIVE_INFINITY],
  [10, 1, 4, 3],
  [10, 2, 4, 3],
  [10, 3, 4, 2],
  [10, 4, 4, 2],
  [1, 1, 3, 1],
  [1, 3, 3, 0],
  [0, 1, 2, 0],
])("a budget of %s is shared: shard %i/%i has %i", (budgetPaid, index, of, share) => {
  expect(chooseBudget({ ...(budgetPaid !== undefined && { budgetPaid }), shard: { index, of } })).toBe(share);
});

test("a budget without shards is whole", () => {
  expect([chooseBudget({ budgetPaid: 7 }), chooseBudget({})]).toEqual([7, Number.POSITIVE_INFINITY]);
});
