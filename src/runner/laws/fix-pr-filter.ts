import fc from "fast-check";
import type { DrawContext, Failure, Found, Property, Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import { blameReading, failed, inconclusive } from "./blame.js";
import { isSteady, type Listing, readRows } from "./listing.js";
import { drawFilters, drawLimit, type Filters, lawful, readList } from "./lists.js";
import { difference } from "./rows.js";

/** The list of observations under some filters, cut by `has_fix_pr`. */
interface Case {
  base: Filters;
  limit: number;
}

const CLAUSES = ["OBS-FILTER-FIXPR-FALSE"];

/** OBS-FILTER-FIXPR-FALSE: no row shows whether it had a fix PR, so only the two parts together can be held against the whole. */
export const fixPrFilterHalves: Property<Case> = {
  id: "fix-pr-filter-halves",
  title: "has_fix_pr=true and has_fix_pr=false share out the rows of a list: each is in one of them, once",
  proves: CLAUSES,
  needs: [],
  effects: ["read"],
  runs: 20,
  cases: (context: DrawContext) => fc.record({ base: drawFilters(context, 2), limit: drawLimit() }),
  play: halve,
};

async function halve(scene: Scene, { base, limit }: Case): Promise<Found> {
  const { status: _s, easy_wins: _e, needs_review: _n, has_fix_pr: _p, ...filters } = base;
  const read = (more: Filters, size: number) =>
    readRows(
      scene,
      "observations",
      readList({ list: "observations", filters: lawful({ ...filters, ...more }) }, { limit: size }),
    );
  const whole = await read({}, 200);
  if (!whole.ok) return inconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const ever = await read({ has_fix_pr: "true" }, size);
  const never = await read({ has_fix_pr: "false" }, size);
  if (!ever.ok || !never.ok) return inconclusive("one of the two parts could not be read");
  const odd = difference(whole.keys, [...ever.keys, ...never.keys]);
  if (!odd) return { verdict: "passed", subjects: whole.rows.length + 1 };
  if (!(await isSteady(scene, "observations", whole))) return inconclusive("the list changed while it was read");
  if (odd.what === "lost") return blameLost(whole, ever, never, odd.index);
  const part = odd.index < ever.keys.length ? ever : never;
  const index = odd.index - (part === ever ? 0 : ever.keys.length);
  const inBoth = odd.what === "twice" && part === never && ever.keys.includes(never.keys[index] ?? "");
  return inBoth
    ? blameBoth(ever, never, index)
    : blameReading({ list: "observations", whole, part, before: [], clauses: CLAUSES }, { ...odd, index });
}

function blameLost(whole: Listing, ever: Listing, never: Listing, index: number): Failure {
  const notEver = { ...ever.step, given: { json: { data: { not: { contains: { ref: "{row}" } } } } } };
  const last = { ...never.step, expect: { status: 200, json: { data: { contains: { ref: "{row}" } } } } };
  const steps = [{ ...whole.step, save: { row: `/data/${index}/ref` } }, notEver, last];
  return failed(CLAUSES, "a row is neither with has_fix_pr=true nor with has_fix_pr=false", steps);
}

function blameBoth(ever: Listing, never: Listing, index: number): Failure {
  const steps: Step[] = [
    { ...never.step, save: { row: `/data/${index}/ref` } },
    { ...ever.step, expect: { status: 200, json: { data: { not: { contains: { ref: "{row}" } } } } } },
  ];
  return failed(CLAUSES, "a row is both with has_fix_pr=true and with has_fix_pr=false", steps);
}
