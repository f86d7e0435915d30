import type { ClauseId } from "../contract/types.js";
import type { Severity } from "./rule.js";

/** The calls of a client that the contract forbids or discourages, and how much of the contract it used. */
export interface ClientReport {
  verdict: ReportVerdict;
  requests: number;
  findings: ClientFinding[];
  clauses: { id: ClauseId; verdict: ClauseVerdict }[];
  coverage: {
    surfaces: ("rest" | "mcp")[];
    error_codes: CoverageList;
    /** Such as `job: pending -> running (dispatch)`. */
    transitions: CoverageList;
    /** Lists, by route or tool, of which a second page was read. */
    second_pages: CoverageList;
    routes: CoverageList;
    tools: CoverageList;
  };
}

/** `inconclusive` when there is no finding and no clause was judged. */
export type ReportVerdict = "clean" | "findings" | "inconclusive";

/** One rule that the client broke, with the first calls that broke it. */
export interface ClientFinding {
  id: string;
  severity: Severity;
  clauses: ClauseId[];
  message: string;
  count: number;
  examples: FindingExample[];
}

/** One call that broke a rule. */
export interface FindingExample {
  /** The world of the mock that received the call; null behind a proxy. */
  world: string | null;
  /** The call's number in the journal; null when no journal holds it any more. */
  entry: number | null;
  request: string;
  why: string;
  /** The variation of the response that the client could not handle. */
  variation?: string;
  /** The fields of the response that the variation changed. */
  fields?: string[];
}

/** The verdict on a clause about clients; `warned` when the client only did what the contract discourages. */
export type ClauseVerdict = "passed" | "failed" | "warned" | "not-observed";

/** The names of one kind that the calls covered, and the others. */
export interface CoverageList {
  covered: string[];
  uncovered: string[];
}

/** Every form of a report. The code that writes a form is loaded when it is needed. */
export const reportForms = ["text", "json", "junit", "html"] as const;

/** The name of a form. */
export type ReportForm = (typeof reportForms)[number];

/** Returns the verdict of a report: findings, or clean if at least one clause was judged. */
export function computeVerdict({ findings, clauses }: Pick<ClientReport, "findings" | "clauses">): ReportVerdict {
  if (findings.length > 0) return "findings";
  return clauses.some(({ verdict }) => verdict !== "not-observed") ? "clean" : "inconclusive";
}
