import fc from "fast-check";
import type { DrawContext, Found, Property, Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import { blameReading, inconclusive } from "./blame.js";
import { isSteady, readRows, sinceRow } from "./listing.js";
import { drawFilters, drawLimit, type Filters, lawful, type Query, readList, UNSHOWN } from "./lists.js";
import { difference } from "./rows.js";

/** A filter whose value no row need show; `since` is the time of a row. */
type More = { name: "repo" | "domain" | "easy_wins" | "needs_review"; value: string } | { name: "since"; row: number };

/** The list of observations under some filters, and one more. */
interface Case {
  base: Filters;
  more: More;
  limit: number;
}

const CLAUSE: Record<More["name"], string> = {
  repo: "OBS-FILTER-REPO",
  domain: "OBS-FILTER-DOMAIN",
  easy_wins: "OBS-FILTER-EASYWINS",
  needs_review: "OBS-FILTER-REVIEW-ONLY",
  since: "OBS-FILTER-SINCE",
};
/** Which the text says to send with `kind=finding&status=new`. */
const PAIRED = ["easy_wins", "needs_review"];

/** OBS-FILTER-*: what no row shows cannot be held against a row; but a filter more takes rows away and brings none. */
export const filtersOnlyTakeAway: Property<Case> = {
  id: "filters-only-take-away",
  title: "One filter more takes rows away from a list and brings none, and each that stays is there once",
  proves: Object.values(CLAUSE),
  needs: [],
  effects: ["read"],
  runs: 40,
  cases: (context: DrawContext) => fc.record({ base: drawFilters(context, 2), more: drawMore(context), limit: drawLimit() }),
  play: takeAway,
};

function drawMore({ offers }: DrawContext): fc.Arbitrary<More> {
  return fc.oneof(
    fc.record({ name: fc.constant("since" as const), row: fc.nat(199) }),
    fc.record({ name: fc.constant("domain" as const), value: fc.constantFrom(...UNSHOWN.domain) }),
    fc.record({
      name: fc.constant("repo" as const),
      value: fc.constantFrom("{slug}", ...(offers("repos.2") ? ["{slug2}"] : [])),
    }),
    fc.record({ name: fc.constantFrom("easy_wins" as const, "needs_review" as const), value: fc.constant("true") }),
  );
}

async function takeAway(scene: Scene, { base, more, limit }: Case): Promise<Found> {
  const { [more.name]: _, ...others } = base;
  const filters = PAIRED.includes(more.name) ? without(lawful({ ...others, [more.name]: "true" }), PAIRED) : others;
  const query: Query = { list: "observations", filters };
  const before: Step[] = [];
  if (more.name === "since") {
    const saving = await sinceRow(scene, query, more.row);
    if (!saving) return inconclusive("no row of the list shows a time");
    before.push(saving);
  }
  const whole = await readRows(scene, "observations", readList(query, { limit: 200 }));
  if (!whole.ok) return inconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const value = more.name === "since" ? "{since}" : more.value;
  const part = await readRows(scene, "observations", readList(query, { [more.name]: value, limit: size }));
  if (!part.ok) return inconclusive(part.why);
  const kept = new Set(part.keys);
  const odd = difference(
    whole.keys.filter((key) => kept.has(key)),
    part.keys,
  );
  if (!odd) return { verdict: "passed", subjects: part.rows.length + 1 };
  if (!(await isSteady(scene, "observations", whole))) return inconclusive("the list changed while it was read");
  return blameReading({ list: "observations", whole, part, before, clauses: [CLAUSE[more.name]] }, odd);
}

function without(filters: Filters, names: readonly string[]): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !names.includes(name)));
}
