import type { SystemUnderTest } from "../../engine/property/property.js";
import { findDifference } from "../laws/lists/difference.js";
import { isUnchanged, readRows } from "../laws/lists/listing.js";
import { type Filters, pickConformingFilters, readList } from "../laws/lists/queries.js";
import { createReadingFailure, createSequenceFailure } from "../laws/lists/reading-failures.js";
import { createInconclusive } from "../laws/outcome.js";
import { observationParameters, PAGE_LIMIT } from "../statements/lists.js";
import { combinePoints, type FilterPoint, filterPoints, namePoint } from "./filter-points.js";
import { createTableProperty, type PairRow, type RowOutcome } from "./pair-table.js";
import { createStepsBefore, findFiltersWithFewRows, openReadings, type Readings } from "./readings.js";

interface OrderPair extends PairRow {
  point: FilterPoint;
  order: string;
}

const {
  clauses,
  onlyForStatus,
  values,
}: { clauses: Record<string, string>; onlyForStatus: Record<string, string>; values: readonly string[] } =
  observationParameters.order;
/** The default order of a list. OBS-ORDER-DEFAULT. */
const [USUAL] = values;
const WALK_CLAUSE = "CURSOR-WALK";
/** Maximum number of rows to order. */
const MAX_ROWS = 20;

const rows: readonly OrderPair[] = filterPoints.flatMap((point) =>
  values.flatMap((order): OrderPair[] => {
    if (!filterByStatus(point, onlyForStatus[order])) return [];
    const list = "GET /api/observations";
    const judges = [
      { clause: clauses[order] ?? "", surface: "rest", covers: {} },
      { clause: WALK_CLAUSE, surface: "rest", covers: { list, order: `order=${order}` } },
    ].filter(({ clause }) => clause === WALK_CLAUSE || clause !== clauses.resolved); // this property does not check which rows come first
    return [{ name: `${namePoint(point)} by ${order}`, point, order, judges }];
  }),
);

/** Returns the filters of a point, restricted to rows of one status where one is given. */
function filterByStatus(point: FilterPoint, status: string | undefined): Filters | undefined {
  if (status === undefined) return combinePoints(point);
  if (point.filter === "status") return point.value === status ? combinePoints(point) : undefined;
  return (
    combinePoints(point, { filter: "status", value: status }) ??
    (point.filter === "close_reason" ? combinePoints(point) : undefined)
  );
}

/** OBS-ORDER-*, CURSOR-WALK: each order with each filter, across pages. */
export const orderPairs = createTableProperty<OrderPair, Readings>({
  id: "pairs-of-filter-and-order",
  title: "With every filter, each order returns the rows of the default order once each, across pages",
  kind: "pairs of filter and order",
  needs: [],
  effects: ["read"],
  proves: [...Object.values(clauses), WALK_CLAUSE],
  rows,
  open: openReadings,
  tryRow: tryOrder,
});

async function tryOrder(sut: SystemUnderTest, readings: Readings, { point, order }: OrderPair): Promise<RowOutcome> {
  const few = await findFiltersWithFewRows(readings, point, MAX_ROWS);
  const filters = few && pickConformingFilters({ ...few, ...filterByStatus(point, onlyForStatus[order]) });
  const listing = filters && (await readings.read(filters));
  if (!listing) return createInconclusive("the filter could not be read without an order");
  const limit = Math.min(PAGE_LIMIT, Math.max(1, Math.ceil(listing.rows.length / 2)));
  const part = await readRows(sut, "observations", readList({ list: "observations", filters }, { order, limit }));
  if (!part.ok) return createInconclusive(part.why);
  sut.coverage.reach("filters", `order=${order}`);
  const mismatch = findDifference(listing.keys, part.keys);
  const moved = order === USUAL && listing.keys.some((key, index) => key !== part.keys[index]);
  if (!mismatch && !moved) return { verdict: "passed", judged: listing.rows.length > 1 };
  if (!(await isUnchanged(sut, "observations", listing))) return createInconclusive("the list changed while it was read");
  const steps = createStepsBefore(readings, filters);
  const because = [clauses[order] ?? WALK_CLAUSE];
  return mismatch
    ? createReadingFailure({ list: "observations", whole: listing, part, before: steps, clauses: because }, mismatch)
    : createSequenceFailure({ whole: listing, part, before: steps, clauses: because });
}
