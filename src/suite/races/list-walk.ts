import fc from "fast-check";
import { parseBodyJson } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Row, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { findDifference } from "../laws/lists/difference.js";
import { isUnchanged, type Listing, listKeys, readListRows, readRows } from "../laws/lists/listing.js";
import { createInconclusive } from "../laws/outcome.js";
import { prepare } from "../laws/steps.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import { triageActions } from "../statements/observations.js";
import { createNotSerializable } from "./race.js";

/** A walk over observations of one kind, and writes to observations of another kind and to jobs between its pages. */
interface Case {
  status: "new" | "closed";
  limit: number;
  writes: ("acknowledge" | "dismiss" | "submit")[];
}

const RACE_CLAUSES = ["CURSOR-WALK"];
const SAVE_SUGGESTIONS: Step = {
  rest: "GET /api/observations",
  query: { kind: "suggestion", status: "new", limit: 2 },
  save: { one: "/data/0/ref", other: "/data/1/ref" },
};
const WRITES: Record<Case["writes"][number], Step> = {
  acknowledge: { rest: triageActions.acknowledge.route.replace("{ref}", "{one}") },
  dismiss: {
    rest: triageActions.dismiss.route.replace("{ref}", "{other}"),
    json: triageActions.dismiss.body("Written by the runner during a walk."),
  },
  submit: { rest: "POST /api/repos/{repo}/jobs", query: { force: "true" }, json: { workflow: "audit", params: {} } },
};

/** CURSOR-WALK: a walk returns unchanged rows once each, even while other resources change. The effect of writes to the walked rows is open. */
export const listWalkRace: Property<Case> = {
  id: "race-walks",
  title: "A walk returns every row once while requests change resources outside the list",
  proves: RACE_CLAUSES,
  needs: ["worlds"],
  effects: ["read", "write", "paid"],
  runs: 12,
  cases: () =>
    fc.record({
      status: fc.constantFrom("new" as const, "closed" as const),
      limit: fc.integer({ min: 2, max: 20 }),
      writes: fc.array(fc.constantFrom<Case["writes"][number]>("acknowledge", "dismiss", "submit"), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { status, limit, writes }: Case): Promise<CaseOutcome> {
  const query = { kind: "finding", status };
  const setupFailure = await prepare(sut, [SAVE_SUGGESTIONS]);
  if (setupFailure) return setupFailure;
  const result = await readRows(sut, "observations", {
    rest: "GET /api/observations",
    query: { ...query, limit: PAGE_LIMIT },
    allPages: true,
  });
  if (!result.ok) return createInconclusive(result.why);
  const size = Math.max(limit, Math.ceil(result.rows.length / 30));
  const walkResult = await walkAndWrite(
    sut,
    { ...query, limit: size },
    writes.map((write) => WRITES[write]),
  );
  if (!walkResult.ok) return createInconclusive(walkResult.why);
  const mismatch = findDifference(result.keys, walkResult.keys);
  if (!mismatch) return { verdict: "passed", subjects: walkResult.keys.length + 1 };
  if (!(await isUnchanged(sut, "observations", result))) return createInconclusive("the list changed while it was walked");
  const why = `a walk in pages of ${size} returned ${walkResult.keys.length} of ${result.keys.length} rows while other resources changed`;
  const steps =
    mismatch.what === "repeated"
      ? createRepeatedRowSteps(walkResult, mismatch.index)
      : createMissingRowSteps(walkResult, result, mismatch.index);
  return createNotSerializable(sut, RACE_CLAUSES, why, [SAVE_SUGGESTIONS, ...steps]);
}

/** Returns the steps of the walk up to the page on which a row repeats. */
function createRepeatedRowSteps({ pages, steps, keys }: WalkResult & { ok: true }, place: number): Step[] {
  const [first, again] = pages.flatMap((page, number) => page.flatMap((key) => (key === keys[place] ? [number] : [])));
  const index = pages[first ?? 0]?.indexOf(keys[place] ?? "") ?? 0;
  const until = steps.slice(0, steps.findIndex(({ page }) => page === again) + 1);
  return until.map(({ step: readStep, page }) => {
    if (page === first && page !== again) return { ...readStep, save: { ...readStep.save, row: `/data/${index}/ref` } };
    return page === again
      ? { ...readStep, expect: { status: 200, json: { data: { not: { contains: { ref: "{row}" } } } } } }
      : readStep;
  });
}

/** Returns the steps of the whole walk. The row is on no earlier page, so the last page must have it. */
function createMissingRowSteps({ pages, steps }: WalkResult & { ok: true }, listing: Listing, place: number): Step[] {
  const last = steps.findIndex(({ page }) => page === pages.length - 1);
  const here = { data: { contains: { ref: "{row}" } } };
  const stepsBefore = steps
    .slice(0, last)
    .map(
      ({ step: readStep, page }): Step =>
        page === undefined ? readStep : { ...readStep, given: { json: { data: { not: here.data } } } },
    );
  const readStep: Step = { ...steps[last]?.step, expect: { status: 200, json: here } };
  return [{ ...listing.step, save: { row: `/data/${place}/ref` } }, ...stepsBefore, readStep];
}

/** A finished walk: its row keys by page, and its steps; `page` is the number of the page that a step reads. */
type WalkResult =
  | { ok: true; keys: string[]; pages: string[][]; steps: { step: Step; page?: number }[] }
  | { ok: false; why: string };

/** Reads page after page, each concurrently with a write while writes remain. */
async function walkAndWrite(sut: SystemUnderTest, query: Row, writes: readonly Step[]): Promise<WalkResult> {
  const pages: string[][] = [];
  const steps: { step: Step; page?: number }[] = [];
  let cursor: unknown;
  for (let page = 0; page <= 40; page++) {
    const readStep: Step = {
      rest: "GET /api/observations",
      query: { ...query, ...(page > 0 && { cursor: `{cursor${page - 1}}` }) },
    };
    const literalRead: Step = {
      ...readStep,
      query: { ...query, ...(page > 0 && { cursor: String(cursor).replaceAll("{", "{{") }) },
    };
    const write = writes[page];
    const [read, written] = await sut.sendAtOnce(write ? [literalRead, write] : [literalRead]);
    const body = read?.response && parseBodyJson(read.response);
    const rows = read?.response && readListRows(read.response);
    if (!rows || !body?.ok || !isRecord(body.value) || (write && !written?.response))
      return { ok: false, why: "a page could not be read" };
    pages.push(listKeys("observations", rows));
    steps.push({ step: { ...readStep, save: { [`cursor${page}`]: "/next_cursor" } }, page });
    if (write) steps.push({ step: { ...write, given: { status: { lt: 500 } } } });
    cursor = body.value.next_cursor ?? null;
    if (cursor === null) return { ok: true, keys: pages.flat(), pages, steps };
  }
  return { ok: false, why: "the walk did not end after 40 pages" };
}
