import { curl } from "../http/curl.js";
import type { WireRequest } from "../http/exchange.js";
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
}

/** One check of a report. */
export interface Check extends Outcome {
  /** scenario/step */
  id: string;
  scenario: string;
  step: string;
  clauses: string[];
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

/** The server contradicts the contract. */
export function failed(mismatches: readonly Mismatch[], subjects: number, request: WireRequest): Outcome {
  const shown = mismatches.slice(0, MOST_MISMATCHES);
  const more = mismatches.length > shown.length ? [`and ${mismatches.length - shown.length} places more`] : [];
  const expected = printable(shown.map(({ at, expected }) => `${at}: ${expected}`).join("; "));
  const actual = printable([...shown.map(({ at, actual }) => `${at}: ${actual}`), ...more].join("; "));
  return { verdict: "failed", subjects, expected, actual, curl: curl(request) };
}

/** Nobody can say what it came to, and why. */
export function inconclusive(reason: string, request?: WireRequest): Outcome {
  return { verdict: "inconclusive", subjects: 0, reason: printable(reason), ...(request && { curl: curl(request) }) };
}

/** Mismatches in one line, as a reason. */
export function inWords(mismatches: readonly Mismatch[]): string {
  return mismatches.map(({ at, expected, actual }) => `${at} should be ${expected}, is ${actual}`).join("; ");
}

/** What a server says is shown in one line, and gives a terminal no orders. */
function printable(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\p{Cc}/gu, "\ufffd");
}
