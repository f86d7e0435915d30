import { parseBodyJson, type WireResponse } from "../../engine/http/exchange.js";
import type { Failure, JudgedPoint, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { findDifference, findFirstRepeated } from "../laws/lists/difference.js";
import { isUnchanged, type Listing, listKeys, readListRows, readRows } from "../laws/lists/listing.js";
import { type Query, readList } from "../laws/lists/queries.js";
import { createReadingFailure, describeRequest } from "../laws/lists/reading-failures.js";
import { createFailure, createInconclusive } from "../laws/outcome.js";
import { findListStatement, type ListName, lists, PAGE_LIMIT } from "../statements/lists.js";
import { type FilterPoint, filterPoints, judgesFilter, namePoint } from "./filter-points.js";
import { createTableProperty, type PairRow, type RowOutcome } from "./pair-table.js";
import { createStepsBefore, findFiltersWithFewRows, openReadings, type Readings } from "./readings.js";

/** The page size of each border, from the number of all rows. */
const ROWS_BY_BORDER: Readonly<Record<string, (all: number) => number>> = {
  "one row": () => 1,
  "two rows": () => 2,
  "all rows but one": (all) => all - 1,
  "all rows": (all) => all,
};

interface Border extends PairRow {
  list: ListName;
  /** The filter of the observations; other lists have none. */
  point?: FilterPoint;
  size(all: number): number;
}

/** Maximum number of pages of a walk. */
const MAX_ROWS = 7;
const [WALK_CLAUSE, MORE, LAST, HELD] = ["CURSOR-WALK", "CURSOR-MORE", "CURSOR-LAST", "PAGE-LIMIT-HELD"] as const;

function judgesWalk(list: ListName): JudgedPoint[] {
  const covers = { list: findListStatement(list).route };
  const positions = ["first", "middle", "last"].map((position) => ({ "page position": position }));
  return [
    ...[WALK_CLAUSE, MORE, LAST].map((clause) => ({ clause, surface: "rest", covers })),
    ...positions.map((position) => ({ clause: HELD, surface: "rest", covers: { ...covers, ...position } })),
  ];
}

const otherLists = (Object.keys(lists) as ListName[]).filter((list) => list !== "observations");
const rows: readonly Border[] = [
  ...filterPoints.flatMap((point) =>
    Object.entries(ROWS_BY_BORDER).map(([border, size]): Border => {
      const judges = [...(border === "one row" ? judgesWalk("observations") : []), ...judgesFilter(point)];
      return { name: `${namePoint(point)}, pages of ${border}`, list: "observations", point, size, judges };
    }),
  ),
  ...otherLists.flatMap((list) =>
    Object.entries({ "a third of the rows": (all: number) => Math.floor(all / 3), ...ROWS_BY_BORDER }).map(
      ([border, size]): Border => {
        const judges = /one row$|third/.test(border) ? judgesWalk(list) : [];
        return { name: `${list}, pages of ${border}`, list, size, judges };
      },
    ),
  ),
];

/**
 * CURSOR-WALK, CURSOR-MORE, CURSOR-LAST, PAGE-LIMIT-HELD: no row is missing or repeated at the end of a page, under every filter and on every list.
 */
export const borderPairs = createTableProperty<Border, Readings>({
  id: "pairs-of-filter-and-page-border",
  title: "With every filter, walks with pages of one, two, all but one and all rows return each row once and mark the last page",
  kind: "pairs of filter and page border",
  needs: [],
  effects: ["read"],
  proves: [WALK_CLAUSE, MORE, LAST, HELD],
  rows,
  open: openReadings,
  tryRow: tryBorder,
});

async function tryBorder(sut: SystemUnderTest, readings: Readings, { list, point, size }: Border): Promise<RowOutcome> {
  const filters = point ? await findFiltersWithFewRows(readings, point, MAX_ROWS) : {};
  const listing = filters && (await readWholeList(sut, readings, { list, filters }));
  if (!listing) return createInconclusive("no combination of filters leaves few rows");
  const all = listing.rows.length;
  const limit = Math.max(1, Math.min(PAGE_LIMIT, size(all)));
  if (all / limit > MAX_ROWS) return createInconclusive("the walk would have too many pages");
  if (findFirstRepeated(listing.keys) >= 0 && list === "repositories") return createInconclusive("two repositories look alike");
  const walkedWalk = await walkPages(sut, { query: { list, filters }, limit, max: all + 1 });
  if (!walkedWalk.ok) return createInconclusive(walkedWalk.why);
  const mismatch = findDifference(listing.keys, walkedWalk.keys);
  const part = { step: readList({ list, filters }, { limit }), rows: [], keys: walkedWalk.keys };
  const wrong =
    walkedWalk.wrong ??
    (mismatch && createReadingFailure({ list, whole: listing, part, before: [], clauses: [WALK_CLAUSE] }, mismatch)) ??
    walkedWalk.emptyPage;
  if (!wrong) return { verdict: "passed", judged: all > 0 && (all / limit >= 3 || size !== ROWS_BY_BORDER["one row"]) };
  if (wrong.verdict !== "failed") return wrong;
  const unchanged = await isUnchanged(sut, list, listing);
  const steps = [...createStepsBefore(readings, filters), ...wrong.steps];
  return unchanged ? { ...wrong, steps } : createInconclusive("the list changed while it was walked");
}

async function readWholeList(sut: SystemUnderTest, readings: Readings, { list, filters }: Query): Promise<Listing | undefined> {
  if (list === "observations") return readings.read(filters);
  const result = await readRows(sut, list, readList({ list, filters }, { limit: PAGE_LIMIT }));
  return result.ok ? result : undefined;
}

/** `emptyPage` is the failure where a page promised more rows and the next page had none, if no row is missing. */
type Walk = { ok: true; keys: string[]; wrong?: Failure; emptyPage?: Failure } | { ok: false; why: string };

/** Reads page after page as a client does, and checks `has_more` and `next_cursor` of each. */
async function walkPages(
  sut: SystemUnderTest,
  { query, limit, max }: { query: Query; limit: number; max: number },
): Promise<Walk> {
  const keys: string[] = [];
  const steps: Step[] = [];
  for (let page = 0; page <= max; page++) {
    const cursor = page === 0 ? {} : { cursor: "{cursor}" };
    const step = readList(query, { limit, ...cursor }, false);
    const stepResult = await sut.send({ ...step, save: { cursor: "/next_cursor" } });
    if (!stepResult.ok) return stepResult;
    const found = readListRows(stepResult.response);
    if (!found) return { ok: false, why: `a page returned status ${stepResult.response.status}` };
    const wrongFailure = findWrongPage(step, stepResult.response, { rows: found.length, limit });
    if (wrongFailure) return { ok: true, keys, wrong: { ...wrongFailure, steps: [...steps, ...wrongFailure.steps] } };
    if (found.length === 0 && page > 0) return { ok: true, keys, emptyPage: createEmptyPageFailure(steps) };
    steps.push({ ...step, save: { cursor: "/next_cursor" } });
    keys.push(...listKeys(query.list, found));
    if (readNext(stepResult.response).has_more !== true) return { ok: true, keys };
  }
  return { ok: true, keys };
}

/** Returns the failure of a last page that promises more rows. */
function createEmptyPageFailure(pages: readonly Step[]): Failure {
  const { save: _, ...last } = pages.at(-1) as Step;
  const expect = { status: 200, json: { has_more: false, next_cursor: null } };
  const why = `${describeRequest(last)} returns the last rows with has_more: true`;
  return createFailure([LAST], why, [...pages.slice(0, -1), { ...last, expect }]);
}

function findWrongPage(
  step: Step,
  response: WireResponse,
  { rows: count, limit }: { rows: number; limit: number },
): Failure | undefined {
  const { next_cursor, has_more } = readNext(response);
  const violation = (clauses: readonly string[], json: Record<string, unknown>, why: string) =>
    createFailure(clauses, `${describeRequest(step)} ${why}`, [{ ...step, expect: { status: 200, json } }]);
  if (count > limit) return violation([HELD], { data: { length: { lte: limit } } }, `returns ${count} rows`);
  const goesOn = typeof next_cursor === "string";
  if (has_more === true && !goesOn)
    return violation(
      [MORE, LAST], // whether more rows follow is not known
      { in: [{ has_more: false }, { next_cursor: { type: "string" } }] },
      "has has_more: true without a next_cursor",
    );
  if (has_more !== true && goesOn)
    return violation([LAST], { in: [{ has_more: true }, { next_cursor: null }] }, "has has_more: false with a next_cursor");
  return undefined;
}

function readNext(response: WireResponse): { next_cursor?: unknown; has_more?: unknown } {
  const body = parseBodyJson(response);
  return body.ok && isRecord(body.value) ? body.value : {};
}
