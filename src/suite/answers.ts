import * as expectation from "../engine/execute/expect/answer.js";
import type { Match } from "../engine/execute/expect/match.js";
import type { AnswerRules } from "../engine/http/answer-rules.js";
import { bodyJson, type Exchange, type WireResponse } from "../engine/http/exchange.js";
import * as mcp from "../engine/http/mcp.js";
import type { AnswerText } from "../engine/scenario/format.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { PAGE_LIMIT } from "./statements/lists.js";

const text = { type: "string", matches: "\\S" };
/** ERR-ENVELOPE-ONE: four strings that say something. */
const wholeError = { error: { fields: { type: text, code: text, message: text, request_id: text } } };

/** A value that must have been told by the server to be a key: shorter strings are words, dates or names. */
const SHORTEST_KEY = 16;

/** What this contract says of the form of its answers. */
export const answers: AnswerRules = {
  errorBody: (fields) => [wholeError, { error: { fields } }],
  isErrorBody: (value) =>
    isRecord(value) && isRecord(value.error) && typeof value.error.type === "string" && typeof value.error.code === "string",
  // ERR-TYPE-SERVER: "service-side fault or brief dependency outage"
  isFailureBody: (value) => isRecord(value) && isRecord(value.error) && value.error.type === "server_error",
  errorCode(body) {
    const code = isRecord(body) && isRecord(body.error) ? body.error.code : undefined;
    return typeof code === "string" ? code : undefined;
  },
  // MCP-RATE-SHARED: the form of a rate refusal is not said, so one inside a tool error or a JSON-RPC error counts as well as a 429.
  isRateRefusal: (said) => said.includes("rate_limit_qps"),
  expectsRateRefusal: (fields) => /rate_limit/.test(JSON.stringify(fields)),
  isForCallerLimit,
  page: { rows: "data", cursor: "next_cursor", parameter: "cursor", size: { parameter: "limit", most: PAGE_LIMIT } },
  secretsIn: newKeysIn,
};

/**
 * What a workspace may have used up: its credit and budget (WORKFLOW-REFUSED-STATUS, SPEND-*), the room that its plan has for repositories
 * (REPO-REGISTER-CAP), by the codes of the refusal and the words of an expectation that is after it. The order of the gates is open; but a
 * request without a key has no workspace. A 402 for what the plan leaves out names that. A tool refuses with 200.
 */
const circumstances: readonly {
  statuses: readonly number[];
  refuses: (error: Record<string, unknown>) => boolean;
  spokenOf: RegExp;
}[] = [
  {
    statuses: [402],
    refuses: ({ type, code, details, required_features }) =>
      type === "billing_error" && code !== "plan_restricted" && details === undefined && required_features === undefined,
    spokenOf: /\b402\b|billing_error|allowed_workflows|required_features|\b401\b|authentication_error/,
  },
  { statuses: [429], refuses: ({ code }) => code === "rate_limit_budget", spokenOf: /rate_limit|\b401\b|authentication_error/ },
  {
    statuses: [400, 403],
    refuses: ({ code }) => code === "plan_repo_cap_exceeded" || code === "repo_cap_exceeded",
    spokenOf: /repo_cap_exceeded|binding\.room|\b401\b|authentication_error/,
  },
];

function isForCallerLimit({ status, body }: { status: number; body: unknown }, expectations: unknown): boolean {
  const error = isRecord(body) && isRecord(body.error) ? body.error : undefined;
  const found = error ? circumstances.filter((one) => [200, ...one.statuses].includes(status) && one.refuses(error)) : [];
  const words = JSON.stringify(expectations);
  const isMeant = words.includes(JSON.stringify(error?.code ?? null)) || found.some(({ spokenOf }) => spokenOf.test(words));
  return found.length > 0 && !isMeant;
}

/** Compares one answer with what is expected of it (variables already filled in). */
export function matchAnswer(expected: AnswerText, response: WireResponse): Match {
  return expectation.matchAnswer(expected, response, answers);
}

/** Checks that an answer is a whole error envelope and that the given fields match. */
export function matchError(fields: Record<string, unknown>, response: WireResponse): Match {
  return expectation.matchError(fields, response, answers);
}

/** Whether an answer refuses, in whichever form: by its HTTP status, as a JSON-RPC error or as a tool error. */
export function isRefusal(response: WireResponse): boolean {
  return mcp.isRefusal(response, answers);
}

/** Whether an answer says that the server failed, by its HTTP status or in a tool error. */
export function isFailure(response: WireResponse): boolean {
  return mcp.isFailure(response, answers);
}

/** KEY-CREATE-VALUE: the answer holds the full key, in a field the text does not name; so every string but the id and what we sent is secret. */
function newKeysIn({ request, response }: Exchange): readonly string[] {
  if (!response || response.status >= 300 || request.method !== "POST" || !/\/api\/keys(\?|$)/.test(request.url)) return [];
  const body = bodyJson(response);
  if (!body.ok || !isRecord(body.value)) return [];
  const sent = new TextDecoder().decode(request.body);
  return Object.entries(body.value).flatMap(([name, value]) => {
    if (typeof value !== "string" || value.length < SHORTEST_KEY || name === "key_id" || sent.includes(value)) return [];
    return Number.isNaN(Date.parse(value)) ? [value] : [];
  });
}
