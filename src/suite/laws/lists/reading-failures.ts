import type { Failure } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findListStatement, type ListName } from "../../statements/lists.js";
import { createFailure, createInconclusive, type Inconclusive } from "../outcome.js";
import type { Difference } from "./difference.js";
import type { Listing } from "./listing.js";

/** Two readings of a list that must agree. */
export interface Comparison {
  list: ListName;
  whole: Listing;
  part: Listing;
  /** Steps that ran before the readings. */
  before: readonly Step[];
  clauses: readonly string[];
}

/**
 * Returns the counterexample of two readings of the same rows: the reading that has the row, then the one that must have it.
 * OBS-LIST-DEFAULT-STATUS: a list without a status filter may omit closed rows, so such a difference is inconclusive.
 */
export function createReadingFailure(comparison: Comparison, mismatch: Difference): Failure | Inconclusive {
  const { whole, part } = comparison;
  const isClosed = mismatch.what === "extra" && part.rows[mismatch.index]?.status === "closed";
  // open: whether has_fix_pr keeps rows that such a list omits
  const isAsked = filtersByStatus(part.step) || (part.step.query?.has_fix_pr !== undefined && !whole.step.query?.has_fix_pr);
  if (isClosed && isAsked && !filtersByStatus(whole.step))
    return createInconclusive("a list without a status filter may omit closed rows");
  return createCounterexample(comparison, mismatch);
}

function filtersByStatus({ query = {} }: Step): boolean {
  return "status" in query || "close_reason" in query;
}

function createCounterexample({ list, whole, part, before, clauses }: Comparison, mismatch: Difference): Failure {
  const { key: id } = findListStatement(list);
  const name = describeRequest(part.step);
  switch (mismatch.what) {
    case "repeated":
      return createFailure(clauses, `${name} returns a row more than once`, [
        ...before,
        { ...part.step, expect: { status: 200, json: { data: { unique: id } } } },
      ]);
    case "missing":
      return createFailure(clauses, `${name} lacks a row that ${describeRequest(whole.step)} returns`, [
        ...before,
        { ...whole.step, save: { row: `/data/${mismatch.index}${id}` } },
        { ...part.step, expect: { status: 200, json: { data: { contains: saveRow(list) } } } },
      ]);
    case "extra":
      return createFailure(clauses, `${describeRequest(whole.step)} lacks a row that ${name} returns`, [
        ...before,
        { ...part.step, save: { row: `/data/${mismatch.index}${id}` } },
        { ...whole.step, expect: { status: 200, json: { data: { contains: saveRow(list) } } } },
      ]);
    default:
      return mismatch.what satisfies never;
  }
}

/** Returns the counterexample of two readings of the same observations in different orders. */
export function createSequenceFailure({ whole, part, before, clauses }: Omit<Comparison, "list">): Failure {
  const names = whole.rows.map((_, index) => `row${index}`);
  const saved = Object.fromEntries(names.map((name, index) => [name, `/data/${index}/ref`]));
  const sequence = names.map((name) => ({ ref: `{${name}}` }));
  return createFailure(
    clauses,
    `${describeRequest(part.step)} returns the rows in another sequence than the list without an order`,
    [...before, { ...whole.step, save: saved }, { ...part.step, expect: { status: 200, json: { data: sequence } } }],
  );
}

/** Returns a matcher of the row that was saved as `{row}`. */
function saveRow(list: ListName): unknown {
  const name = findListStatement(list).key.slice(1);
  return name === "" ? { equals: "{row}" } : { [name]: "{row}" };
}

/** Returns the request of a step as short text. */
export function describeRequest({ rest = "", query = {} }: Step): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return rest + (pairs.length > 0 ? `?${pairs.join("&")}` : "");
}
