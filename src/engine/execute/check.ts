import { escapeText } from "../../common/escape/visible.js";
import type { Mask } from "../../common/masking/mask.js";
import { formatCurl } from "../http/curl.js";
import type { WireRequest, WireResponse } from "../http/exchange.js";
import { maskRequest, showAsVariable } from "../http/mask-request.js";
import type { Covers } from "../scenario/dimensions.js";
import { formatPlace, type Mismatch } from "./expect/match.js";
import type { JudgedResponse, ShownStep } from "./shown-steps.js";

/** The verdicts of a check, a scenario or a clause. */
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

/** The result of one step. `subjects` counts the responses and rows that were judged. */
export interface Outcome {
  verdict: Verdict;
  subjects: number;
  expected?: string;
  actual?: string;
  reason?: string;
  /** Each place where the response differs from `expect` or `given`. */
  mismatches?: readonly Mismatch[];
  /** The request whose response gave this result. */
  request?: WireRequest;
  /** Only after a failure: the responses that differ from the expectation. */
  judged?: readonly JudgedResponse[];
  /** The earlier step that made the runner skip this one. */
  blocked_by?: string;
  /** Only after a failure: a response had status 5xx. The failure is a finding only if it happens again. */
  serverError?: true;
  /** The step is incomplete or uncertain: a response is missing, or a rate limit ended the step early. */
  incomplete?: true;
  /** The operations that must succeed, and the effects that must appear, in the run. Without them the pass does not count. */
  contrasts?: readonly string[];
  /** `control`: it passed, and its control matched. `answer`: it is inconclusive because of what the server answered. `choice`: because of a legal choice of the server. `refusal`: because it made such a choice by refusing the request. `no-answer`: because no response came, or the run had no time to wait. */
  basis?: "control" | "answer" | "choice" | "refusal" | "no-answer";
}

/** Returns whether a check is open because of a legal choice of the server. */
export function isByChoice({ basis }: { basis?: Outcome["basis"] | undefined }): boolean {
  return basis === "choice" || basis === "refusal";
}

/** One check of a report. */
export interface Check extends Omit<Outcome, "request" | "judged"> {
  /** scenario/step */
  id: string;
  scenario: string;
  step: string;
  clauses: string[];
  /** The values that it covers, in the dimensions of its clauses. */
  covers?: Covers;
  file: string;
  line: number;
  /** The contract's name for its request: a route or a tool. */
  operation?: string;
  /** The request as a curl command line. Its environment variables, such as `$COUNTERPART_KEY`, must be set. */
  curl?: string;
  /** Only after a failure: all steps up to the failure in order, with their responses. */
  exchanges?: readonly ShownStep[];
  /** A short code that `counterpart replay` accepts instead of a file. */
  replay?: string;
  /** The verdict and reason before a waiver changed them. */
  before_waiver?: { verdict: Verdict; reason?: string };
}

/** What a vendor can do if a rate limit or an outage disturbed a check. */
export const LESS_BUSY = "To judge this, repeat the run when the server is less busy, or raise its rate limits";

const MAX_MISMATCHES = 20;

/** Returns the outcome of a step that passed. Without judged subjects it is inconclusive. */
export function createPassedOutcome(subjects: number): Outcome {
  return subjects > 0 ? { verdict: "passed", subjects } : createInconclusiveOutcome("there was nothing to judge");
}

/** Returns the outcome of a check whose answers contradict the contract. */
export function createFailedOutcome(
  mismatches: readonly Mismatch[],
  subjects: number,
  request: WireRequest,
  responses: readonly Pick<WireResponse, "status">[],
  judgedResponses: readonly JudgedResponse[],
): Outcome {
  const some = mismatches.slice(0, MAX_MISMATCHES);
  const more = mismatches.length > some.length ? [`and ${mismatches.length - some.length} more places`] : [];
  const expected = escapeForPrint(some.map((mismatch) => `${formatPlace(mismatch)}: ${mismatch.expected}`).join("; "));
  const actual = escapeForPrint([...some.map((mismatch) => `${formatPlace(mismatch)}: ${mismatch.actual}`), ...more].join("; "));
  const serverError = responses.some(({ status }) => status >= 500);
  return {
    verdict: "failed",
    subjects,
    expected,
    actual,
    mismatches: maskMismatches(mismatches),
    request,
    judged: judgedResponses,
    ...(serverError && { serverError }),
  };
}

/** Returns the outcome of a step that could not be judged, with the reason. */
export function createInconclusiveOutcome(reason: string, request?: WireRequest, mismatches: readonly Mismatch[] = []): Outcome {
  return {
    verdict: "inconclusive",
    subjects: 0,
    reason: escapeForPrint(reason),
    ...(request && { request }),
    ...(mismatches.length > 0 && { mismatches: maskMismatches(mismatches) }),
  };
}

/** Why a response is not evidence about a clause. `choice` and `refusal`: the server made a legal choice, which the reason names. */
export interface Doubt {
  reason: string;
  basis: "answer" | "choice" | "refusal";
}

/** Returns the outcome of a step whose response, or whose control, is not evidence about the clause. */
export function createInconclusiveResponse(
  doubt: Doubt | string,
  request: WireRequest | undefined,
  mismatches: readonly Mismatch[] = [],
): Outcome {
  const { reason, basis } = typeof doubt === "string" ? ({ reason: doubt, basis: "answer" } as const) : doubt;
  return { ...createInconclusiveOutcome(reason, request, mismatches), basis };
}

/** Returns the outcome of a request without a response, with the reason. */
export function createUnansweredOutcome({ why, request }: { why: string; request?: WireRequest }): Outcome {
  return { ...createNoTimeOutcome(why, request), incomplete: true };
}

/** Returns the outcome of a step for which the run has no time, with the reason. A resumed run executes its scenario again. */
export function createNoTimeOutcome(why: string, request?: WireRequest): Outcome {
  return { ...createInconclusiveOutcome(why, request), basis: "no-answer" };
}

/** Returns the outcome of a step that is not executed because an earlier step failed or was inconclusive. */
export function createNotExecutedOutcome({ step, verdict }: { step: string; verdict: Verdict }): Outcome {
  const reason = `not executed, because ${step} ${verdict === "failed" ? "failed" : "was inconclusive"}`;
  return { verdict: "not-observed", subjects: 0, reason, blocked_by: step };
}

/** Returns a check as reports show it, without the fields that only the run needs. */
export function reportCheck({ serverError: _, incomplete: __, ...check }: Check): Check {
  return check;
}

/** Returns the request of an outcome as a curl command line, with variables in place of secrets. */
export function createCurl({ request }: Outcome, mask: Mask, defaultRole: string): { curl?: string } {
  return request ? { curl: formatCurl(maskRequest(request, mask, showAsVariable(defaultRole))) } : {};
}

/** Returns the mismatches in one line, for use as a reason. */
export function formatMismatches(mismatches: readonly Mismatch[]): string {
  return mismatches
    .map((mismatch) => `${formatPlace(mismatch)} should be ${mismatch.expected}, is ${mismatch.actual}`)
    .join("; ");
}

function maskMismatches(mismatches: readonly Mismatch[]): Mismatch[] {
  return mismatches.slice(0, MAX_MISMATCHES).map(({ isOfCount: _, ...one }) => ({
    ...one,
    expected: escapeForPrint(one.expected),
    actual: escapeForPrint(one.actual),
    ...(one.unwanted !== undefined && { unwanted: escapeForPrint(one.unwanted) }),
  }));
}

/** Returns text of a server in one line, with terminal control characters made visible. */
function escapeForPrint(text: string): string {
  return escapeText(text.replace(/\s+/g, " "));
}
