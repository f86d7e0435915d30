import { cutText, formatShortList } from "../../../common/phrases.js";
import type { Check } from "../../execute/check.js";
import type { Mismatch } from "../../execute/expect/match.js";
import { describePlace, listCoveredValues, namePlace, type Symptom, unknownRoute } from "./symptoms.js";

const MAX_NAMES = 2;
const MAX_EXPECTED_CHARACTERS = 100;
/** A longer actual value is left out. */
const MAX_ACTUAL_CHARACTERS = 80;

/** Describes findings with the same cause in one sentence: operations, place, actual value, expected value and circumstance. */
export function createTitle(checks: readonly Check[], symptoms: readonly Symptom[]): string {
  const operations = sortByFrequency(symptoms.map(({ operation }) => operation));
  const names = formatShortList(operations, MAX_NAMES);
  const [place] = sortByFrequency(symptoms.map(({ mismatch }) => describePlace(mismatch)));
  const ownMismatches = symptoms.filter(({ mismatch }) => describePlace(mismatch) === place).map(({ mismatch }) => mismatch);
  const [first] = ownMismatches;
  if (!first || place === undefined) return createWholeTitle(checks);
  const wanted = describeWanted(ownMismatches);
  const circumstance = describeCircumstance(checks, operations);
  if (first.status !== undefined) {
    const isUnknown = unknownRoute.has(first.status) && checks.length > 1 && circumstance === "";
    return `${names} answers ${first.status}${isUnknown ? ", as if it did not exist" : `, ${wanted.after}`}${circumstance}`;
  }
  if (first.absent && symptoms.every(({ isField }) => isField))
    return `${namePlace(first)} is missing from responses of ${names}${circumstance}`;
  const actual = sortByFrequency(ownMismatches.map((mismatch) => mismatch.actual));
  const [value = ""] = actual;
  return `${names}: ${place} ${actual.length > 1 || value.length > MAX_ACTUAL_CHARACTERS ? wanted.alone : `is ${value}, ${wanted.after}`}${circumstance}`;
}

/**
 * Describes the most frequent expected value, or two if both are short. `after` an actual value: `not 8` or `which it must not be`; `alone`: `must be 8` or
 * `must not be a list with 8`.
 */
function describeWanted(mismatches: readonly Mismatch[]): {
  after: string;
  alone: string;
} {
  const [first = "", second, third] = sortByFrequency(mismatches.map(({ expected }) => expected));
  const unwanted = mismatches.find(({ expected }) => expected === first)?.unwanted;
  if (unwanted !== undefined)
    return {
      after: "which it must not be",
      alone: `must not be ${cutText(unwanted, MAX_EXPECTED_CHARACTERS)}`,
    };
  const both = [...new Set(`${first} or ${second}`.split(" or "))].join(" or ");
  const isBoth = second !== undefined && third === undefined && both.length <= MAX_ACTUAL_CHARACTERS;
  const text = isBoth ? both : cutText(first, MAX_EXPECTED_CHARACTERS);
  return { after: `not ${text}`, alone: `must be ${text}` };
}

/** Describes a finding without mismatches. */
function createWholeTitle(checks: readonly Check[]): string {
  const [check] = checks;
  return `${check?.operation ?? "the server"}: ${cutText(check?.actual ?? "not as expected", MAX_EXPECTED_CHARACTERS)}`;
}

/** Returns the values that all checks cover in the dimensions of their clauses: ` (status: failed)`. Leaves out what the operations tell. */
function describeCircumstance(checks: readonly Check[], operations: readonly string[]): string {
  const [first = [], ...others] = checks.map((check) => listCoveredValues(check, operations));
  const common = first.filter((value) => others.every((values) => values.includes(value)));
  return common.length === 0 ? "" : ` (${common.join(", ")})`;
}

/** Returns the different names, the most frequent first. */
export function sortByFrequency(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}
