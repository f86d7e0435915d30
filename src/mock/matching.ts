import { isDeepStrictEqual } from "node:util";
import type { World } from "../service/world.js";
import type { Entry, Journal } from "./journal.js";
import { readJournal } from "./journal.js";

/** Which journal entries are meant; every field given must fit. */
export interface Match {
  method?: string;
  /** The path without its query. */
  path?: string;
  /** Operation or tool. */
  route?: string;
  status?: number;
  code?: string;
  gate?: string;
  key?: string;
  forced?: boolean;
  fault?: string;
  /** Calls to nothing the service has: an unknown path, or a method that the path does not take. */
  unmatched?: boolean;
  /** Fits when the body has at least these fields. */
  body?: unknown;
}

/** JSON Schema of a match, closed. */
export const matchSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    method: { type: "string" },
    path: { type: "string" },
    route: { type: "string" },
    status: { type: "integer" },
    code: { type: "string" },
    gate: { type: "string" },
    key: { type: "string" },
    forced: { type: "boolean" },
    fault: { type: "string" },
    unmatched: { type: "boolean" },
    body: true,
  },
};

/** What a count found: how many entries fit, and when none does the ones that came nearest. */
export interface Verification {
  verified: boolean;
  count: number;
  expected: number;
  nearest: { entry: Entry; differs: string[] }[];
}

/** The entries that fit, oldest first. */
export function findEntries(journal: Journal, world: World, match: Match): Entry[] {
  return readJournal(journal, world).filter((entry) => differences(entry, match).length === 0);
}

/** Compares how many entries fit with how many were expected. */
export function verifyEntries(journal: Journal, world: World, match: Match, expected: number): Verification {
  const compared = readJournal(journal, world).map((entry) => ({ entry, differs: differences(entry, match) }));
  const count = compared.filter(({ differs }) => differs.length === 0).length;
  const misses = count < expected ? compared.filter(({ differs }) => differs.length > 0) : [];
  const nearest = misses.sort((a, b) => a.differs.length - b.differs.length).slice(0, 3);
  return { verified: count === expected, count, expected, nearest };
}

/** The fields of a match that an entry does not fit. */
function differences(entry: Entry, match: Match): string[] {
  const seen = seenOf(entry);
  return Object.entries(match).flatMap(([field, wanted]) => (includes(seen[field as keyof Match], wanted) ? [] : [field]));
}

function seenOf(entry: Entry): Record<keyof Match, unknown> {
  const [method, url] = entry.request.split(" ", 2) as [string, string];
  const { route, status, key, forced, fault, body, rule } = entry;
  return {
    method,
    path: url.split("?", 1)[0],
    route,
    status,
    key,
    forced,
    fault,
    body,
    code: rule.code,
    gate: rule.gate,
    unmatched: rule.gate === "route",
  };
}

/** Whether a value has at least what is wanted of it; lists and plain values must be equal. */
function includes(seen: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted) || !isRecord(seen)) return isDeepStrictEqual(seen, wanted);
  return Object.entries(wanted).every(([name, inner]) => Object.hasOwn(seen, name) && includes(seen[name], inner));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
