import type { CaseOutcome, Failure } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { type ListName, listStatement } from "../statements/lists.js";
import type { Listing } from "./listing.js";
import type { Difference } from "./rows.js";

type Inconclusive = Extract<CaseOutcome, { verdict: "inconclusive" }>;

/** Says that a case tells nothing. */
export function inconclusive(why: string): Inconclusive {
  return { verdict: "inconclusive", why };
}

/** Says that the contract is broken: the clauses, what was seen, and the steps that show it. */
export function failed(clauses: readonly string[], why: string, steps: readonly Step[]): Failure {
  return { verdict: "failed", clauses, why, steps };
}

/** What two readings of a list were compared for. */
export interface Comparison {
  list: ListName;
  whole: Listing;
  part: Listing;
  /** What was played before the readings. */
  before: readonly Step[];
  clauses: readonly string[];
}

/**
 * The counterexample to two readings of the same rows: the one that must show the row, after the one that has it. OBS-LIST-DEFAULT-STATUS: nothing
 * is held against a list that asks for no state and leaves a closed row out that one which does has.
 */
export function blameReading(comparison: Comparison, odd: Difference): Failure | Inconclusive {
  const { whole, part } = comparison;
  const isClosed = odd.what === "extra" && part.rows[odd.index]?.status === "closed";
  if (isClosed && asksForState(part.step) && !asksForState(whole.step))
    return inconclusive("whether a list holds closed rows that it is not asked for is open");
  return counterexample(comparison, odd);
}

function asksForState({ query = {} }: Step): boolean {
  return "status" in query || "close_reason" in query;
}

function counterexample({ list, whole, part, before, clauses }: Comparison, odd: Difference): Failure {
  const { key: id } = listStatement(list);
  const name = whereOf(part.step);
  switch (odd.what) {
    case "repeated":
      return failed(clauses, `${name} gives a row more than once`, [
        ...before,
        { ...part.step, expect: { status: 200, json: { data: { unique: id } } } },
      ]);
    case "missing":
      return failed(clauses, `${name} misses a row that ${whereOf(whole.step)} gives`, [
        ...before,
        { ...whole.step, save: { row: `/data/${odd.index}${id}` } },
        { ...part.step, expect: { status: 200, json: { data: { contains: rowSaved(list) } } } },
      ]);
    case "extra":
      return failed(clauses, `${whereOf(whole.step)} misses a row that ${name} gives`, [
        ...before,
        { ...part.step, save: { row: `/data/${odd.index}${id}` } },
        { ...whole.step, expect: { status: 200, json: { data: { contains: rowSaved(list) } } } },
      ]);
    default:
      return odd.what satisfies never;
  }
}

/** The counterexample to two readings of the same observations that are not in the same sequence. */
export function blameSequence({ whole, part, before, clauses }: Omit<Comparison, "list">): Failure {
  const names = whole.rows.map((_, index) => `row${index}`);
  const saved = Object.fromEntries(names.map((name, index) => [name, `/data/${index}/ref`]));
  const sequence = names.map((name) => ({ ref: `{${name}}` }));
  return failed(clauses, `${whereOf(part.step)} is in another sequence than the list without an order`, [
    ...before,
    { ...whole.step, save: saved },
    { ...part.step, expect: { status: 200, json: { data: sequence } } },
  ]);
}

/** A matcher of the row that was saved as `{row}`. */
function rowSaved(list: ListName): unknown {
  const name = listStatement(list).key.slice(1);
  return name === "" ? { equals: "{row}" } : { [name]: "{row}" };
}

/** A step's request in a few words. */
export function whereOf({ rest = "", query = {} }: Step): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return rest + (pairs.length > 0 ? `?${pairs.join("&")}` : "");
}
