import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import { blameReading, inconclusive } from "./blame.js";
import { isSteady, type Listing, readRows, sinceRow } from "./listing.js";
import { drawLimit, drawQuery, type Query, readList } from "./lists.js";
import { difference, repeated } from "./rows.js";

/** A list, the page sizes it is walked in, and a row whose time bounds it, counted in pages of the first size. */
interface Case {
  query: Query;
  limits: number[];
  since: number | null;
}

/** Pages that one walk may take. */
const MOST_PAGES = 60;
const CLAUSES = ["CURSOR-WALK"];

/** CURSOR-WALK, CURSOR-VERBATIM: in whatever pages a list is read, it is the same rows, each once. */
export const walksAreWhole: Property<Case> = {
  id: "walks-are-whole",
  title: "A walk by cursor meets every row once, whatever the filters and the page size",
  proves: CLAUSES,
  needs: [],
  effects: ["read"],
  runs: 60,
  cases: (context: DrawContext) =>
    fc.record({
      query: drawQuery(context),
      limits: fc.uniqueArray(drawLimit(), { minLength: 1, maxLength: 4 }),
      since: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 }),
    }),
  run: walkEach,
};

async function walkEach(sut: SystemUnderTest, { query, limits, since }: Case): Promise<CaseOutcome> {
  const bounded = await bound(sut, query, since === null ? null : since * (limits[0] ?? 1));
  const whole = await readRows(sut, query.list, readList(bounded.query, { limit: PAGE_LIMIT }));
  if (!whole.ok) return inconclusive(whole.why);
  if (repeated(whole.keys) >= 0 && query.list === "repositories") return inconclusive("two repositories look alike");
  let subjects = 0;
  for (const limit of limits) {
    const size = Math.max(limit, Math.ceil(whole.rows.length / MOST_PAGES));
    const part = await readRows(sut, query.list, readList(bounded.query, { limit: size }));
    if (!part.ok) return inconclusive(part.why);
    const found = await compare(sut, { query, whole, part, before: bounded.before });
    if (found) return found;
    subjects += Math.max(1, part.rows.length);
  }
  return { verdict: "passed", subjects };
}

/** Two readings of one list. */
interface Readings {
  query: Query;
  whole: Listing;
  part: Listing;
  before: readonly Step[];
}

async function compare(
  sut: SystemUnderTest,
  { query: { list }, whole, part, before }: Readings,
): Promise<CaseOutcome | undefined> {
  const odd = difference(whole.keys, part.keys);
  if (!odd) return undefined;
  if (!(await isSteady(sut, list, whole))) return inconclusive("the list changed while it was walked");
  return blameReading({ list, whole, part, before, clauses: CLAUSES }, odd);
}

/** The query with a `since` that falls on the time of one of its rows, where a row shows one. */
async function bound(sut: SystemUnderTest, query: Query, row: number | null): Promise<{ query: Query; before: Step[] }> {
  const saving = row === null || query.list !== "observations" ? undefined : await sinceRow(sut, query, row);
  return saving
    ? { query: { ...query, filters: { ...query.filters, since: "{since}" } }, before: [saving] }
    : { query, before: [] };
}
