import fc from "fast-check";
import type { DrawContext, Found, Property, Scene } from "../property/property.js";
import { blameReading, failed, inconclusive, whereOf } from "./blame.js";
import { isSteady, type Listing, readRows } from "./listing.js";
import { drawFilters, drawLimit, type Filters, lawful, readList } from "./lists.js";
import { difference } from "./rows.js";

/** The list of observations under some filters in one of the orders of the text, read in pages of some size. */
interface Case {
  base: Filters;
  order: "recency" | "display_rank" | "resolved";
  limit: number;
}

const CLAUSE = { recency: "OBS-ORDER-DEFAULT", display_rank: "OBS-ORDER-RANK-SET", resolved: "OBS-ORDER-RESOLVED" };

/** OBS-ORDER-*: an order puts the rows of a list in another sequence and changes nothing else; recency is the sequence without an order. */
export const ordersPermute: Property<Case> = {
  id: "orders-permute",
  title: "Every order gives the rows of the unordered list, each once; recency gives them in the same sequence",
  proves: Object.values(CLAUSE),
  needs: [],
  effects: ["read"],
  runs: 30,
  cases: (context: DrawContext) =>
    fc.record({
      base: drawFilters(context),
      order: fc.constantFrom("recency" as const, "display_rank" as const, "resolved" as const),
      limit: drawLimit(),
    }),
  play: reorder,
};

async function reorder(scene: Scene, { base, order, limit }: Case): Promise<Found> {
  const { order: _, ...rest } = base;
  // Where resolved puts observations that were never resolved is not said.
  const filters = order === "resolved" ? lawful({ ...closedOnly(rest) }) : rest;
  const query = { list: "observations" as const, filters };
  const whole = await readRows(scene, "observations", readList(query, { limit: 200 }));
  if (!whole.ok) return inconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const part = await readRows(scene, "observations", readList(query, { order, limit: size }));
  if (!part.ok) return inconclusive(part.why);
  const clauses = [CLAUSE[order]];
  const odd = difference(whole.keys, part.keys);
  const moved = order === "recency" && whole.keys.some((key, index) => key !== part.keys[index]);
  if (!odd && !moved) return { verdict: "passed", subjects: whole.rows.length + 1 };
  if (!(await isSteady(scene, "observations", whole))) return inconclusive("the list changed while it was read");
  return odd
    ? blameReading({ list: "observations", whole, part, before: [], clauses }, odd)
    : blameSequence(whole, part, clauses);
}

function closedOnly({ easy_wins: _e, needs_review: _n, has_fix_pr: _p, ...filters }: Filters): Filters {
  return { ...filters, status: "closed" };
}

function blameSequence(whole: Listing, part: Listing, clauses: readonly string[]): Found {
  const names = whole.rows.map((_, index) => `row${index}`);
  const saved = Object.fromEntries(names.map((name, index) => [name, `/data/${index}/ref`]));
  const sequence = names.map((name) => ({ ref: `{${name}}` }));
  return failed(clauses, `${whereOf(part.step)} is in another sequence than the list without an order`, [
    { ...whole.step, save: saved },
    { ...part.step, expect: { status: 200, json: { data: sequence } } },
  ]);
}
