import fc from "fast-check";
import type { CaseOutcome, DrawContext, Failure, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { PAGE_LIMIT } from "../../statements/lists.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { COMBINATION_CLAUSE, findClause, judgeAlone } from "./combination.js";
import { findDifference } from "./difference.js";
import { isUnchanged, type Listing, readRows } from "./listing.js";
import { drawFilters, drawLimit, type Filters, hiddenFilters, pickConformingFilters, readList } from "./queries.js";
import { createReadingFailure } from "./reading-failures.js";

/** Filters of the list of observations, and a filter whose two values partition all rows. */
interface Case {
  base: Filters;
  limit: number;
  by: string;
}

const partitioningFilters = hiddenFilters.filter(({ partitions }) => partitions).map(({ name }) => name);

/** OBS-FILTER-FIXPR-FALSE: no row shows whether it had a fix PR, so only both parts together can be compared with the whole. */
export const fixPrFilter: Property<Case> = {
  id: "fix-pr-filter",
  title: `${partitioningFilters.map((name) => `${name}=true and ${name}=false`).join(", ")} partition a list: each row is in exactly one part`,
  proves: [...partitioningFilters.map((by) => findClause(by, {})), COMBINATION_CLAUSE],
  needs: [],
  effects: ["read"],
  runs: 20,
  cases: (context: DrawContext) =>
    fc.record({ base: drawFilters(context, 2), limit: drawLimit(), by: fc.constantFrom(...partitioningFilters) }),
  run: (sut, drawn) => judgeAlone(drawn.base, (base) => runCase(sut, { ...drawn, base })),
};

async function runCase(sut: SystemUnderTest, { base, limit, by }: Case): Promise<CaseOutcome> {
  const { status: _s, easy_wins: _e, needs_review: _n, [by]: _b, ...filters } = base;
  const read = (more: Filters, size: number) =>
    readRows(
      sut,
      "observations",
      readList({ list: "observations", filters: pickConformingFilters({ ...filters, ...more }) }, { limit: size }),
    );
  const whole = await read({}, PAGE_LIMIT);
  if (!whole.ok) return createInconclusive(whole.why);
  const size = Math.max(limit, Math.ceil(whole.rows.length / 40));
  const withPr = await read({ [by]: "true" }, size);
  const withoutPr = await read({ [by]: "false" }, size);
  if (!withPr.ok || !withoutPr.ok) return createInconclusive("one of the two parts could not be read");
  const mismatch = findDifference(whole.keys, [...withPr.keys, ...withoutPr.keys]);
  if (!mismatch) return { verdict: "passed", subjects: whole.rows.length + 1 };
  if (!(await isUnchanged(sut, "observations", whole))) return createInconclusive("the list changed while it was read");
  const parts = { by, clauses: [findClause(by, filters)], whole, withPr, withoutPr };
  if (mismatch.what === "missing") return createMissingRowFailure(parts, mismatch.index);
  const part = mismatch.index < withPr.keys.length ? withPr : withoutPr;
  const index = mismatch.index - (part === withPr ? 0 : withPr.keys.length);
  const inBoth = mismatch.what === "repeated" && part === withoutPr && withPr.keys.includes(withoutPr.keys[index] ?? "");
  return inBoth
    ? createRepeatedRowFailure(parts, index)
    : createReadingFailure({ list: "observations", whole, part, before: [], clauses: parts.clauses }, { ...mismatch, index });
}

interface Parts {
  by: string;
  clauses: readonly string[];
  whole: Listing;
  withPr: Listing;
  withoutPr: Listing;
}

function createMissingRowFailure({ by, clauses, whole, withPr, withoutPr }: Parts, index: number): Failure {
  const notEver = { ...withPr.step, given: { json: { data: { not: { contains: { ref: "{row}" } } } } } };
  const last = { ...withoutPr.step, expect: { status: 200, json: { data: { contains: { ref: "{row}" } } } } };
  const steps = [{ ...whole.step, save: { row: `/data/${index}/ref` } }, notEver, last];
  return createFailure(clauses, `${by}=true and ${by}=false both lack a row`, steps);
}

function createRepeatedRowFailure({ by, clauses, withPr, withoutPr }: Parts, index: number): Failure {
  const steps: Step[] = [
    { ...withoutPr.step, save: { row: `/data/${index}/ref` } },
    { ...withPr.step, expect: { status: 200, json: { data: { not: { contains: { ref: "{row}" } } } } } },
  ];
  return createFailure(clauses, `${by}=true and ${by}=false both return a row`, steps);
}
