import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findObservationParameter, PAGE_LIMIT } from "../../statements/lists.js";
import { createInconclusive } from "../outcome.js";
import { COMBINATION_CLAUSE, findClause, judgeAlone } from "./combination.js";
import { findDifference } from "./difference.js";
import { isUnchanged, readRows, saveSince } from "./listing.js";
import {
  drawFilters,
  drawLimit,
  type Filters,
  hiddenFilters,
  listSlugs,
  omitFilters,
  pickConformingFilters,
  type Query,
  readList,
} from "./queries.js";
import { createReadingFailure } from "./reading-failures.js";

/** A filter whose value rows do not show; `since` is the time of a row. */
type AddedFilter = { name: string; value: string } | { name: "since"; row: number };

/** Filters of the list of observations, and one more filter. */
interface Case {
  base: Filters;
  more: AddedFilter;
  limit: number;
}

/** Filters whose values do not partition the rows: filters with several values, and flags, which are true or absent. */
const subsetFilters = hiddenFilters.filter(({ partitions }) => !partitions);
const flagFilters = subsetFilters.filter(({ values }) => values.length === 1);
const wordFilters = subsetFilters.filter(({ values }) => values.length > 1);
const NAMES = ["repo", ...wordFilters.map(({ name }) => name), ...flagFilters.map(({ name }) => name), "since"];

/** OBS-FILTER-*: an added filter removes rows and adds none. Rows do not show the value, so no single row can be judged. */
export const filterSubset: Property<Case> = {
  id: "filter-subset",
  title: "An added filter removes rows from a list, adds none and repeats none",
  proves: [...NAMES.map((name) => findClause(name, {})), COMBINATION_CLAUSE],
  needs: [],
  effects: ["read"],
  runs: 40,
  cases: (context: DrawContext) =>
    fc.record({ base: drawFilters(context, 2), more: drawAddedFilter(context), limit: drawLimit() }),
  run: (sut, drawn) => judgeAlone(drawn.base, (base) => runCase(sut, { ...drawn, base })),
};

function drawAddedFilter({ offers }: DrawContext): fc.Arbitrary<AddedFilter> {
  return fc.oneof(
    fc.record({ name: fc.constant("since" as const), row: fc.nat(199) }),
    ...wordFilters.map(({ name, values }) => fc.record({ name: fc.constant(name), value: fc.constantFrom(...values) })),
    fc.record({ name: fc.constant("repo"), value: fc.constantFrom(...listSlugs(offers)) }),
    fc.record({ name: fc.constantFrom(...flagFilters.map(({ name }) => name)), value: fc.constant("true") }),
  );
}

async function runCase(sut: SystemUnderTest, { base, more, limit }: Case): Promise<CaseOutcome> {
  const { [more.name]: _, ...others } = base;
  const isPaired = (name: string) => findObservationParameter(name).pairedWith !== undefined;
  const filters = isPaired(more.name) ? omitFilters(pickConformingFilters({ ...others, [more.name]: "true" }), isPaired) : others;
  const query: Query = { list: "observations", filters };
  const before: Step[] = [];
  if ("row" in more) {
    const saving = await saveSince(sut, query, more.row);
    if (!saving) return createInconclusive("no row of the list shows a time");
    before.push(saving);
  }
  const whole = await readRows(sut, "observations", readList(query, { limit: PAGE_LIMIT }));
  if (!whole.ok) return createInconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const value = "row" in more ? "{since}" : more.value;
  const part = await readRows(sut, "observations", readList(query, { [more.name]: value, limit: size }));
  if (!part.ok) return createInconclusive(part.why);
  const partKeys = new Set(part.keys);
  const mismatch = findDifference(
    whole.keys.filter((key) => partKeys.has(key)),
    part.keys,
  );
  if (!mismatch) return { verdict: "passed", subjects: part.rows.length + 1 };
  if (!(await isUnchanged(sut, "observations", whole))) return createInconclusive("the list changed while it was read");
  const { pairedWith = {} } = findObservationParameter(more.name);
  const beside = omitFilters(filters, (name) => name in pairedWith);
  return createReadingFailure({ list: "observations", whole, part, before, clauses: [findClause(more.name, beside)] }, mismatch);
}
