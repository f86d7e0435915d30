import { type Call, isApiPath, readWord } from "../client-report/exchange.js";
import type { ClauseId } from "../contract/types.js";
import { parseBodyJson, type WireResponse } from "../engine/http/exchange.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { findRuleViolation } from "../suite/fuzz/rest/response-rules.js";
import { findSchemaMismatch } from "../suite/fuzz/rest/response-schema.js";
import { findProtocolViolation } from "../suite/fuzz/tools/tool-response.js";
import { findErrorMismatch } from "../suite/laws/error-catalogue.js";
import { findList } from "../suite/statements/lists.js";

/** The clauses that a response broke, and those that it could have broken and did not. */
export interface ResponseJudgement {
  broken: { clause: string; why: string }[];
  passed: string[];
}

/** A request that the contract refuses in every state. */
interface Refusable {
  clause: ClauseId;
  what: string;
  fits(call: Call): boolean;
}

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const dismiss = "POST /api/observations/{ref}/dismiss";
const reopen = "POST /api/observations/{ref}/reopen";
const countNoteCharacters = ({ input }: Call) => [...readWord(input.dismissal_note)].length;
const hasNote = ({ route, input }: Call) => route === dismiss && typeof input.dismissal_note === "string";
const hasKey = ({ exchange: { headers } }: Call) => headers.authorization !== undefined && headers.cookie === undefined;

const refusedRequests: readonly Refusable[] = [
  {
    clause: "AUTH-MISSING",
    what: "a request without a key",
    fits: ({ exchange: { headers } }) => headers.authorization === undefined && headers.cookie === undefined,
  },
  {
    clause: "PAGE-LIMIT-OVER",
    what: "a limit above 200",
    fits: ({ route, input }) => route !== null && findList(route) !== undefined && Number(readWord(input.limit)) > 200,
  },
  {
    clause: "WORKFLOW-MINI-RETIRED",
    what: "the retired mini_audit",
    fits: ({ route, input }) => route === submit && input.workflow === "mini_audit",
  },
  {
    clause: "OBS-DISMISS-EXHAUSTED-REFUSED",
    what: "a dismissal as exhausted_fix_attempts",
    fits: ({ route, input }) => route === dismiss && input.dismissal_category === "exhausted_fix_attempts",
  },
  {
    clause: "OBS-DISMISS-NOTE-SHORT",
    what: "a note of under 10 characters",
    fits: (call) => hasNote(call) && countNoteCharacters(call) < 10,
  },
  {
    clause: "OBS-DISMISS-NOTE-LONG",
    what: "a note of over 500 characters",
    fits: (call) => hasNote(call) && countNoteCharacters(call) > 500,
  },
  {
    clause: "OBS-REOPEN-REASON-REQUIRED",
    what: "a reopening without its reason",
    fits: ({ route, input }) => route === reopen && input.reopen_reason === undefined,
  },
  {
    clause: "KEY-MANAGE-CREATE",
    what: "a key that creates keys",
    fits: (call) => call.route === "POST /api/keys" && hasKey(call),
  },
  {
    clause: "KEY-MANAGE-PATCH",
    what: "a key that edits keys",
    fits: (call) => call.route === "PATCH /api/keys/{key_id}" && hasKey(call),
  },
];

/** Judges one response by the clauses that need no state: its form, and what the request alone decides. */
export function judgeResponse(call: Call, response: WireResponse): ResponseJudgement {
  const broken: ResponseJudgement["broken"] = [];
  const passed: string[] = [];
  const isTools = call.surface === "mcp";
  if (call.exchange.method === "HEAD" || (!isTools && !isApiPath(call.path))) return { broken, passed };
  if (isTools && !expectsResponse(call)) return { broken, passed };
  const violation = isTools ? findProtocolViolation(response) : findFormViolation(call, response);
  if (violation) for (const clause of violation.clauses) broken.push({ clause, why: violation.why });
  else {
    passed.push(...listFormClauses(isTools, response));
    const mismatchingFilter = isTools ? undefined : findErrorMismatch(response);
    if (mismatchingFilter) broken.push({ clause: mismatchingFilter.clause, why: mismatchingFilter.why });
  }
  judgeRefusal(call, response, broken, passed);
  if (!isTools && response.status === 200) judgePage(call, response, broken, passed);
  return { broken, passed };
}

/** Tells whether a message to the tool server gets a message back: a notification, a listening GET and a DELETE do not. */
function expectsResponse({ exchange: { method, body } }: Call): boolean {
  return method === "POST" && (body === undefined || (isRecord(body) && "id" in body && "method" in body));
}

/** Judges a response by its schema. A 5xx has the schema of an error. */
function findFormViolation({ route }: Call, response: WireResponse) {
  if (response.status >= 500) return undefined;
  return findRuleViolation(response) ?? (route === null ? undefined : findSchemaMismatch(route, response));
}

function listFormClauses(isTools: boolean, { status, body }: WireResponse): ClauseId[] {
  if (isTools) return status === 200 ? ["MCP-HEADER-ACCEPT"] : [];
  if (status >= 500) return [];
  return [
    ...(body.length > 0 ? (["GEN-JSON-RESPONSE"] as const) : []),
    ...(status >= 400 ? (["ERR-ENVELOPE-ONE", "ERR-TYPE-PAIRS"] as const) : []),
    ...(status === 429 ? (["RETRY-AFTER-429"] as const) : []),
  ];
}

function judgeRefusal(call: Call, { status }: WireResponse, broken: ResponseJudgement["broken"], passed: string[]): void {
  if (call.isTool || status === 307) return;
  for (const { clause, what: requestDescription, fits } of refusedRequests) {
    if (!fits(call)) continue;
    if (status < 300) broken.push({ clause, why: `${requestDescription} was answered with ${status}` });
    else if (status >= 400 && status < 429) passed.push(clause);
  }
}

/** Judges the rows of a page by the request's filters and limit. */
function judgePage(call: Call, response: WireResponse, broken: ResponseJudgement["broken"], passed: string[]): void {
  const listStatement = call.route === null ? undefined : findList(call.route);
  const body = parseBodyJson(response);
  if (!listStatement || !body.ok || !isRecord(body.value) || !Array.isArray(body.value.data)) return;
  const rows = body.value.data.filter(isRecord);
  const limit = Number(readWord(call.input.limit ?? listStatement.defaultLimit));
  const addResult = (clause: string, why: string | undefined) =>
    why === undefined ? passed.push(clause) : broken.push({ clause, why });
  const limitClause = call.input.limit === undefined ? "PAGE-DEFAULT-OBS" : "PAGE-LIMIT-HELD";
  if (limit >= 1) addResult(limitClause, rows.length > limit ? `${rows.length} rows for a limit of ${limit}` : undefined);
  for (const [name, { field, clause }] of Object.entries(listStatement.parameters)) {
    const requested = call.input[name];
    if (field === undefined || typeof requested !== "string" || rows.length === 0) continue;
    const other = rows.find((row) => row[field] !== requested);
    addResult(clause, other && `a row with ${field} ${JSON.stringify(other[field])}, for a request with ${name}=${requested}`);
  }
}
