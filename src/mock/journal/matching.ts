import { isDeepStrictEqual } from "node:util";
import type { JournalRecord } from "./journal.js";
import type { Entry } from "./read-entry.js";

/** Selects journal entries. Every given field must match. */
export interface Match {
  method?: string;
  /** The path without its query. */
  path?: string;
  /** Operation, tool or protocol method. */
  route?: string;
  status?: number;
  code?: string;
  gate?: string;
  key?: string;
  /** Name of the key. */
  role?: string;
  forced?: boolean;
  fault?: string;
  /** Calls of an unknown path, or with a method that the path does not have. */
  unmatched?: boolean;
  /** Calls with parts that the service did not read. */
  unread?: boolean;
  /** Request headers: a value, true for any value, or false for no such header. */
  headers?: Record<string, string | boolean>;
  /** Query parameters, in the same way. */
  query?: Record<string, string | boolean>;
  /** Matches if the body has at least these fields. */
  body?: unknown;
  /** Matches if the body of the response has at least these fields. */
  answer?: unknown;
}

const named = { type: "object", additionalProperties: { type: ["string", "boolean"] } };

/** The fields of a match that a query can contain. */
export const plainMatch = {
  method: { type: "string" },
  path: { type: "string", description: "Without the query." },
  route: { type: "string", description: "A route as the contract names it, or a tool." },
  status: { type: "integer" },
  code: { type: "string" },
  gate: { type: "string" },
  key: { type: "string" },
  role: { type: "string" },
  forced: { type: "boolean" },
  fault: { type: "string" },
  unmatched: { type: "boolean", description: "Calls of an unknown path or method." },
  unread: { type: "boolean", description: "Calls with parts that the service did not read." },
};

/** JSON Schema of a match. It allows no other field. */
export const matchSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...plainMatch,
    headers: { ...named, description: "A value, true for any value, or false for absent." },
    query: { ...named, description: "A value, true for any value, or false for absent." },
    body: { description: "At least these fields." },
    answer: { description: "At least these fields." },
  },
};

/** A difference between an entry and a match. */
export interface Difference {
  field: string;
  wanted: unknown;
  seen: unknown;
}

/** The most differences of one entry. A match can have 100,000 fields. */
const maxDifferences = 100;

/** Returns whether an entry with these values matches. */
export function fits(seen: MatchValues, match: Match): boolean {
  return listFieldDifferences(seen, match).next().done === true;
}

/** Returns the differences between the values of an entry and a match, by the path of each value: the first 100. */
export function listDifferences(seen: MatchValues, match: Match): Difference[] {
  const foundDifferences: Difference[] = [];
  for (const difference of listFieldDifferences(seen, match)) if (foundDifferences.push(difference) === maxDifferences) break;
  return foundDifferences;
}

function* listFieldDifferences(matchValues: MatchValues, match: Match): Generator<Difference> {
  for (const [field, wanted] of Object.entries(match)) {
    const value = matchValues[field as keyof Match];
    if (field === "headers" || field === "query") yield* listNamedDifferences(field, value as Texts, wanted as ExpectedTexts);
    else yield* listValueDifferences(field, value, wanted);
  }
}

/** The value in each field of a match. */
export type MatchValues = Record<keyof Match, unknown>;
type Texts = Record<string, string | undefined>;
type ExpectedTexts = Record<string, string | boolean>;

/** Returns the fields of a record that contain no secret. Reading the others takes long, because secrets in them are hidden. */
export function listPlainFields({
  method,
  route,
  status,
  forced,
  fault,
  rule: { code, gate },
}: JournalRecord): Partial<MatchValues> {
  return { method, route, status, forced, fault, code, gate, unmatched: gate === "route" };
}

/** The values of an entry: those without secrets, and a function that reads all of them. */
export interface MatchableEntry {
  plain: Partial<MatchValues>;
  seen(): MatchValues;
}

/** Returns whether an entry matches. Reads it only if its plain fields allow a match. */
export function matches(entry: MatchableEntry, match: Match): boolean {
  return mayMatch(entry, match) && fits(entry.seen(), match);
}

/** Returns whether the plain fields of an entry allow a match. */
export function mayMatch({ plain }: MatchableEntry, match: Match): boolean {
  for (const field in plain) {
    const wanted = match[field as keyof Match];
    if (wanted !== undefined && wanted !== plain[field as keyof Match]) return false;
  }
  return true;
}

/** Returns the value that an entry has in each field of a match. */
export function readActual(entry: Entry): MatchValues {
  const [method, url] = entry.request.split(" ", 2) as [string, string];
  const { route, status, key, role, forced, fault, body, rule, headers } = entry;
  return {
    method,
    path: url.split("?", 1)[0],
    route,
    status,
    key,
    role,
    forced,
    fault,
    body,
    headers,
    query: Object.fromEntries(new URLSearchParams(url.split("?", 2)[1] ?? "")),
    answer: entry.answer.body,
    code: rule.code,
    gate: rule.gate,
    unmatched: rule.gate === "route",
    unread: entry.unread.length > 0,
  };
}

function* listNamedDifferences(field: string, texts: Texts, expectedTexts: ExpectedTexts): Generator<Difference> {
  for (const [name, value] of Object.entries(expectedTexts)) {
    const key = field === "headers" ? name.toLowerCase() : name;
    const there = Object.hasOwn(texts, key) ? texts[key] : undefined;
    const isRight = typeof value === "boolean" ? value === (there !== undefined) : value === there;
    if (!isRight) yield { field: `${field}.${name}`, wanted: value, seen: there ?? null };
  }
}

/** Compares a value with the required part of it. Lists and plain values must be equal. */
function* listValueDifferences(field: string, seen: unknown, wanted: unknown): Generator<Difference> {
  if (!isRecord(wanted) || !isRecord(seen)) {
    if (!isDeepStrictEqual(seen, wanted)) yield { field, wanted, seen: seen ?? null };
    return;
  }
  for (const name in wanted)
    if (Object.hasOwn(wanted, name))
      yield* listValueDifferences(`${field}.${name}`, Object.hasOwn(seen, name) ? seen[name] : undefined, wanted[name]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
