import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../scenario/interpolate.js";
import { isMatcher, type MatcherWord, type TypeName } from "../../scenario/matcher.js";
import { fitsPattern } from "./pattern.js";
import { at as valueAt } from "./pointer.js";

/** One place where an answer is not what was expected. */
export interface Mismatch {
  at: string;
  expected: string;
  actual: string;
  /** The mismatch is about the number or order of answers, not about the content of one answer. */
  isOfCount?: true;
}

/** The result of a comparison: mismatches, places with nothing to judge (`hollow`), and the number of list items compared. */
export interface Match {
  mismatches: Mismatch[];
  hollow: string[];
  items: number;
}

type Word = (argument: never, actual: unknown, at: string) => Match;

const TYPES: Record<TypeName, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
  timestamp: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
};

const WORDS = {
  type: (type: string | string[], actual, at) =>
    holds(
      [type].flat().some((name) => TYPES[name as TypeName]?.(actual)),
      at,
      `of type ${[type].flat().join(" or ")}`,
      actual,
    ),
  not: (unwanted: unknown, actual, at) => {
    const { mismatches, hollow, items } = match(unwanted, actual, at);
    return { ...holds(mismatches.length > 0, at, `not ${show(unwanted)}`, actual), hollow, items };
  },
  in: (choices: unknown[], actual, at) =>
    holds(
      choices.some((choice) => fits(choice, actual)),
      at,
      `one of ${show(choices)}`,
      actual,
    ),
  matches: (pattern: string, actual, at) =>
    holds(typeof actual === "string" && fitsPattern(pattern, actual), at, `text like ${pattern}`, actual),
  gte: (bound: unknown, actual, at) => holds(compare(actual, bound) >= 0, at, `at least ${show(bound)}`, actual),
  lte: (bound: unknown, actual, at) => holds(compare(actual, bound) <= 0, at, `at most ${show(bound)}`, actual),
  gt: (bound: unknown, actual, at) => holds(compare(actual, bound) > 0, at, `more than ${show(bound)}`, actual),
  lt: (bound: unknown, actual, at) => holds(compare(actual, bound) < 0, at, `less than ${show(bound)}`, actual),
  length: (length: unknown, actual, at) => match(length, lengthOf(actual), `${at}.length`),
  each: (item: unknown, actual, at) =>
    onList(actual, at, (list) => together(list.map((value, index) => match(item, value, `${at}/${index}`)))),
  contains: (item: unknown, actual, at) => {
    if (typeof actual === "string")
      return holds(typeof item === "string" && actual.includes(item), at, `text with ${show(item)}`, actual);
    const found = Array.isArray(actual) && actual.some((value) => fits(item, value));
    return holds(found, at, `a list with ${show(item)}`, actual);
  },
  unique: (pointer: string, actual, at) =>
    onList(actual, at, (list) => {
      const values = list.map((item) => JSON.stringify(valueAt(item, pointer)));
      const twice = values.find((value, index) => values.indexOf(value) !== index);
      return { ...holds(twice === undefined, at, `different values at "${pointer}"`, `${twice} twice`), items: list.length };
    }),
  absent: (wanted: boolean, actual, at) => holds((actual === undefined) === wanted, at, wanted ? "absent" : "present", actual),
  present: (wanted: boolean, actual, at) => holds((actual !== undefined) === wanted, at, wanted ? "present" : "absent", actual),
  absentOrNull: (wanted: boolean, actual, at) =>
    holds(((actual ?? null) === null) === wanted, at, wanted ? "absent or null" : "present and not null", actual),
  equals: (whole: unknown, actual, at) => holds(isDeepStrictEqual(whole, actual), at, `exactly ${show(whole)}`, actual),
  fields: (fields: Record<string, unknown>, actual, at) => matchFields(fields, actual, at),
} satisfies Record<MatcherWord, (argument: never, actual: unknown, at: string) => Match>;

/**
 * Compares a value of an answer with the expectation of a scenario. Literals must be equal in type and case, timestamps in their moment. Objects
 * may have more fields.
 * Lists are compared item by item, and matchers word by word.
 */
export function match(expected: unknown, actual: unknown, at = ""): Match {
  if (isMatcher(expected))
    return together(
      Object.entries(expected).map(([word, argument]) =>
        (WORDS[word as keyof typeof WORDS] as Word)(argument as never, actual, at),
      ),
    );
  if (isRecord(expected)) return matchFields(expected, actual, at);
  if (!Array.isArray(expected)) return holds(isSame(expected, actual), at, show(expected), actual);
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return holds(false, at, `a list of ${expected.length}: ${show(expected)}`, actual);
  return together(expected.map((item, index) => match(item, actual[index], `${at}/${index}`)));
}

/** Returns whether two values are equal. Timestamps are equal if they name the same moment, at the precision of the less precise one. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!TYPES.timestamp(one) || !TYPES.timestamp(other)) return false;
  return Math.abs(compare(one, other)) < Math.max(unitOf(one as string), unitOf(other as string));
}

/** Returns the milliseconds that the last digit of a timestamp counts, at least 1. */
function unitOf(timestamp: string): number {
  const digits = /\.(\d+)/.exec(timestamp)?.[1] ?? "";
  return 10 ** (3 - Math.min(3, digits.length));
}

/** Combines several comparisons into one. */
export function together(matches: readonly Match[]): Match {
  return {
    mismatches: matches.flatMap(({ mismatches }) => mismatches),
    hollow: matches.flatMap(({ hollow }) => hollow),
    items: matches.reduce((sum, { items }) => sum + items, 0),
  };
}

/** Returns a comparison with one mismatch unless `ok` is true. */
export function holds(ok: boolean, at: string, expected: string, actual: unknown): Match {
  return {
    mismatches: ok ? [] : [{ at: at || "body", expected, actual: actual === undefined ? "absent" : show(actual) }],
    hollow: [],
    items: 0,
  };
}

/** Returns a value as text for a report, at most 240 characters. */
function show(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "absent");
  return text.length <= 240 ? text : `${text.slice(0, 239)}…`;
}

function matchFields(expected: Record<string, unknown>, actual: unknown, at: string): Match {
  if (!isRecord(actual)) return holds(false, at, "an object", actual);
  return together(
    Object.entries(expected).map(([key, value]) =>
      match(value, Object.hasOwn(actual, key) ? actual[key] : undefined, `${at}/${key}`),
    ),
  );
}

function fits(expected: unknown, actual: unknown): boolean {
  return match(expected, actual).mismatches.length === 0;
}

function onList(actual: unknown, at: string, judge: (list: unknown[]) => Match): Match {
  if (!Array.isArray(actual)) return holds(false, at, "a list", actual);
  if (actual.length === 0) return { mismatches: [], hollow: [`${at || "body"} is an empty list`], items: 0 };
  const judged = judge(actual);
  return { ...judged, items: Math.max(judged.items, actual.length) };
}

function lengthOf(value: unknown): number | undefined {
  if (typeof value === "string") return [...value].length;
  return Array.isArray(value) ? value.length : undefined;
}

/** Returns a number below, at or above zero as in a sort. Returns NaN, which fails every bound, if the two cannot be compared. */
function compare(actual: unknown, bound: unknown): number {
  if (typeof actual === "number" && typeof bound === "number") return actual - bound;
  if (typeof actual === "string" && typeof bound === "string") return Date.parse(actual) - Date.parse(bound);
  return Number.NaN;
}
