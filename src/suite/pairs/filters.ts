import type { SystemUnderTest } from "../../engine/property/property.js";
import { blameReading, failed, whereOf } from "../laws/blame.js";
import { isSteady, readRows } from "../laws/listing.js";
import type { Filters } from "../laws/lists.js";
import { difference } from "../laws/rows.js";
import { type FilterPoint, filterPoints, judgesFilter, nameOfPoint, together } from "./filter-points.js";
import { before, listStep, openReadings, type Readings, readPoint } from "./readings.js";
import { type PairRow, propertyOfTable, type RowOutcome } from "./table.js";

interface FilterPair extends PairRow {
  points: readonly [FilterPoint, FilterPoint];
  filters: Filters;
}

const COMBINE = "OBS-FILTER-COMBINE";
const row = { contains: { ref: "{row}" } };

const rows: readonly FilterPair[] = filterPoints.flatMap((one, index) =>
  filterPoints.slice(index + 1).flatMap((other): FilterPair[] => {
    const filters = one.filter === other.filter ? undefined : together(one, other);
    if (!filters) return [];
    const combine = [one, other].map(({ filter }) => ({ clause: COMBINE, surface: "rest", covers: { filter } }));
    const judges = [...combine, ...judgesFilter(one), ...judgesFilter(other)];
    return [{ name: `${nameOfPoint(one)} & ${nameOfPoint(other)}`, points: [one, other], filters, judges }];
  }),
);

/** OBS-FILTER-COMBINE: each filter with each value, beside each other one. */
export const filterPairs = propertyOfTable<FilterPair, Readings>({
  id: "pairs-of-filters",
  title: "Two filters together keep the rows that each of them keeps, and no others: every pair of values",
  kind: "pairs of filters",
  needs: [],
  effects: ["read"],
  proves: [COMBINE],
  rows,
  open: openReadings,
  tryRow: tryPair,
});

async function tryPair(sut: SystemUnderTest, readings: Readings, { points, filters }: FilterPair): Promise<RowOutcome> {
  const [one, other] = await Promise.all(points.map((point) => readPoint(readings, point)));
  if (!one || !other) return { verdict: "unsaid", why: "one of the filters could not be read alone" };
  if (hidesClosed(readings) && asksForStatus(points[0]) !== asksForStatus(points[1]))
    return { verdict: "unsaid", why: "the list shows no closed rows unless they are asked for, so one filter alone has others" };
  const both = await readRows(sut, "observations", listStep(filters));
  if (!both.ok) return { verdict: "unsaid", why: both.why };
  for (const { filter } of points) for (const value of [filters[filter]]) sut.coverage.reach("filters", `${filter}=${value}`);
  const inOther = new Set(other.keys);
  const expected = one.keys.filter((key) => inOther.has(key));
  const odd = difference(expected, both.keys);
  if (!odd) return { verdict: "kept", judged: expected.length > 0 };
  if (!(await isSteady(sut, "observations", readings.whole)))
    return { verdict: "unsaid", why: "the list changed while it was read" };
  const steps = before(readings, filters);
  if (odd.what === "repeated")
    return blameReading({ list: "observations", whole: one, part: both, before: steps, clauses: [COMBINE] }, odd);
  const key = odd.what === "extra" ? both.keys[odd.index] : expected[odd.index];
  const source = [one, other, readings.whole].find(({ keys }) => keys.includes(key ?? "")) ?? readings.whole;
  const saving = { ...source.step, save: { row: `/data/${source.keys.indexOf(key ?? "")}/ref` } };
  const shown = { status: 200, json: { data: row } };
  const hidden = { status: 200, json: { data: { not: row } } };
  if (odd.what === "extra") {
    const lacking = one.keys.includes(key ?? "") ? other : one;
    return failed([COMBINE], `${whereOf(both.step)} gives a row that one of its filters does not keep`, [
      ...[...steps, saving, { ...lacking.step, given: hidden }],
      { ...both.step, expect: hidden },
    ]);
  }
  return failed([COMBINE], `${whereOf(both.step)} misses a row that each of its filters keeps`, [
    ...[...steps, saving, { ...other.step, given: shown }],
    { ...both.step, expect: shown },
  ]);
}

/** Whether a list that asks for no status has open rows only: what it shows then is not said. */
function hidesClosed({ whole }: Readings): boolean {
  return whole.rows.every(({ status }) => status === "new");
}

function asksForStatus(point: FilterPoint): boolean {
  const { status, close_reason } = together(point) ?? {};
  return (status ?? close_reason) !== undefined;
}
