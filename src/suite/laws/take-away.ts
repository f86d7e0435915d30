import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { observationParameter, PAGE_LIMIT } from "../statements/lists.js";
import { blameReading, inconclusive } from "./blame.js";
import { isSteady, readRows, sinceRow } from "./listing.js";
import {
  conformingFilters,
  drawFilters,
  drawLimit,
  type Filters,
  hiddenFilters,
  type Query,
  readList,
  slugsOf,
  without,
} from "./lists.js";
import { difference } from "./rows.js";

/** A filter whose value no row need show; `since` is the time of a row. */
type More = { name: string; value: string } | { name: "since"; row: number };

/** The list of observations under some filters, and one more. */
interface Case {
  base: Filters;
  more: More;
  limit: number;
}

/** Filters whose values do not share out the rows: those of several words, and flags, which are on or not sent. */
const taking = hiddenFilters.filter(({ partitions }) => !partitions);
const flags = taking.filter(({ values }) => values.length === 1);
const worded = taking.filter(({ values }) => values.length > 1);
const NAMES = ["repo", ...worded.map(({ name }) => name), ...flags.map(({ name }) => name), "since"];

/** OBS-FILTER-*: what no row shows cannot be held against a row; but a filter more takes rows away and brings none. */
export const filtersOnlyTakeAway: Property<Case> = {
  id: "filters-only-take-away",
  title: "One filter more takes rows away from a list and brings none, and each that stays is there once",
  proves: NAMES.map((name) => observationParameter(name).clause ?? ""),
  needs: [],
  effects: ["read"],
  runs: 40,
  cases: (context: DrawContext) => fc.record({ base: drawFilters(context, 2), more: drawMore(context), limit: drawLimit() }),
  run: takeAway,
};

function drawMore({ offers }: DrawContext): fc.Arbitrary<More> {
  return fc.oneof(
    fc.record({ name: fc.constant("since" as const), row: fc.nat(199) }),
    ...worded.map(({ name, values }) => fc.record({ name: fc.constant(name), value: fc.constantFrom(...values) })),
    fc.record({ name: fc.constant("repo"), value: fc.constantFrom(...slugsOf(offers)) }),
    fc.record({ name: fc.constantFrom(...flags.map(({ name }) => name)), value: fc.constant("true") }),
  );
}

async function takeAway(sut: SystemUnderTest, { base, more, limit }: Case): Promise<CaseOutcome> {
  const { [more.name]: _, ...others } = base;
  const isPaired = (name: string) => observationParameter(name).pairedWith !== undefined;
  const filters = isPaired(more.name) ? without(conformingFilters({ ...others, [more.name]: "true" }), isPaired) : others;
  const query: Query = { list: "observations", filters };
  const before: Step[] = [];
  if ("row" in more) {
    const saving = await sinceRow(sut, query, more.row);
    if (!saving) return inconclusive("no row of the list shows a time");
    before.push(saving);
  }
  const whole = await readRows(sut, "observations", readList(query, { limit: PAGE_LIMIT }));
  if (!whole.ok) return inconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const value = "row" in more ? "{since}" : more.value;
  const part = await readRows(sut, "observations", readList(query, { [more.name]: value, limit: size }));
  if (!part.ok) return inconclusive(part.why);
  const kept = new Set(part.keys);
  const odd = difference(
    whole.keys.filter((key) => kept.has(key)),
    part.keys,
  );
  if (!odd) return { verdict: "passed", subjects: part.rows.length + 1 };
  if (!(await isSteady(sut, "observations", whole))) return inconclusive("the list changed while it was read");
  return blameReading(
    { list: "observations", whole, part, before, clauses: [observationParameter(more.name).clause ?? ""] },
    odd,
  );
}
