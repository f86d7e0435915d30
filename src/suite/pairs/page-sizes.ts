import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isUnchanged, listKeys, readListRows } from "../laws/lists/listing.js";
import { readList } from "../laws/lists/queries.js";
import { createReadingFailure, describeRequest } from "../laws/lists/reading-failures.js";
import { createFailure, createInconclusive } from "../laws/outcome.js";
import { prepare } from "../laws/steps.js";
import { matchResponseTo } from "../response-rules.js";
import { findListStatement, findObservationParameter, observationParameters, PAGE_LIMIT } from "../statements/lists.js";
import { combinePoints, type FilterPoint, filterPoints, namePoint } from "./filter-points.js";
import { createTableProperty, type PairRow, type RowOutcome } from "./pair-table.js";
import { createStepsBefore, openReadings, type Readings, readPoint } from "./readings.js";

/** The page sizes that the contract names: by their name, with the `limit` that requests them and the clause of a full page. */
const PAGE_SIZES = {
  "no limit": { rows: findListStatement("observations").defaultLimit ?? PAGE_LIMIT, query: {}, clause: "PAGE-DEFAULT-OBS" },
  "the largest limit": { rows: PAGE_LIMIT, query: { limit: PAGE_LIMIT }, clause: "PAGE-LIMIT-FILLED" },
} as const;
const [MORE, LAST] = ["CURSOR-MORE", "CURSOR-LAST"] as const;
/** Adds more rows of each value than the largest page has. */
const SEED: Step = { drive: "seed-observations", with: { repo: "{repo}", count: 1500 } };
/** The orders of open and of closed rows, and no order. */
const ORDERS = [undefined, ...observationParameters.order.values.filter((order) => order !== "resolved")];

interface PageSize extends PairRow {
  point: FilterPoint;
  size: keyof typeof PAGE_SIZES;
  order: string | undefined;
}

/** The observations of one case, and the steps that added some of them. */
interface Context {
  readings: Readings;
  seeds: readonly Step[];
}

const rows: readonly PageSize[] = filterPoints.flatMap((point, index) =>
  (Object.keys(PAGE_SIZES) as (keyof typeof PAGE_SIZES)[]).map((size, half): PageSize => {
    const order = ORDERS[(index + half) % ORDERS.length];
    const judges = [{ clause: PAGE_SIZES[size].clause, surface: "rest", covers: {} }];
    return { name: `${namePoint(point)}, ${size}, ${order ?? "no order"}`, point, size, order, judges };
  }),
);

/** PAGE-DEFAULT-OBS, PAGE-LIMIT-FILLED: the default page and the largest page under each filter are full, and tell whether more follows. */
export const pageSizePairs = createTableProperty<PageSize, Context>({
  id: "pairs-of-filter-and-page-size",
  title: "With every filter, a page without a limit and one with the largest limit are full if there are that many rows",
  kind: "pairs of filter and page size",
  needs: [],
  effects: ["read"],
  proves: [...Object.values(PAGE_SIZES).map(({ clause }) => clause), MORE, LAST, ...filterPoints.map(findClause)],
  rows,
  async open(sut) {
    const seeds = sut.fresh && sut.offers(`drive.${SEED.drive}`) ? [SEED] : [];
    const unseeded = await prepare(sut, seeds);
    if (unseeded?.verdict === "inconclusive") return { ok: false, why: unseeded.why };
    const result = await openReadings(sut);
    return result.ok ? { ok: true, context: { readings: result.context, seeds } } : result;
  },
  tryRow: trySize,
});

async function trySize(sut: SystemUnderTest, context: Context, { point, size, order }: PageSize): Promise<RowOutcome> {
  const { readings, seeds } = context;
  const listing = await readPoint(readings, point);
  if (!listing) return createInconclusive("the filter could not be read in pages");
  const filters = combinePoints(point) ?? {};
  const { rows: max, query, clause } = PAGE_SIZES[size];
  const step = readList({ list: "observations", filters }, { ...query, ...(order && { order }) }, false);
  const stepResult = await sut.send(step);
  if (!stepResult.ok) return createInconclusive(stepResult.why);
  const found = readListRows(stepResult.response);
  if (!found)
    return createInconclusive(`${describeRequest(step)} returned status ${stepResult.response.status} instead of a page`);
  const known = new Set(listing.keys);
  const keys = listKeys("observations", found);
  const index = keys.findIndex((key) => !known.has(key));
  const isMore = listing.keys.length > max;
  const end = isMore ? { has_more: true, next_cursor: { type: "string" } } : { has_more: false, next_cursor: null };
  const wrong = [
    { json: { data: { length: Math.min(max, listing.keys.length) } }, clauses: [isMore ? clause : findClause(point)] },
    { json: end, clauses: [isMore ? MORE : LAST] },
  ].find(({ json }) => matchResponseTo({ json }, stepResult.response).mismatches.length > 0);
  if (index < 0 && !wrong) return { verdict: "passed", judged: isMore };
  if (!(await isUnchanged(sut, "observations", listing))) return createInconclusive("the list changed while it was read");
  const before = [...seeds, ...createStepsBefore(readings, filters)];
  if (index >= 0 || !wrong) {
    const comparison = { whole: listing, part: { step, rows: found, keys }, before, clauses: [findClause(point)] };
    return createReadingFailure({ list: "observations", ...comparison }, { what: "extra", index });
  }
  const why = `${describeRequest(step)} returns ${found.length} of ${listing.keys.length} rows`;
  const counted = { ...listing.step, given: { status: 200, json: { data: { length: listing.keys.length } } } };
  return createFailure(wrong.clauses, why, [...before, counted, { ...step, expect: { status: 200, json: wrong.json } }]);
}

function findClause({ filter, value }: FilterPoint): string {
  const { clause = "", clauses = {} } = findObservationParameter(filter);
  return clauses[value] ?? clause;
}
