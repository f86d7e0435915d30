import { expect, test } from "vitest";
import { plannedSideEffects } from "../../../src/engine/cleanup/planned-side-effects.js";
import { library, libraryTarget } from "./library.js";

const demand = { method: "POST", path: "/loans", tool: false, count: 1, paid: 1, paidIfTaken: 0, burst: false, refused: false };

/** How many of each kind these requests make. */
const counted = (...demands: (Partial<typeof demand> & { purpose?: string })[]) =>
  plannedSideEffects(
    library.planned,
    demands.map((one) => ({ ...demand, ...one })),
    libraryTarget(),
  ).map(({ what, count }) => [what, count]);

test("a plan counts what requests make, by route and by tool, in the order of the rules", () => {
  expect(counted({ path: "/books/3/mark", paid: 0 }, { count: 3 }, { path: "", tool: true, purpose: "lend" })).toEqual([
    ["books lent", 4],
    ["marks made", 1],
  ]);
});

test("it counts none that must be refused, and none that says it starts no paid work, unless it is a burst", () => {
  expect(counted({ path: "/books/3/mark", refused: true }, { paid: 0 }, { path: "/books" })).toEqual([]);
  expect(counted({ paid: 0, burst: true, count: 9 })).toEqual([["books lent", 9]]);
});

test("it says what becomes of them on this target", () => {
  const target = { ...libraryTarget(), drive: { "closing-time": { http: "POST /close" } } };
  const fates = [libraryTarget(), target].map((one) => plannedSideEffects(library.planned, [demand], one));
  expect(fates).toEqual([
    [{ what: "books lent", count: 1, after: "brought back", stays: true }],
    [{ what: "books lent", count: 1, after: "brought back", stays: false }],
  ]);
});
