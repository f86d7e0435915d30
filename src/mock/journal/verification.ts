import type { Problem } from "../../common/problem.js";
import { type Difference, listDifferences, type Match, matches, matchSchema } from "./matching.js";
import type { Entry } from "./read-entry.js";
import type { UnreadEntry } from "./unread-journal.js";

/** A verification: the number of matching calls, or an order of calls. */
export interface VerificationRequest {
  match?: Match;
  /** The same as `exactly`. */
  count?: number;
  exactly?: number;
  at_least?: number;
  at_most?: number;
  between?: [number, number];
  /** Each match needs a call after the call of the previous match. Other calls may lie between them. */
  in_order?: Match[];
}

/** The result. A failure names the closest calls, or the surplus calls. */
export interface Verification {
  verified: boolean;
  count: number;
  expected: number | string;
  nearest: { entry: Entry; differs: string[]; differences: Difference[] }[];
  /** The first matching calls, if there are too many. */
  matching?: Entry[];
  /** Numbers of the calls in order, up to the first missing one. */
  order?: number[];
}

const maxShownEntries = 3;
/** Only this many calls are compared with a match for the closest ones: the newest. */
export const maxCompared = 100;
const whole = { type: "integer", minimum: 0 };
const bounds = ["count", "exactly", "at_least", "at_most", "between"] as const;

/** JSON Schema of a verification. It allows no other field. */
export const verificationSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    match: matchSchema,
    count: { ...whole, description: "The same as exactly." },
    exactly: whole,
    at_least: whole,
    at_most: whole,
    between: { type: "array", items: whole, minItems: 2, maxItems: 2, description: "Both included." },
    in_order: {
      type: "array",
      items: matchSchema,
      minItems: 1,
      description: "Each match needs a call after the call of the previous match. Other calls may lie between them.",
    },
  },
};

/** Verifies the entries of a journal, oldest first. `closest` returns the closest entries to a match that too few have. */
export function verify(
  entries: readonly UnreadEntry[],
  request: VerificationRequest,
  closest = findNearest,
): Verification | Problem {
  const givenBounds = bounds.filter((bound) => request[bound] !== undefined);
  if (request.in_order) {
    const [other] = [...givenBounds, ...(request.match ? ["match"] : [])];
    if (other) return { problem: "Use in_order alone: it contains its matches.", field: other, allowed: ["in_order"] };
    return verifyOrder(entries, request.in_order, closest);
  }
  if (!request.match) return { problem: "Give match or in_order.", field: "match", allowed: ["match", "in_order"] };
  const [bound, second] = givenBounds;
  if (!bound || second)
    return { problem: "Give exactly one of these numbers of calls.", field: second ?? "", allowed: [...bounds] };
  const [min, max] = readRange(request);
  if (min > max) return { problem: 'The first number of "between" must not be larger than the second.', field: "between" };
  return verifyCount(entries, request.match, [min, max], closest);
}

function readRange({ count, exactly = count, at_least, at_most, between }: VerificationRequest): [number, number] {
  if (between) return between;
  if (exactly !== undefined) return [exactly, exactly];
  return at_least !== undefined ? [at_least, Number.POSITIVE_INFINITY] : [0, at_most ?? 0];
}

function verifyCount(
  entries: readonly UnreadEntry[],
  match: Match,
  [min, max]: readonly [number, number],
  closest: typeof findNearest,
): Verification {
  const matchingEntries = entries.filter((entry) => matches(entry, match));
  const count = matchingEntries.length;
  return {
    verified: count >= min && count <= max,
    count,
    expected: describeRange(min, max),
    nearest: count < min ? closest(entries, match) : [],
    ...(count > max && { matching: matchingEntries.slice(0, maxShownEntries).map(({ read }) => read()) }),
  };
}

function describeRange(min: number, max: number): number | string {
  if (min === max) return min;
  if (max === Number.POSITIVE_INFINITY) return `at least ${min}`;
  return min === 0 ? `at most ${max}` : `between ${min} and ${max}`;
}

/** Returns for each match the first matching call after the previous one. If any selection is in order, this one is. */
function verifyOrder(entries: readonly UnreadEntry[], wantedMatches: Match[], closest: typeof findNearest): Verification {
  const order: number[] = [];
  let from = 0;
  for (const match of wantedMatches) {
    const found = entries.findIndex((entry, i) => i >= from && matches(entry, match));
    if (found < 0) break;
    order.push(entries[found]?.number ?? 0);
    from = found + 1;
  }
  const missedMatch = wantedMatches[order.length];
  return {
    verified: missedMatch === undefined,
    count: order.length,
    expected: wantedMatches.length,
    nearest: missedMatch ? closest(entries.slice(from), missedMatch) : [],
    order,
  };
}

function findNearest(entries: readonly UnreadEntry[], match: Match): Verification["nearest"] {
  return entries
    .slice(-maxCompared)
    .map(({ read, seen }) => ({ read, differences: listDifferences(seen(), match) }))
    .filter((one) => one.differences.length > 0)
    .sort((a, b) => a.differences.length - b.differences.length)
    .slice(0, maxShownEntries)
    .map((one) => ({ entry: one.read(), differs: listFields(one.differences), differences: one.differences }));
}

/** Returns the fields of the match in which an entry differs, without nested fields. */
function listFields(foundDifferences: Difference[]): string[] {
  return [...new Set(foundDifferences.map(({ field }) => field.split(".", 1)[0] ?? field))];
}
