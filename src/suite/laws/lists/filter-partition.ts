import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findObservationParameter, PAGE_LIMIT } from "../../statements/lists.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { COMBINATION_CLAUSE, findClause, judgeAlone } from "./combination.js";
import { findDifference } from "./difference.js";
import { isUnchanged, type Listing, readRows, saveSince } from "./listing.js";
import {
  drawFilters,
  drawLimit,
  type Filters,
  listExcluded,
  omitFilters,
  pickConformingFilters,
  type Query,
  readList,
  visibleFilters,
} from "./queries.js";
import { createReadingFailure, describeRequest } from "./reading-failures.js";

/** Filters of the list of observations, and a filter whose values partition that list. `since` is the time of a row of one part. */
interface Case {
  base: Filters;
  by: string;
  limit: number;
  since: { value: number; pages: number } | null;
}

/** OBS-FILTER-*, OBS-FILTER-COMBINE: the values of a filter partition a list. No row is missing, repeated or in the wrong part. */
export const filterPartition: Property<Case> = {
  id: "filter-partition",
  title: "The values of a filter partition a list: each row is exactly once in the list for its value",
  proves: [...visibleFilters.map(({ clause }) => clause), COMBINATION_CLAUSE],
  needs: [],
  effects: ["read"],
  runs: 60,
  cases: (context: DrawContext) =>
    fc.record({
      base: drawFilters(context, 2),
      by: fc.constantFrom(...visibleFilters.map(({ name }) => name)),
      limit: drawLimit(),
      since: fc.option(fc.record({ value: fc.nat(5), pages: fc.integer({ min: 1, max: 6 }) }), { freq: 2 }),
    }),
  run: (sut, { base, since, ...drawn }) =>
    judgeAlone({ ...base, ...(since && { since: "" }) }, ({ since: isSince, ...others }) =>
      runCase(sut, { ...drawn, base: others, since: isSince === undefined ? null : since }),
    ),
};

async function runCase(sut: SystemUnderTest, { base, by, limit, since }: Case): Promise<CaseOutcome> {
  const plain = pickCombinableFilters(base, by);
  const values = findObservationParameter(by).values ?? [];
  const saving = since && (await saveSince(sut, createPart(plain, by, values[since.value % values.length]), since.pages * limit));
  const filters = saving ? { ...plain, since: "{since}" } : plain;
  const before = saving ? [saving] : [];
  const whole = await readRows(sut, "observations", readList({ list: "observations", filters }, { limit: PAGE_LIMIT }));
  if (!whole.ok) return createInconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  for (const value of values) {
    const part = await readRows(sut, "observations", readList(createPart(filters, by, value), { limit: size }));
    if (!part.ok) return createInconclusive(part.why);
    const caseOutcome = await judge(sut, { by, value, filters, whole, part, before });
    if (caseOutcome) return caseOutcome;
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

async function judge(sut: SystemUnderTest, partition: Part): Promise<CaseOutcome | undefined> {
  const { by, value, whole, part, before } = partition;
  const clauses = [findClause(by, partition.filters)];
  if (part.rows.some((row) => row[by] !== value)) {
    const expect = { status: 200, json: { data: { each: { [by]: value } } } };
    return createFailure(clauses, `${describeRequest(part.step)} returns a row with another ${by}`, [
      ...before,
      { ...part.step, expect },
    ]);
  }
  const matches = whole.rows.map((row) => row[by] === value);
  const keys = whole.keys.filter((_, index) => matches[index]);
  const mismatch = findDifference(keys, part.keys);
  if (!mismatch) return undefined;
  if (!(await isUnchanged(sut, "observations", whole))) return createInconclusive("the list changed while it was read");
  if (mismatch.what !== "missing") return createReadingFailure({ list: "observations", whole, part, before, clauses }, mismatch);
  const index = whole.keys.indexOf(keys[mismatch.index] ?? "");
  return by === "status" && value === "new"
    ? openRowFailure(sut, partition, clauses)
    : createReadingFailure({ list: "observations", whole, part, before, clauses }, { what: "missing", index });
}

/** OBS-LANE-EXCLUDED: `status=new` omits an open observation with a fix PR. So only a row that never had a PR must be there. */
async function openRowFailure(
  sut: SystemUnderTest,
  { filters, whole, part, before }: Part,
  clauses: string[],
): Promise<CaseOutcome | undefined> {
  const lane = await readRows(
    sut,
    "observations",
    readList({ list: "observations", filters: { ...filters, has_fix_pr: "true" } }, { limit: PAGE_LIMIT }),
  );
  if (!lane.ok) return createInconclusive(lane.why);
  const shown = new Set([...part.keys, ...lane.keys]);
  const index = whole.rows.findIndex((row, place) => row.status === "new" && !shown.has(whole.keys[place] ?? ""));
  if (index < 0) return undefined;
  const inLane = { ...lane.step, given: { json: { data: { not: { contains: { ref: "{row}" } } } } } };
  const last = { ...part.step, expect: { status: 200, json: { data: { contains: { ref: "{row}" } } } } };
  const readSteps = [...before, { ...whole.step, save: { row: `/data/${index}/ref` } }];
  return createFailure(clauses, `${describeRequest(part.step)} lacks an open row without a fix PR`, [...readSteps, inLane, last]);
}

function createPart(filters: Filters, by: string, value: string | undefined): Query {
  return { list: "observations", filters: { ...filters, [by]: value ?? "" } };
}

/** Returns the filters that can be combined with the partitioning filter. */
function pickCombinableFilters(base: Filters, by: string): Filters {
  const own = listSubjects(by);
  return pickConformingFilters(
    omitFilters(base, (name) => name === by || listSubjects(name).some((subject) => own.includes(subject))),
  );
}

/** Returns the parameters that a filter affects: itself, those that it excludes, and those that it requires. */
function listSubjects(name: string): string[] {
  const parameter = findObservationParameter(name);
  return [name, ...listExcluded(parameter), ...Object.keys(parameter.pairedWith ?? {})];
}
