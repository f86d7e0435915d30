import fc from "fast-check";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { PAGE_LIMIT } from "../../statements/lists.js";
import { createInconclusive } from "../outcome.js";
import { findDifference, findFirstRepeated } from "./difference.js";
import { isUnchanged, type Listing, readRows, saveSince } from "./listing.js";
import { drawLimit, drawQuery, type Query, readList } from "./queries.js";
import { createReadingFailure } from "./reading-failures.js";

/** A list, page sizes, and the row (in pages of the first size) whose time is used as `since`. */
interface Case {
  query: Query;
  limits: number[];
  since: number | null;
}

/** Maximum number of pages of a walk. */
const MAX_PAGES = 60;
const WALK_CLAUSES = ["CURSOR-WALK"];

/** CURSOR-WALK, CURSOR-VERBATIM: a list has the same rows in every page size, each once. */
export const pagination: Property<Case> = {
  id: "pagination",
  title: "A walk by cursor returns every row once, with any filters and page size",
  proves: WALK_CLAUSES,
  needs: [],
  effects: ["read"],
  runs: 60,
  cases: (context: DrawContext) =>
    fc.record({
      query: drawQuery(context),
      limits: fc.uniqueArray(drawLimit(), { minLength: 1, maxLength: 4 }),
      since: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 }),
    }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { query, limits, since }: Case): Promise<CaseOutcome> {
  const filtered = await addSince(sut, query, since === null ? null : since * (limits[0] ?? 1));
  const whole = await readRows(sut, query.list, readList(filtered.query, { limit: PAGE_LIMIT }));
  if (!whole.ok) return createInconclusive(whole.why);
  if (findFirstRepeated(whole.keys) >= 0 && query.list === "repositories")
    return createInconclusive("two repositories look alike");
  let subjects = 0;
  for (const limit of limits) {
    const size = Math.max(limit, Math.ceil(whole.rows.length / MAX_PAGES));
    const part = await readRows(sut, query.list, readList(filtered.query, { limit: size }));
    if (!part.ok) return createInconclusive(part.why);
    const caseOutcome = await compare(sut, { query, whole, part, before: filtered.before });
    if (caseOutcome) return caseOutcome;
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
  const mismatch = findDifference(whole.keys, part.keys);
  if (!mismatch) return undefined;
  if (!(await isUnchanged(sut, list, whole))) return createInconclusive("the list changed while it was walked");
  return createReadingFailure({ list, whole, part, before, clauses: WALK_CLAUSES }, mismatch);
}

/** Returns the query with a `since` of one of its rows, where a row shows a time. */
async function addSince(sut: SystemUnderTest, query: Query, row: number | null): Promise<{ query: Query; before: Step[] }> {
  const saving = row === null || query.list !== "observations" ? undefined : await saveSince(sut, query, row);
  return saving
    ? { query: { ...query, filters: { ...query.filters, since: "{since}" } }, before: [saving] }
    : { query, before: [] };
}
