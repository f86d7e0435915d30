import type { Match } from "../engine/execute/expect/match.js";
import * as expectation from "../engine/execute/expect/response.js";
import { type Exchange, parseBodyJson, type WireResponse } from "../engine/http/exchange.js";
import * as mcp from "../engine/http/mcp.js";
import type { ResponseRules } from "../engine/http/response-rules.js";
import type { ResponseText } from "../engine/scenario/format.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { findChoice, readError } from "./legal-choices.js";
import { PAGE_LIMIT } from "./statements/lists.js";

const nonEmptyText = { type: "string", matches: "\\S" };
/** ERR-ENVELOPE-ONE: the four fields of an error are strings that are not blank. */
const completeError = {
  error: { fields: { type: nonEmptyText, code: nonEmptyText, message: nonEmptyText, request_id: nonEmptyText } },
};

/** Minimum length, in characters, of a string that counts as a key. Shorter strings are words, dates or names. */
const MIN_KEY_CHARACTERS = 16;
const TIME_PATTERN = /^\d{4}-\d\d-\d\dT/;

/** Lists the rules of this contract for the form of responses. */
export const responses: ResponseRules = {
  errorBody: (fields) => [completeError, { error: { fields } }],
  isErrorBody: (value) =>
    isRecord(value) && isRecord(value.error) && typeof value.error.type === "string" && typeof value.error.code === "string",
  // ERR-TYPE-SERVER: "service-side fault or brief dependency outage"
  isFailureBody: (value) => isRecord(value) && isRecord(value.error) && value.error.type === "server_error",
  errorCode(body) {
    const code = isRecord(body) && isRecord(body.error) ? body.error.code : undefined;
    return typeof code === "string" ? code : undefined;
  },
  // MCP-RATE-SHARED: the contract does not show how the tool server refuses for the rate. A tool error, a JSON-RPC error or a 429 counts.
  isRateRefusal: (toolText) => toolText.includes("rate_limit_qps"),
  expectsRateRefusal: (fields) => /rate_limit/.test(JSON.stringify(fields)),
  isForCallerLimit,
  choiceIn: findChoice,
  page: { rows: "data", cursor: "next_cursor", parameter: "cursor", size: { parameter: "limit", max: PAGE_LIMIT } },
  secretsIn: readNewKeys,
};

/**
 * Refusals because a workspace has used up a resource: credit and budget (WORKFLOW-REFUSED-STATUS, SPEND-*), or repositories (REPO-REGISTER-CAP).
 * Each has its statuses, a test of the error, and the words by which an expectation asks for it. The order of the checks is open, but a request
 * without a key has no workspace. A 402 for a workflow that the plan excludes names the plan. A tool refuses with 200.
 */
const quotaRefusals: readonly {
  statuses: readonly number[];
  refuses: (error: Record<string, unknown>) => boolean;
  expectedBy: RegExp;
}[] = [
  {
    statuses: [402],
    refuses: ({ type, code, details, required_features }) =>
      type === "billing_error" && code !== "plan_restricted" && details === undefined && required_features === undefined,
    expectedBy: /\b402\b|billing_error|allowed_workflows|required_features|\b401\b|authentication_error/,
  },
  { statuses: [429], refuses: ({ code }) => code === "rate_limit_budget", expectedBy: /rate_limit|\b401\b|authentication_error/ },
  {
    statuses: [400, 403],
    refuses: ({ code }) => code === "plan_repo_cap_exceeded" || code === "repo_cap_exceeded",
    expectedBy: /repo_cap_exceeded|binding\.room|\b401\b|authentication_error/,
  },
];

function isForCallerLimit(
  { status, body, text: nonEmptyText }: { status: number; body: unknown; text: string },
  expectations: unknown,
): boolean {
  const error = readError(body, nonEmptyText);
  const found = error
    ? quotaRefusals.filter((quotaRefusal) => [200, ...quotaRefusal.statuses].includes(status) && quotaRefusal.refuses(error))
    : [];
  const words = JSON.stringify(expectations);
  const isExpected =
    words.includes(JSON.stringify(error?.code ?? null)) || found.some(({ expectedBy }) => expectedBy.test(words));
  return found.length > 0 && !isExpected;
}

/** Compares one response with an expectation in which variables are already replaced. */
export function matchResponseTo(expectedResponseText: ResponseText, response: WireResponse): Match {
  return expectation.matchResponse(expectedResponseText, response, responses);
}

/** Checks that a response is a complete error envelope and that the given fields match. */
export function matchError(fields: Record<string, unknown>, response: WireResponse): Match {
  return expectation.matchError(fields, response, responses);
}

/** Returns whether a response is a refusal: an HTTP error status, a JSON-RPC error or a tool error. */
export function isRefusal(response: WireResponse): boolean {
  return mcp.isRefusal(response, responses);
}

/** Returns whether a response reports a server failure, by its HTTP status or in a tool error. */
export function isFailure(response: WireResponse): boolean {
  return mcp.isFailure(response, responses);
}

/** Returns the code of an error response; undefined for other responses. */
export function readResponseErrorCode(response: WireResponse): string | undefined {
  const body = parseBodyJson(response);
  return body.ok ? responses.errorCode(body.value) : undefined;
}

/**
 * Returns the new keys in a response. KEY-CREATE-VALUE: the contract does not name the field of the key. So every string except the id and what was
 * sent counts as a secret.
 */
function readNewKeys({ request, response }: Exchange): readonly string[] {
  if (!response || response.status >= 300 || request.method !== "POST" || !/\/api\/keys(\?|$)/.test(request.url)) return [];
  const body = parseBodyJson(response);
  if (!body.ok || !isRecord(body.value)) return [];
  const sent = new TextDecoder().decode(request.body);
  return Object.entries(body.value).flatMap(([name, value]) => {
    if (typeof value !== "string" || value.length < MIN_KEY_CHARACTERS || name === "key_id" || sent.includes(value)) return [];
    return TIME_PATTERN.test(value) ? [] : [value];
  });
}
