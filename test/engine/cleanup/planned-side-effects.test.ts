import { expect, test } from "vitest";
import { listPlannedSideEffects } from "../../../src/engine/cleanup/planned-side-effects.js";
import { library, libraryTarget } from "./library.js";

const demand = { method: "POST", path: "/loans", tool: false, count: 1, paid: 1, paidIfTaken: 0, burst: false, refused: false };

/** Returns how many resources of each kind some requests create. */
const counted = (...demands: (Partial<typeof demand> & { purpose?: string })[]) =>
  listPlannedSideEffects(
    library.planned,
    demands.map((one) => ({ ...demand, ...one })),
    libraryTarget(),
  ).map(({ what, count }) => [what, count]);

test("a plan counts the resources that requests create, by route and by tool, in the order of the rules", () => {
  expect(counted({ path: "/books/3/mark", paid: 0 }, { count: 3 }, { path: "", tool: true, purpose: "lend" })).toEqual([
    ["books lent", 4],
    ["marks made", 1],
  ]);
});

test("a plan ignores requests that must be refused or that start no paid work, but counts bursts", () => {
  expect(counted({ path: "/books/3/mark", refused: true }, { paid: 0 }, { path: "/books" })).toEqual([]);
  expect(counted({ paid: 0, burst: true, count: 9 })).toEqual([["books lent", 9]]);
});

test("a plan states how the resources are undone on this target", () => {
  const target = { ...libraryTarget(), drive: { "closing-time": { http: "POST /close" } } };
  const outcomes = [libraryTarget(), target].map((one) => listPlannedSideEffects(library.planned, [demand], one));
  expect(outcomes).toEqual([
    [{ what: "books lent", count: 1, after: "returned", stays: true }],
    [{ what: "books lent", count: 1, after: "returned", stays: false }],
  ]);
});
