import { curl } from "../http/curl.js";
import type { WireRequest, WireResponse } from "../http/exchange.js";
import type { Covers } from "../scenario/dimensions.js";
import type { Mismatch } from "./expect/match.js";

/** What a run can say of a check, a scenario or a clause. */
export type Verdict =
  | "passed"
  | "failed"
  | "warned"
  | "inconclusive"
  | "not-observed"
  | "not-applicable"
  | "informational"
  | "waived"
  | "stale-waiver"
  | "harness-error";

/** What one step came to. `subjects` counts the answers and rows that were judged. */
export interface Outcome {
  verdict: Verdict;
  subjects: number;
  expected?: string;
  actual?: string;
  reason?: string;
  curl?: string;
  /** Of a failure: there was an answer of status 5xx, so it is a finding only if it comes again. */
  stray?: true;
  /** Not all was done, or nobody knows whether it was: there was no answer, or a refusal for a rate came between. */
  undone?: true;
}

/** One check of a report. */
export interface Check extends Outcome {
  /** scenario/step */
  id: string;
  scenario: string;
  step: string;
  clauses: string[];
  /** Of what it says something, as far as its clauses quantify over it. */
  covers?: Covers;
  file: string;
  line: number;
  /** One word that `counterpart replay` takes instead of the file. */
  replay?: string;
}

const MOST_MISMATCHES = 20;

/** The step did what it was there for. A judgement of nothing is no pass. */
export function passed(subjects: number): Outcome {
  return subjects > 0 ? { verdict: "passed", subjects } : inconclusive("there was nothing to judge");
}

/** The server contradicts the contract by one or more answers. */
export function failed(
  mismatches: readonly Mismatch[],
  subjects: number,
  request: WireRequest,
  answers: readonly Pick<WireResponse, "status">[],
): Outcome {
  const shown = mismatches.slice(0, MOST_MISMATCHES);
  const more = mismatches.length > shown.length ? [`and ${mismatches.length - shown.length} places more`] : [];
  const expected = printable(shown.map(({ at, expected }) => `${at}: ${expected}`).join("; "));
  const actual = printable([...shown.map(({ at, actual }) => `${at}: ${actual}`), ...more].join("; "));
  const stray = answers.some(({ status }) => status >= 500);
  return { verdict: "failed", subjects, expected, actual, curl: curl(request), ...(stray && { stray }) };
}

/** Nobody can say what it came to, and why. */
export function inconclusive(reason: string, request?: WireRequest): Outcome {
  return { verdict: "inconclusive", subjects: 0, reason: printable(reason), ...(request && { curl: curl(request) }) };
}

/** No answer came, and why. */
export function unanswered({ why, request }: { why: string; request?: WireRequest }): Outcome {
  return { ...inconclusive(why, request), undone: true };
}

/** An outcome as reports have it: without what only the play needs to know. */
export function asReported<Some extends Outcome>({ stray: _, undone: __, ...outcome }: Some): Omit<Some, "stray" | "undone"> {
  return outcome;
}

/** Mismatches in one line, as a reason. */
export function inWords(mismatches: readonly Mismatch[]): string {
  return mismatches.map(({ at, expected, actual }) => `${at} should be ${expected}, is ${actual}`).join("; ");
}

/** What a server says is shown in one line, and gives a terminal no orders. */
function printable(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "\ufffd");
}
