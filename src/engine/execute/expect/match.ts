import { isDeepStrictEqual } from "node:util";
import { resolvePointer } from "../../http/exchange.js";
import { isRecord } from "../../scenario/interpolate.js";
import { isMatcher, type MatcherWord, type TypeName } from "../../scenario/matcher.js";
import { fitsPattern } from "./pattern.js";

/** A place of a response. `at` names it for readers: `status`, `header NAME`, a JSON pointer into the body, or a phrase. */
export interface Place {
  at: string;
  /** The status of the response, if the place is the status. */
  status?: number;
  /** The response is a refusal, and the expectation allows a success. */
  refused?: true;
  /** The name of the header, if the place is a header. */
  header?: string;
  /** The JSON pointer, if the place is in the body. */
  pointer?: string;
}

/** One place where a response differs from the expectation. Programs read the fields, not the texts `at`, `expected` and `actual`. */
export interface Mismatch extends Place {
  expected: string;
  actual: string;
  /** The response has no value at the place. */
  absent?: true;
  /** The response has a list at the place. */
  list?: true;
  /** For readers: the value that the response must not have. */
  unwanted?: string;
  /** Names of fields that the expected value has and the actual value lacks. */
  lacks?: readonly string[];
  /** The number of the response in a burst or race, counted from 1. */
  answer?: number;
  /** The tool that answered, in a step for each tool. */
  tool?: string;
  /** The mismatch is about the number or order of responses, not about the content of one response. */
  isOfCount?: true;
}

/** The result of a comparison: mismatches, places with nothing to judge (`empty`), and the number of list items compared. */
export interface Match {
  mismatches: Mismatch[];
  empty: string[];
  items: number;
}

type Word = (argument: never, actual: unknown, place: Place) => Match;

const BODY_PLACE: Place = { at: "", pointer: "" };

const TYPE_TESTS: Record<TypeName, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
  timestamp: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/i.test(value) &&
    !Number.isNaN(Date.parse(value)),
};

const MATCHER_TEXTS = {
  type: (type: string | string[], actual, place) =>
    holds(
      [type].flat().some((name) => TYPE_TESTS[name as TypeName]?.(actual)),
      place,
      `of type ${[type].flat().join(" or ")}`,
      actual,
    ),
  not: (unwanted: unknown, actual, place) => {
    const { mismatches, empty, items } = match(unwanted, actual, place);
    const text = describe(unwanted, actual);
    const foundMatch = holds(mismatches.length > 0, place, `not ${text}`, actual);
    return { mismatches: foundMatch.mismatches.map((mismatch) => ({ ...mismatch, unwanted: text })), empty, items };
  },
  in: (choices: unknown[], actual, place) =>
    holds(
      choices.some((choice) => fits(choice, actual)),
      place,
      `one of ${show(choices)}`,
      actual,
      choices,
    ),
  matches: (pattern: string, actual, place) =>
    holds(typeof actual === "string" && fitsPattern(pattern, actual), place, `text like ${pattern}`, actual),
  gte: (bound: unknown, actual, place) => holds(compare(actual, bound) >= 0, place, `at least ${show(bound)}`, actual),
  lte: (bound: unknown, actual, place) => holds(compare(actual, bound) <= 0, place, `at most ${show(bound)}`, actual),
  gt: (bound: unknown, actual, place) => holds(compare(actual, bound) > 0, place, `more than ${show(bound)}`, actual),
  lt: (bound: unknown, actual, place) => holds(compare(actual, bound) < 0, place, `less than ${show(bound)}`, actual),
  length: (length: unknown, actual, place) => match(length, measureLength(actual), { ...place, at: `${place.at}.length` }),
  each: (item: unknown, actual, place) =>
    judgeList(actual, place, (list) => combineMatches(list.map((value, index) => match(item, value, extendPlace(place, index))))),
  contains: (item: unknown, actual, place) => {
    if (typeof actual === "string")
      return holds(typeof item === "string" && actual.includes(item), place, `text with ${show(item)}`, actual);
    const isFound = Array.isArray(actual) && actual.some((value) => fits(item, value));
    return holds(isFound, place, `a list with ${show(item)}`, actual, item);
  },
  unique: (pointer: string, actual, place) =>
    judgeList(actual, place, (list) => {
      const values = list.map((item) => JSON.stringify(resolvePointer(item, pointer)));
      const twice = values.find((value, index) => values.indexOf(value) !== index);
      return { ...holds(twice === undefined, place, `different values at "${pointer}"`, `${twice} twice`), items: list.length };
    }),
  ordered: (pointers: string[], actual, place) => {
    const values = pointers.map((pointer) => resolvePointer(actual, pointer));
    const isOrdered = values.slice(1).every((value, index) => compare(value, values[index]) >= 0);
    return holds(isOrdered, place, pointers.join(" ≤ "), values);
  },
  absent: (isWanted: boolean, actual, place) =>
    holds((actual === undefined) === isWanted, place, isWanted ? "absent" : "present", actual),
  present: (isWanted: boolean, actual, place) =>
    holds((actual !== undefined) === isWanted, place, isWanted ? "present" : "absent", actual),
  absentOrNull: (isWanted: boolean, actual, place) =>
    holds(((actual ?? null) === null) === isWanted, place, isWanted ? "absent or null" : "present and not null", actual),
  equals: (whole: unknown, actual, place) =>
    holds(isDeepStrictEqual(whole, actual), place, `exactly ${show(whole)}`, actual, whole),
  fields: (fields: Record<string, unknown>, actual, place) => matchFields(fields, actual, place),
} satisfies Record<MatcherWord, (argument: never, actual: unknown, place: Place) => Match>;

/**
 * Compares a value of a response with the expectation of a scenario. Literals must be equal in type and case, timestamps in
 * their time. Objects may have more fields. Lists are compared item by item, and matchers word by word.
 */
export function match(expected: unknown, actual: unknown, place: Place = BODY_PLACE): Match {
  if (isMatcher(expected))
    return combineMatches(
      Object.entries(expected).map(([word, argument]) =>
        (MATCHER_TEXTS[word as keyof typeof MATCHER_TEXTS] as Word)(argument as never, actual, place),
      ),
    );
  if (isRecord(expected)) return matchFields(expected, actual, place);
  if (!Array.isArray(expected)) return holds(isSame(expected, actual), place, show(expected), actual);
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return holds(false, place, `a list of ${expected.length}: ${show(expected)}`, actual, expected);
  return combineMatches(expected.map((item, index) => match(item, actual[index], extendPlace(place, index))));
}

/** Describes a value that `actual` must not be: as its word does for `contains`, `matches`, `in` and `equals`, otherwise as JSON. */
function describe(unwanted: unknown, actual: unknown): string {
  const words = isMatcher(unwanted) ? Object.keys(unwanted) : [];
  const { mismatches } = match(unwanted, typeof actual === "string" ? "" : undefined);
  const isPlain = words.length === mismatches.length && words.every((word) => DESCRIBED_MATCHERS.has(word));
  return isPlain && words.length > 0 ? mismatches.map((mismatch) => mismatch.expected).join(" and ") : show(unwanted);
}

const DESCRIBED_MATCHERS: ReadonlySet<string> = new Set<MatcherWord>(["contains", "matches", "in", "equals"]);

/** Returns whether two values are equal. Timestamps are equal if they name the same time, at the precision of the less precise one. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!TYPE_TESTS.timestamp(one) || !TYPE_TESTS.timestamp(other)) return false;
  return Math.abs(compare(one, other)) < Math.max(measureLastDigit(one as string), measureLastDigit(other as string));
}

/** Returns the value of the last digit of a timestamp in milliseconds, at least 1. */
function measureLastDigit(timestamp: string): number {
  const digits = /\.(\d+)/.exec(timestamp)?.[1] ?? "";
  return 10 ** (3 - Math.min(3, digits.length));
}

/** Combines several comparisons into one. */
export function combineMatches(matches: readonly Match[]): Match {
  return {
    mismatches: matches.flatMap(({ mismatches }) => mismatches),
    empty: matches.flatMap(({ empty }) => empty),
    items: matches.reduce((sum, { items }) => sum + items, 0),
  };
}

/** Returns a comparison with one mismatch unless `ok` is true. `wanted`: the expected value, if `expected` describes one. */
export function holds(ok: boolean, place: Place, expected: string, actual: unknown, wanted?: unknown): Match {
  if (ok) return { mismatches: [], empty: [], items: 0 };
  const present = new Set(listFieldNames(actual));
  const lacks = [...new Set(listFieldNames(wanted))].filter((name) => !present.has(name));
  const mismatch: Mismatch = {
    ...place,
    at: place.at || "body",
    expected,
    actual: actual === undefined ? "absent" : show(actual),
    ...(actual === undefined && { absent: true }),
    ...(Array.isArray(actual) && { list: true }),
    ...(lacks.length > 0 && { lacks }),
  };
  return { mismatches: [mismatch], empty: [], items: 0 };
}

/** Returns the place of a mismatch in words, with the number of the response or the name of the tool: `answer 2: /id`. */
export function formatPlace({ at, answer: response, tool }: Mismatch): string {
  const of = response === undefined ? tool : `answer ${response}`;
  return of === undefined ? at : `${of}: ${at}`;
}

/** Returns the place of a field or item of the value at a place. */
function extendPlace({ at, pointer, ...rest }: Place, name: string | number): Place {
  return { ...rest, at: `${at}/${name}`, ...(pointer !== undefined && { pointer: `${pointer}/${name}` }) };
}

/** Returns the names of all fields in a value. */
function listFieldNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listFieldNames);
  return isRecord(value) ? Object.entries(value).flatMap(([name, field]) => [name, ...listFieldNames(field)]) : [];
}

/** Returns a value as text for a report, at most 240 characters. */
function show(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "absent");
  return text.length <= 240 ? text : `${text.slice(0, 239)}…`;
}

function matchFields(expected: Record<string, unknown>, actual: unknown, place: Place): Match {
  if (!isRecord(actual)) return holds(false, place, "an object", actual);
  return combineMatches(
    Object.entries(expected).map(([key, value]) =>
      match(value, Object.hasOwn(actual, key) ? actual[key] : undefined, extendPlace(place, key)),
    ),
  );
}

function fits(expected: unknown, actual: unknown): boolean {
  return match(expected, actual).mismatches.length === 0;
}

function judgeList(actual: unknown, place: Place, judge: (list: unknown[]) => Match): Match {
  if (!Array.isArray(actual)) return holds(false, place, "a list", actual);
  if (actual.length === 0) return { mismatches: [], empty: [`${place.at || "body"} is an empty list`], items: 0 };
  const judgedMatch = judge(actual);
  return { ...judgedMatch, items: Math.max(judgedMatch.items, actual.length) };
}

function measureLength(value: unknown): number | undefined {
  if (typeof value === "string") return [...value].length;
  return Array.isArray(value) ? value.length : undefined;
}

/** Returns a number below, at or above zero as in a sort. Returns NaN, which fails every bound, if the two cannot be compared. */
function compare(actual: unknown, bound: unknown): number {
  if (typeof actual === "number" && typeof bound === "number") return actual - bound;
  if (typeof actual === "string" && typeof bound === "string") return Date.parse(actual) - Date.parse(bound);
  return Number.NaN;
}
