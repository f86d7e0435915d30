import { bodyJson, type WireResponse } from "../../engine/http/exchange.js";
import type { Failure, JudgedPoint, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { blameReading, failed, whereOf } from "../laws/blame.js";
import { isSteady, keysOf, type Listing, readRows, rowsOf } from "../laws/listing.js";
import { type Query, readList } from "../laws/lists.js";
import { difference, repeated } from "../laws/rows.js";
import { type ListName, listStatement, lists, PAGE_LIMIT } from "../statements/lists.js";
import { type FilterPoint, filterPoints, judgesFilter, nameOfPoint } from "./filter-points.js";
import { before, narrowed, openReadings, type Readings } from "./readings.js";
import { type PairRow, propertyOfTable, type RowOutcome } from "./table.js";

/** How large the pages are, of so many rows in all. */
const BORDERS: Readonly<Record<string, (all: number) => number>> = {
  "one row": () => 1,
  "two rows": () => 2,
  "all rows but one": (all) => all - 1,
  "all rows": (all) => all,
};

interface Border extends PairRow {
  list: ListName;
  /** The filter of the observations; any other list is walked as it is. */
  point?: FilterPoint;
  size(all: number): number;
}

/** The most rows that are walked one by one. */
const MOST_ROWS = 7;
const [WALK, MORE, LAST, HELD] = ["CURSOR-WALK", "CURSOR-MORE", "CURSOR-LAST", "PAGE-LIMIT-HELD"] as const;

function judgesWalk(list: ListName): JudgedPoint[] {
  const covers = { list: listStatement(list).route };
  const positions = ["first", "middle", "last"].map((position) => ({ "page position": position }));
  return [
    ...[WALK, MORE, LAST].map((clause) => ({ clause, surface: "rest", covers })),
    ...positions.map((position) => ({ clause: HELD, surface: "rest", covers: { ...covers, ...position } })),
  ];
}

const others = (Object.keys(lists) as ListName[]).filter((list) => list !== "observations");
const rows: readonly Border[] = [
  ...filterPoints.flatMap((point) =>
    Object.entries(BORDERS).map(([border, size]): Border => {
      const judges = [...(border === "one row" ? judgesWalk("observations") : []), ...judgesFilter(point)];
      return { name: `${nameOfPoint(point)}, pages of ${border}`, list: "observations", point, size, judges };
    }),
  ),
  ...others.flatMap((list) =>
    Object.entries({ "a third of the rows": (all: number) => Math.floor(all / 3), ...BORDERS }).map(([border, size]): Border => {
      const judges = /one row$|third/.test(border) ? judgesWalk(list) : [];
      return { name: `${list}, pages of ${border}`, list, size, judges };
    }),
  ),
];

/** CURSOR-WALK, CURSOR-MORE, CURSOR-LAST, PAGE-LIMIT-HELD: where a page ends nothing is lost, doubled or hidden, whatever filters the list, on every list. */
export const borderPairs = propertyOfTable<Border, Readings>({
  id: "pairs-of-filter-and-page-border",
  title: "Under every filter a walk in pages of one, two, all but one and all rows meets each row once, and says where it ends",
  kind: "pairs of filter and page border",
  needs: [],
  effects: ["read"],
  proves: [WALK, MORE, LAST, HELD],
  rows,
  open: openReadings,
  tryRow: tryBorder,
});

async function tryBorder(sut: SystemUnderTest, readings: Readings, { list, point, size }: Border): Promise<RowOutcome> {
  const filters = point ? await narrowed(readings, point, MOST_ROWS) : {};
  const whole = filters && (await wholeOf(sut, readings, { list, filters }));
  if (!whole) return { verdict: "unsaid", why: "there are no few rows to walk" };
  const all = whole.rows.length;
  const limit = Math.max(1, Math.min(PAGE_LIMIT, size(all)));
  if (all / limit > MOST_ROWS) return { verdict: "unsaid", why: "there would be too many pages" };
  if (repeated(whole.keys) >= 0 && list === "repositories") return { verdict: "unsaid", why: "two repositories look alike" };
  const walked = await walk(sut, { query: { list, filters }, limit, most: all + 1 });
  if (!walked.ok) return { verdict: "unsaid", why: walked.why };
  const odd = difference(whole.keys, walked.keys);
  const part = { step: readList({ list, filters }, { limit }), rows: [], keys: walked.keys };
  const wrong = walked.wrong ?? (odd && blameReading({ list, whole, part, before: [], clauses: [WALK] }, odd)) ?? walked.hollow;
  if (!wrong) return { verdict: "kept", judged: all > 0 && (all / limit >= 3 || size !== BORDERS["one row"]) };
  if (wrong.verdict !== "failed") return wrong;
  const steady = await isSteady(sut, list, whole);
  const steps = [...before(readings, filters), ...wrong.steps];
  return steady ? { ...wrong, steps } : { verdict: "unsaid", why: "the list changed while it was walked" };
}

async function wholeOf(sut: SystemUnderTest, readings: Readings, { list, filters }: Query): Promise<Listing | undefined> {
  if (list === "observations") return readings.read(filters);
  const whole = await readRows(sut, list, readList({ list, filters }, { limit: PAGE_LIMIT }));
  return whole.ok ? whole : undefined;
}

/** `hollow` is what is wrong where no row followed on a page that promised some, if none was lost. */
type Walk = { ok: true; keys: string[]; wrong?: Failure; hollow?: Failure } | { ok: false; why: string };

/** Goes from page to page as a client does, and looks at what each says of what comes next. */
async function walk(sut: SystemUnderTest, { query, limit, most }: { query: Query; limit: number; most: number }): Promise<Walk> {
  const keys: string[] = [];
  const played: Step[] = [];
  for (let page = 0; page <= most; page++) {
    const cursor = page === 0 ? {} : { cursor: "{cursor}" };
    const step = readList(query, { limit, ...cursor }, false);
    const sent = await sut.send({ ...step, save: { cursor: "/next_cursor" } });
    if (!sent.ok) return sent;
    const found = rowsOf(sent.response);
    if (!found) return { ok: false, why: `a page answered ${sent.response.status}` };
    const wrong = wrongPage(step, sent.response, { rows: found.length, limit });
    if (wrong) return { ok: true, keys, wrong: { ...wrong, steps: [...played, ...wrong.steps] } };
    if (found.length === 0 && page > 0) return { ok: true, keys, hollow: hollowPromise(played) };
    played.push({ ...step, save: { cursor: "/next_cursor" } });
    keys.push(...keysOf(query.list, found));
    if (nextOf(sent.response).has_more !== true) return { ok: true, keys };
  }
  return { ok: true, keys };
}

/** What is wrong where the last page with rows says that there are more: those before it lead to it. */
function hollowPromise(pages: readonly Step[]): Failure {
  const { save: _, ...last } = pages.at(-1) as Step;
  const expect = { status: 200, json: { has_more: false, next_cursor: null } };
  const why = `${whereOf(last)} holds the last rows, and says that there are more`;
  return failed([LAST], why, [...pages.slice(0, -1), { ...last, expect }]);
}

function wrongPage(
  step: Step,
  response: WireResponse,
  { rows: count, limit }: { rows: number; limit: number },
): Failure | undefined {
  const { next_cursor, has_more } = nextOf(response);
  const must = (clause: string, json: Record<string, unknown>, why: string) =>
    failed([clause], `${whereOf(step)} ${why}`, [{ ...step, expect: { status: 200, json } }]);
  if (count > limit) return must(HELD, { data: { length: { lte: limit } } }, `gives ${count} rows`);
  const goesOn = typeof next_cursor === "string";
  if (has_more === true && !goesOn)
    return must(MORE, { in: [{ has_more: false }, { next_cursor: { type: "string" } }] }, "has more, and no cursor to it");
  if (has_more !== true && goesOn)
    return must(LAST, { in: [{ has_more: true }, { next_cursor: null }] }, "is the last, and has a cursor");
  return undefined;
}

function nextOf(response: WireResponse): { next_cursor?: unknown; has_more?: unknown } {
  const body = bodyJson(response);
  return body.ok && isRecord(body.value) ? body.value : {};
}
