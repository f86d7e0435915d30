import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { observationParameter, PAGE_LIMIT } from "../statements/lists.js";
import { blameReading, failed, inconclusive, whereOf } from "./blame.js";
import { isSteady, type Listing, readRows, sinceRow } from "./listing.js";
import {
  conformingFilters,
  drawFilters,
  drawLimit,
  excludedBy,
  type Filters,
  type Query,
  readList,
  shownFilters,
  without,
} from "./lists.js";
import { difference } from "./rows.js";

/** The list of observations under some filters is cut by the values of one more; `since` may fall on a row of one of the parts. */
interface Case {
  base: Filters;
  by: string;
  limit: number;
  since: { value: number; pages: number } | null;
}

/** OBS-FILTER-*, OBS-FILTER-COMBINE: the values of a filter cut a list into parts; no row is lost, doubled or in the wrong part. */
export const filtersCutCleanly: Property<Case> = {
  id: "filters-cut-cleanly",
  title: "The values of a filter share the rows out among them: each row is in the part whose value it shows, once",
  proves: [...shownFilters.map(({ clause }) => clause), "OBS-FILTER-COMBINE"],
  needs: [],
  effects: ["read"],
  runs: 60,
  cases: (context: DrawContext) =>
    fc.record({
      base: drawFilters(context, 2),
      by: fc.constantFrom(...shownFilters.map(({ name }) => name)),
      limit: drawLimit(),
      since: fc.option(fc.record({ value: fc.nat(5), pages: fc.integer({ min: 1, max: 6 }) }), { freq: 2 }),
    }),
  run: cut,
};

async function cut(sut: SystemUnderTest, { base, by, limit, since }: Case): Promise<CaseOutcome> {
  const plain = withoutRivals(base, by);
  const values = observationParameter(by).values ?? [];
  const saving = since && (await sinceRow(sut, partOf(plain, by, values[since.value % values.length]), since.pages * limit));
  const filters = saving ? { ...plain, since: "{since}" } : plain;
  const before = saving ? [saving] : [];
  const whole = await readRows(sut, "observations", readList({ list: "observations", filters }, { limit: PAGE_LIMIT }));
  if (!whole.ok) return inconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  for (const value of values) {
    const part = await readRows(sut, "observations", readList(partOf(filters, by, value), { limit: size }));
    if (!part.ok) return inconclusive(part.why);
    const found = await judge(sut, { by, value, filters, whole, part, before });
    if (found) return found;
  }
  return { verdict: "passed", subjects: whole.rows.length + 1 };
}

interface Part {
  by: string;
  value: string;
  filters: Filters;
  whole: Listing;
  part: Listing;
  before: readonly Step[];
}

async function judge(sut: SystemUnderTest, cutting: Part): Promise<CaseOutcome | undefined> {
  const { by, value, whole, part, before } = cutting;
  const clauses = [
    observationParameter(by).clause ?? "",
    ...(Object.keys(cutting.filters).length > 0 ? ["OBS-FILTER-COMBINE"] : []),
  ];
  if (part.rows.some((row) => row[by] !== value)) {
    const expect = { status: 200, json: { data: { each: { [by]: value } } } };
    return failed(clauses, `${whereOf(part.step)} gives a row with another ${by}`, [...before, { ...part.step, expect }]);
  }
  const fitting = whole.rows.map((row) => row[by] === value);
  const keys = whole.keys.filter((_, index) => fitting[index]);
  const odd = difference(keys, part.keys);
  if (!odd) return undefined;
  if (!(await isSteady(sut, "observations", whole))) return inconclusive("the list changed while it was read");
  if (odd.what !== "missing") return blameReading({ list: "observations", whole, part, before, clauses }, odd);
  const index = whole.keys.indexOf(keys[odd.index] ?? "");
  return by === "status" && value === "new"
    ? blameHidden(sut, cutting, clauses)
    : blameReading({ list: "observations", whole, part, before, clauses }, { what: "missing", index });
}

/** OBS-LANE-EXCLUDED: an open observation with a fix PR is left out of `status=new`, so only one that never had a PR must be there. */
async function blameHidden(
  sut: SystemUnderTest,
  { filters, whole, part, before }: Part,
  clauses: string[],
): Promise<CaseOutcome | undefined> {
  const lane = await readRows(
    sut,
    "observations",
    readList({ list: "observations", filters: { ...filters, has_fix_pr: "true" } }, { limit: PAGE_LIMIT }),
  );
  if (!lane.ok) return inconclusive(lane.why);
  const shown = new Set([...part.keys, ...lane.keys]);
  const index = whole.rows.findIndex((row, place) => row.status === "new" && !shown.has(whole.keys[place] ?? ""));
  if (index < 0) return undefined;
  const inLane = { ...lane.step, given: { json: { data: { not: { contains: { ref: "{row}" } } } } } };
  const last = { ...part.step, expect: { status: 200, json: { data: { contains: { ref: "{row}" } } } } };
  const loose = [...before, { ...whole.step, save: { row: `/data/${index}/ref` } }];
  return failed(clauses, `${whereOf(part.step)} misses an open row without a fix PR`, [...loose, inLane, last]);
}

function partOf(filters: Filters, by: string, value: string | undefined): Query {
  return { list: "observations", filters: { ...filters, [by]: value ?? "" } };
}

/** The filters without the one that cuts, and without what must not go with it. */
function withoutRivals(base: Filters, by: string): Filters {
  const own = subjectsOf(by);
  return conformingFilters(without(base, (name) => name === by || subjectsOf(name).some((subject) => own.includes(subject))));
}

/** The filters that one has a say in: itself, those that it is sent without, those that it is paired with. */
function subjectsOf(name: string): string[] {
  const parameter = observationParameter(name);
  return [name, ...excludedBy(parameter), ...Object.keys(parameter.pairedWith ?? {})];
}
