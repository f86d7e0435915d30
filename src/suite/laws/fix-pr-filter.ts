import fc from "fast-check";
import type { CaseOutcome, DrawContext, Failure, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { observationParameter, PAGE_LIMIT } from "../statements/lists.js";
import { blameReading, failed, inconclusive } from "./blame.js";
import { isSteady, type Listing, readRows } from "./listing.js";
import { conformingFilters, drawFilters, drawLimit, type Filters, hiddenFilters, readList } from "./lists.js";
import { difference } from "./rows.js";

/** The list of observations under some filters, cut by one whose two values share out all rows. */
interface Case {
  base: Filters;
  limit: number;
  by: string;
}

const halving = hiddenFilters.filter(({ partitions }) => partitions).map(({ name }) => name);

/** OBS-FILTER-FIXPR-FALSE: no row shows whether it had a fix PR, so only the two parts together can be held against the whole. */
export const fixPrFilterHalves: Property<Case> = {
  id: "fix-pr-filter-halves",
  title: `${halving.map((name) => `${name}=true and ${name}=false`).join(", ")} share out the rows of a list: each is in one of them, once`,
  proves: halving.flatMap(clausesOf),
  needs: [],
  effects: ["read"],
  runs: 20,
  cases: (context: DrawContext) =>
    fc.record({ base: drawFilters(context, 2), limit: drawLimit(), by: fc.constantFrom(...halving) }),
  run: halve,
};

async function halve(sut: SystemUnderTest, { base, limit, by }: Case): Promise<CaseOutcome> {
  const { status: _s, easy_wins: _e, needs_review: _n, [by]: _b, ...filters } = base;
  const read = (more: Filters, size: number) =>
    readRows(
      sut,
      "observations",
      readList({ list: "observations", filters: conformingFilters({ ...filters, ...more }) }, { limit: size }),
    );
  const whole = await read({}, PAGE_LIMIT);
  if (!whole.ok) return inconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const ever = await read({ [by]: "true" }, size);
  const never = await read({ [by]: "false" }, size);
  if (!ever.ok || !never.ok) return inconclusive("one of the two parts could not be read");
  const odd = difference(whole.keys, [...ever.keys, ...never.keys]);
  if (!odd) return { verdict: "passed", subjects: whole.rows.length + 1 };
  if (!(await isSteady(sut, "observations", whole))) return inconclusive("the list changed while it was read");
  const halves = { by, whole, ever, never };
  if (odd.what === "missing") return blameLost(halves, odd.index);
  const part = odd.index < ever.keys.length ? ever : never;
  const index = odd.index - (part === ever ? 0 : ever.keys.length);
  const inBoth = odd.what === "repeated" && part === never && ever.keys.includes(never.keys[index] ?? "");
  return inBoth
    ? blameBoth(halves, index)
    : blameReading({ list: "observations", whole, part, before: [], clauses: clausesOf(by) }, { ...odd, index });
}

interface Halves {
  by: string;
  whole: Listing;
  ever: Listing;
  never: Listing;
}

function blameLost({ by, whole, ever, never }: Halves, index: number): Failure {
  const notEver = { ...ever.step, given: { json: { data: { not: { contains: { ref: "{row}" } } } } } };
  const last = { ...never.step, expect: { status: 200, json: { data: { contains: { ref: "{row}" } } } } };
  const steps = [{ ...whole.step, save: { row: `/data/${index}/ref` } }, notEver, last];
  return failed(clausesOf(by), `a row is neither with ${by}=true nor with ${by}=false`, steps);
}

function blameBoth({ by, ever, never }: Halves, index: number): Failure {
  const steps: Step[] = [
    { ...never.step, save: { row: `/data/${index}/ref` } },
    { ...ever.step, expect: { status: 200, json: { data: { not: { contains: { ref: "{row}" } } } } } },
  ];
  return failed(clausesOf(by), `a row is both with ${by}=true and with ${by}=false`, steps);
}

function clausesOf(by: string): string[] {
  return [observationParameter(by).clause ?? ""];
}
