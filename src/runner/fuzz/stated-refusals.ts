import type { ClauseId, RouteName } from "../../contract/types.js";
import type { AnswerText } from "../scenario/format.js";
import type { Wrong } from "./fault.js";
import { isOutside } from "./texts.js";

/** A fault of a field that the text refuses: where it stands, how it is wrong, the clause, and what the answer must show. */
interface Refusal {
  on: RouteName | readonly RouteName[];
  name: string;
  how: readonly (Wrong | "missing")[];
  clause: ClauseId;
  expect?: AnswerText;
}

/** ERR-TYPE-VALIDATION, ERR-VALIDATION-CODE: how a body or query that fails validation is answered. */
const invalid: AnswerText = { status: 422, error: { type: "validation_error", code: "invalid_payload" } };
const someRefusal: AnswerText = { status: "4xx", error: {} };
const raised: AnswerText = { status: 400, error: { type: "invalid_request_error" } };

const dismiss: RouteName = "POST /api/observations/{ref}/dismiss";
const reopen: RouteName = "POST /api/observations/{ref}/reopen";
const submit: RouteName = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const create: RouteName = "POST /api/keys";
const patch: RouteName = "PATCH /api/keys/{key_id}";
const observations: RouteName = "GET /api/observations";
/** The lists that the text calls paginated; of the others' shape and parameters it says nothing. */
export const paginated: readonly RouteName[] = [
  "GET /api/repos/{owner}/{repo}/{branch}/jobs",
  "GET /api/jobs",
  "GET /api/repos",
  "GET /api/observations",
];

const refusals: readonly Refusal[] = [
  { on: dismiss, name: "dismissal_category", how: ["missing"], clause: "OBS-DISMISS-BOTH-REQUIRED" },
  { on: dismiss, name: "dismissal_note", how: ["missing"], clause: "OBS-DISMISS-BOTH-REQUIRED" },
  { on: dismiss, name: "dismissal_category", how: ["type", "word"], clause: "OBS-DISMISS-CATEGORY-OTHER" },
  {
    on: dismiss,
    name: "dismissal_category",
    how: ["service word"],
    clause: "OBS-DISMISS-EXHAUSTED-REFUSED",
    expect: someRefusal,
  },
  { on: dismiss, name: "dismissal_note", how: ["type"], clause: "OBS-DISMISS-NOTE-STRING" },
  { on: dismiss, name: "dismissal_note", how: ["short"], clause: "OBS-DISMISS-NOTE-SHORT" },
  { on: dismiss, name: "dismissal_note", how: ["long"], clause: "OBS-DISMISS-NOTE-LONG" },
  { on: reopen, name: "reopen_reason", how: ["missing"], clause: "OBS-REOPEN-REASON-REQUIRED" },
  { on: reopen, name: "reopen_reason", how: ["type"], clause: "OBS-REOPEN-REASON-STRING" },
  { on: reopen, name: "reopen_reason", how: ["short"], clause: "OBS-REOPEN-REASON-EMPTY" },
  { on: reopen, name: "reopen_reason", how: ["long"], clause: "OBS-REOPEN-REASON-LONG" },
  { on: submit, name: "workflow", how: ["missing", "type"], clause: "JOB-SUBMIT-BODY-INVALID" },
  { on: submit, name: "params", how: ["type"], clause: "JOB-SUBMIT-BODY-INVALID" },
  { on: "POST /api/repos", name: "access_mode", how: ["type", "word"], clause: "REPO-REGISTER-ACCESSMODE-INVALID" },
  { on: create, name: "requests_per_minute", how: ["low", "type"], clause: "KEY-FIELD-RPM-INVALID" },
  { on: create, name: "dollars_per_hour", how: ["low"], clause: "KEY-FIELD-DOLLARS-INVALID" },
  { on: create, name: "expires_at", how: ["past"], clause: "KEY-FIELD-EXPIRES-PAST" },
  { on: create, name: "expires_at", how: ["timestamp"], clause: "ERR-TYPE-VALIDATION" },
  { on: create, name: "allowed_cidrs", how: ["address"], clause: "KEY-FIELD-CIDRS-INVALID" },
  { on: patch, name: "requests_per_minute", how: ["raised"], clause: "KEY-PATCH-RAISE", expect: raised },
  { on: patch, name: "dollars_per_hour", how: ["raised"], clause: "KEY-PATCH-RAISE", expect: raised },
  { on: patch, name: "requests_per_minute", how: ["cleared"], clause: "KEY-PATCH-CLEAR", expect: raised },
  { on: patch, name: "dollars_per_hour", how: ["cleared"], clause: "KEY-PATCH-CLEAR", expect: raised },
  { on: "GET /api/forecasts/lookup", name: "workflow", how: ["missing"], clause: "FORECAST-LOOKUP-WORKFLOW" },
  { on: paginated, name: "limit", how: ["high"], clause: "PAGE-LIMIT-OVER" },
  { on: paginated, name: "limit", how: ["type"], clause: "PAGE-LIMIT-NUMBER" },
  ...["kind", "status", "priority", "category", "close_reason", "domain", "order"].map(
    (name): Refusal => ({ on: observations, name, how: ["word"], clause: "OBS-FILTER-VALUE-OTHER" }),
  ),
  { on: observations, name: "since", how: ["timestamp"], clause: "OBS-FILTER-VALUE-OTHER" },
];

/** What the text says of this fault of this field; undefined where it says nothing. A length is only out of bounds if it is so by either way of counting. */
export function refusedFields(
  route: RouteName,
  name: string,
  how: Wrong | "missing",
  value?: unknown,
): readonly [ClauseId, AnswerText] | undefined {
  const row = refusals.find((one) => [one.on].flat().includes(route) && one.name === name && one.how.includes(how));
  if (!row || isArguable(route, name, how, value)) return undefined;
  return [row.clause, row.expect ?? invalid];
}

/** What one reader refuses and another may not: a length between two ways of counting, a word that some date is, true for 1. */
function isArguable(route: RouteName, name: string, how: Wrong | "missing", value: unknown): boolean {
  if ((how === "short" || how === "long") && typeof value === "string")
    return !(route === dismiss ? isOutside(value, 10, 500) : isOutside(value, 1, 2000));
  return (name === "since" && value === "20-1-1") || (name === "requests_per_minute" && value === true);
}
