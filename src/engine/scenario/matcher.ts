import { isRecord } from "./interpolate.js";

const MATCHER_WORDS = [
  "type",
  "not",
  "in",
  "matches",
  "gte",
  "lte",
  "gt",
  "lt",
  "length",
  "each",
  "contains",
  "unique",
  "ordered",
  "absent",
  "present",
  "absentOrNull",
  "equals",
  "fields",
] as const;

/** A key of a matcher object. */
export type MatcherWord = (typeof MATCHER_WORDS)[number];

const TYPE_NAMES = ["string", "integer", "number", "boolean", "null", "array", "object", "timestamp"] as const;

/** A type name for the matcher word `type`. */
export type TypeName = (typeof TYPE_NAMES)[number];

const words: ReadonlySet<string> = new Set(MATCHER_WORDS);
const types: ReadonlySet<string> = new Set(TYPE_NAMES);

/** Returns whether an object is a matcher: all its keys are matcher words, and `type`, if present, names types. */
export function isMatcher(value: unknown): value is Partial<Record<MatcherWord, unknown>> {
  if (!isRecord(value) || Object.keys(value).length === 0) return false;
  if ("type" in value && ![value.type].flat().every((name) => types.has(String(name)))) return false;
  return Object.keys(value).every((key) => words.has(key));
}
