import type { Problem } from "../input/problems.js";
import type { Entry } from "./entry.js";
import { type Difference, differences, fits, type Match, matchSchema } from "./matching.js";

/** A verification: how many calls match, or in which order calls came. */
export interface VerificationRequest {
  match?: Match;
  /** The same as `exactly`. */
  count?: number;
  exactly?: number;
  at_least?: number;
  at_most?: number;
  between?: [number, number];
  /** Each fits a call that came behind the one of the match before; others may lie between. */
  in_order?: Match[];
}

/** The result. When it fails, it names the closest calls, or the surplus ones. */
export interface Verification {
  verified: boolean;
  count: number;
  expected: number | string;
  nearest: { entry: Entry; differs: string[]; differences: Difference[] }[];
  /** The first calls that fit, where there are too many. */
  matching?: Entry[];
  /** Numbers of the calls that came in order, as far as they did. */
  order?: number[];
}

const most = 3;
const whole = { type: "integer", minimum: 0 };
const bounds = ["count", "exactly", "at_least", "at_most", "between"] as const;

/** JSON Schema of a question, closed. */
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
      description: "Each fits a call behind the one before; others may lie between.",
    },
  },
};

/** Compares the entries of a journal, oldest first, with a verification. */
export function verify(entries: Entry[], request: VerificationRequest): Verification | Problem {
  const given = bounds.filter((bound) => request[bound] !== undefined);
  if (request.in_order) {
    const [other] = [...given, ...(request.match ? ["match"] : [])];
    if (other) return { problem: "in_order stands alone: it says itself what fits.", field: other, allowed: ["in_order"] };
    return verifyOrder(entries, request.in_order);
  }
  if (!request.match) return { problem: "Say which calls are meant.", field: "match", allowed: ["match", "in_order"] };
  const [bound, second] = given;
  if (!bound || second) return { problem: "Give one of these to say how many.", field: second ?? "", allowed: [...bounds] };
  const [least, greatest] = rangeOf(request);
  if (least > greatest) return { problem: "The first of between is the smaller one.", field: "between" };
  return verifyCount(entries, request.match, least, greatest);
}

function rangeOf({ count, exactly = count, at_least, at_most, between }: VerificationRequest): [number, number] {
  if (between) return between;
  if (exactly !== undefined) return [exactly, exactly];
  return at_least !== undefined ? [at_least, Number.POSITIVE_INFINITY] : [0, at_most ?? 0];
}

function verifyCount(entries: Entry[], match: Match, least: number, greatest: number): Verification {
  const matching = entries.filter((entry) => fits(entry, match));
  const count = matching.length;
  return {
    verified: count >= least && count <= greatest,
    count,
    expected: wordRange(least, greatest),
    nearest: count < least ? nearest(entries, match) : [],
    ...(count > greatest && { matching: matching.slice(0, most) }),
  };
}

function wordRange(least: number, greatest: number): number | string {
  if (least === greatest) return least;
  if (greatest === Number.POSITIVE_INFINITY) return `at least ${least}`;
  return least === 0 ? `at most ${greatest}` : `between ${least} and ${greatest}`;
}

/** Takes for each match the first call that fits behind the one before: if any choice is in order, this one is. */
function verifyOrder(entries: Entry[], matches: Match[]): Verification {
  const order: number[] = [];
  let from = 0;
  for (const match of matches) {
    const found = entries.findIndex((entry, i) => i >= from && fits(entry, match));
    if (found < 0) break;
    order.push(entries[found]?.number ?? 0);
    from = found + 1;
  }
  const missed = matches[order.length];
  return {
    verified: missed === undefined,
    count: order.length,
    expected: matches.length,
    nearest: missed ? nearest(entries.slice(from), missed) : [],
    order,
  };
}

function nearest(entries: Entry[], match: Match): Verification["nearest"] {
  return entries
    .map((entry) => ({ entry, differences: differences(entry, match) }))
    .filter((one) => one.differences.length > 0)
    .sort((a, b) => a.differences.length - b.differences.length)
    .slice(0, most)
    .map((one) => ({ entry: one.entry, differs: fieldsOf(one.differences), differences: one.differences }));
}

/** The fields of the match in which an entry differs, without what lies below them. */
function fieldsOf(found: Difference[]): string[] {
  return [...new Set(found.map(({ field }) => field.split(".", 1)[0] ?? field))];
}
