import type { SystemUnderTest } from "../../engine/property/property.js";
import { findDifference } from "../laws/lists/difference.js";
import { isUnchanged, readRows } from "../laws/lists/listing.js";
import type { Filters } from "../laws/lists/queries.js";
import { createReadingFailure, describeRequest } from "../laws/lists/reading-failures.js";
import { createFailure, createInconclusive } from "../laws/outcome.js";
import { combinePoints, type FilterPoint, filterPoints, judgesFilter, namePoint } from "./filter-points.js";
import { createTableProperty, type PairRow, type RowOutcome } from "./pair-table.js";
import { createListStep, createStepsBefore, openReadings, type Readings, readPoint } from "./readings.js";

interface FilterPair extends PairRow {
  points: readonly [FilterPoint, FilterPoint];
  filters: Filters;
}

const COMBINATION_CLAUSE = "OBS-FILTER-COMBINE";
const row = { contains: { ref: "{row}" } };

const rows: readonly FilterPair[] = filterPoints.flatMap((filterPoint, index) =>
  filterPoints.slice(index + 1).flatMap((otherFilterPoint): FilterPair[] => {
    const filters = filterPoint.filter === otherFilterPoint.filter ? undefined : combinePoints(filterPoint, otherFilterPoint);
    if (!filters) return [];
    const combineFilters = [filterPoint, otherFilterPoint].map(({ filter }) => ({
      clause: COMBINATION_CLAUSE,
      surface: "rest",
      covers: { filter },
    }));
    const judges = [...combineFilters, ...judgesFilter(filterPoint), ...judgesFilter(otherFilterPoint)];
    return [
      {
        name: `${namePoint(filterPoint)} & ${namePoint(otherFilterPoint)}`,
        points: [filterPoint, otherFilterPoint],
        filters,
        judges,
      },
    ];
  }),
);

/** OBS-FILTER-COMBINE: each filter value together with each value of every other filter. */
export const filterPairs = createTableProperty<FilterPair, Readings>({
  id: "pairs-of-filters",
  title: "Two filters together return the rows that both return separately, for every pair of values",
  kind: "pairs of filters",
  needs: [],
  effects: ["read"],
  proves: [COMBINATION_CLAUSE],
  rows,
  open: openReadings,
  tryRow: tryPair,
});

async function tryPair(sut: SystemUnderTest, readings: Readings, { points, filters }: FilterPair): Promise<RowOutcome> {
  const [one, other] = await Promise.all(points.map((point) => readPoint(readings, point)));
  if (!one || !other) return createInconclusive("one of the filters could not be read separately");
  const isOpen = points.some(({ filter }) => filter === "has_fix_pr"); // it may keep rows that the list omits
  if (hidesClosed(readings) && (isOpen || getFiltersByStatus(points[0]) !== getFiltersByStatus(points[1])))
    return createInconclusive("the list omits closed rows without a status filter, so one filter returns other rows separately");
  const both = await readRows(sut, "observations", createListStep(filters));
  if (!both.ok) return createInconclusive(both.why);
  for (const { filter } of points) for (const value of [filters[filter]]) sut.coverage.reach("filters", `${filter}=${value}`);
  const otherKeys = new Set(other.keys);
  const expectedKeys = one.keys.filter((key) => otherKeys.has(key));
  const mismatch = findDifference(expectedKeys, both.keys);
  if (!mismatch) return { verdict: "passed", judged: expectedKeys.length > 0 };
  if (!(await isUnchanged(sut, "observations", readings.whole))) return createInconclusive("the list changed while it was read");
  const steps = createStepsBefore(readings, filters);
  if (mismatch.what === "repeated")
    return createReadingFailure(
      { list: "observations", whole: one, part: both, before: steps, clauses: [COMBINATION_CLAUSE] },
      mismatch,
    );
  const key = mismatch.what === "extra" ? both.keys[mismatch.index] : expectedKeys[mismatch.index];
  const source = [one, other, readings.whole].find(({ keys }) => keys.includes(key ?? "")) ?? readings.whole;
  const saving = { ...source.step, save: { row: `/data/${source.keys.indexOf(key ?? "")}/ref` } };
  const shown = { status: 200, json: { data: row } };
  const hidden = { status: 200, json: { data: { not: row } } };
  if (mismatch.what === "extra") {
    const wrongReading = one.keys.includes(key ?? "") ? other : one;
    return createFailure([COMBINATION_CLAUSE], `${describeRequest(both.step)} returns a row that one of its filters excludes`, [
      ...[...steps, saving, { ...wrongReading.step, given: hidden }],
      { ...both.step, expect: hidden },
    ]);
  }
  return createFailure([COMBINATION_CLAUSE], `${describeRequest(both.step)} lacks a row that both of its filters return`, [
    ...[...steps, saving, { ...other.step, given: shown }],
    { ...both.step, expect: shown },
  ]);
}

/** Returns whether a list without a status filter shows open rows only. The contract leaves this open. */
function hidesClosed({ whole }: Readings): boolean {
  return whole.rows.every(({ status }) => status === "new");
}

function getFiltersByStatus(point: FilterPoint): boolean {
  const { status, close_reason } = combinePoints(point) ?? {};
  return (status ?? close_reason) !== undefined;
}
