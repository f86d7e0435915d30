import type { SystemUnderTest } from "../../engine/property/property.js";
import { blameReading, blameSequence } from "../laws/blame.js";
import { isSteady, readRows } from "../laws/listing.js";
import { conformingFilters, type Filters, readList } from "../laws/lists.js";
import { difference } from "../laws/rows.js";
import { observationParameters, PAGE_LIMIT } from "../statements/lists.js";
import { type FilterPoint, filterPoints, nameOfPoint, together } from "./filter-points.js";
import { before, narrowed, openReadings, type Readings } from "./readings.js";
import { type PairRow, propertyOfTable, type RowOutcome } from "./table.js";

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
/** The order that a list without one has. OBS-ORDER-DEFAULT. */
const [USUAL] = values;
const WALK = "CURSOR-WALK";
/** The most rows that are put in an order. */
const MOST_ROWS = 20;

const rows: readonly OrderPair[] = filterPoints.flatMap((point) =>
  values.flatMap((order): OrderPair[] => {
    if (!ofStatus(point, onlyForStatus[order])) return [];
    const list = "GET /api/observations";
    const judges = [
      { clause: clauses[order] ?? "", surface: "rest", covers: {} },
      { clause: WALK, surface: "rest", covers: { list, order: `order=${order}` } },
    ].filter(({ clause }) => clause === WALK || clause !== clauses.resolved); // which of the rows come first is not looked at
    return [{ name: `${nameOfPoint(point)} by ${order}`, point, order, judges }];
  }),
);

/** The filters of a point, for rows of one status where one is given. */
function ofStatus(point: FilterPoint, status: string | undefined): Filters | undefined {
  if (status === undefined) return together(point);
  if (point.filter === "status") return point.value === status ? together(point) : undefined;
  return together(point, { filter: "status", value: status }) ?? (point.filter === "close_reason" ? together(point) : undefined);
}

/** OBS-ORDER-*, CURSOR-WALK: each order of each filter, over page borders. */
export const orderPairs = propertyOfTable<OrderPair, Readings>({
  id: "pairs-of-filter-and-order",
  title: "Under every filter each order gives the rows of the list without an order, each once, over page borders too",
  kind: "pairs of filter and order",
  needs: [],
  effects: ["read"],
  proves: [...Object.values(clauses), WALK],
  rows,
  open: openReadings,
  tryRow: tryOrder,
});

async function tryOrder(sut: SystemUnderTest, readings: Readings, { point, order }: OrderPair): Promise<RowOutcome> {
  const few = await narrowed(readings, point, MOST_ROWS);
  const filters = few && conformingFilters({ ...few, ...ofStatus(point, onlyForStatus[order]) });
  const whole = filters && (await readings.read(filters));
  if (!whole) return { verdict: "unsaid", why: "the filter could not be read without an order" };
  const limit = Math.min(PAGE_LIMIT, Math.max(1, Math.ceil(whole.rows.length / 2)));
  const part = await readRows(sut, "observations", readList({ list: "observations", filters }, { order, limit }));
  if (!part.ok) return { verdict: "unsaid", why: part.why };
  sut.coverage.reach("filters", `order=${order}`);
  const odd = difference(whole.keys, part.keys);
  const moved = order === USUAL && whole.keys.some((key, index) => key !== part.keys[index]);
  if (!odd && !moved) return { verdict: "kept", judged: whole.rows.length > 1 };
  if (!(await isSteady(sut, "observations", whole))) return { verdict: "unsaid", why: "the list changed while it was read" };
  const steps = before(readings, filters);
  const because = [clauses[order] ?? WALK];
  return odd
    ? blameReading({ list: "observations", whole, part, before: steps, clauses: because }, odd)
    : blameSequence({ whole, part, before: steps, clauses: because });
}
