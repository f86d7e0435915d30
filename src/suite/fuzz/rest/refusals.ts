import type { RouteName } from "../../../contract/types.js";
import type { ResponseText } from "../../../engine/scenario/format.js";
import { type TextLimit, textLimits } from "../../statements/limits.js";
import { lists } from "../../statements/lists.js";
import type { FieldFault } from "../faults/fault.js";
import { isOutside } from "../faults/text-values.js";

/** A fault of a field that the contract refuses: the route, the field, the faults, the clause, and the required response. */
interface Refusal {
  on: RouteName | readonly RouteName[];
  name: string;
  how: readonly (FieldFault | "missing")[];
  clause: string;
  expect?: ResponseText;
}

/** ERR-TYPE-VALIDATION, ERR-VALIDATION-CODE: the response to a body or query that fails validation. */
const invalidResponse: ResponseText = { status: 422, error: { type: "validation_error", code: "invalid_payload" } };
const someRefusal: ResponseText = { status: "4xx", error: {} };
const responseText: ResponseText = { status: 400, error: { type: "invalid_request_error" } };

const dismiss = "POST /api/observations/{ref}/dismiss";
const reopen = "POST /api/observations/{ref}/reopen";
const submit: RouteName = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const create: RouteName = "POST /api/keys";
const patch: RouteName = "PATCH /api/keys/{key_id}";
const observations: RouteName = "GET /api/observations";
const paginated: readonly RouteName[] = Object.values(lists).map(({ route }) => route);

/** The length-limited text of an operation's body. */
const boundedTexts = { [dismiss]: "dismissal_note", [reopen]: "reopen_reason" } as const satisfies { [R in RouteName]?: string };

const documentedRefusals: readonly Refusal[] = [
  ...([dismiss, reopen] as const).flatMap((on): Refusal[] => {
    const name = boundedTexts[on];
    const { missing, otherType, short, long } = textLimits[name].clauses;
    return [
      { on, name, how: ["missing"], clause: missing },
      { on, name, how: ["type"], clause: otherType },
      { on, name, how: ["short"], clause: short },
      { on, name, how: ["long"], clause: long },
    ];
  }),
  { on: dismiss, name: "dismissal_category", how: ["missing"], clause: "OBS-DISMISS-BOTH-REQUIRED" },
  { on: dismiss, name: "dismissal_category", how: ["type", "word"], clause: "OBS-DISMISS-CATEGORY-OTHER" },
  {
    on: dismiss,
    name: "dismissal_category",
    how: ["service word"],
    clause: "OBS-DISMISS-EXHAUSTED-REFUSED",
    expect: someRefusal,
  },
  { on: submit, name: "workflow", how: ["missing", "type"], clause: "JOB-SUBMIT-BODY-INVALID" },
  { on: submit, name: "params", how: ["type"], clause: "JOB-SUBMIT-BODY-INVALID" },
  { on: "POST /api/repos", name: "access_mode", how: ["type", "word"], clause: "REPO-REGISTER-ACCESSMODE-INVALID" },
  { on: create, name: "requests_per_minute", how: ["low", "type"], clause: "KEY-FIELD-RPM-INVALID" },
  { on: create, name: "dollars_per_hour", how: ["low"], clause: "KEY-FIELD-DOLLARS-INVALID" },
  { on: create, name: "expires_at", how: ["past"], clause: "KEY-FIELD-EXPIRES-PAST", expect: someRefusal },
  { on: create, name: "expires_at", how: ["timestamp"], clause: "ERR-TYPE-VALIDATION" },
  { on: create, name: "allowed_cidrs", how: ["address"], clause: "KEY-FIELD-CIDRS-INVALID" },
  { on: patch, name: "requests_per_minute", how: ["raised"], clause: "KEY-PATCH-RAISE", expect: responseText },
  { on: patch, name: "dollars_per_hour", how: ["raised"], clause: "KEY-PATCH-RAISE", expect: responseText },
  { on: patch, name: "requests_per_minute", how: ["cleared"], clause: "KEY-PATCH-CLEAR", expect: responseText },
  { on: patch, name: "dollars_per_hour", how: ["cleared"], clause: "KEY-PATCH-CLEAR", expect: responseText },
  { on: "GET /api/forecasts/lookup", name: "workflow", how: ["missing"], clause: "FORECAST-LOOKUP-WORKFLOW" },
  { on: paginated, name: "limit", how: ["high"], clause: "PAGE-LIMIT-OVER" },
  { on: paginated, name: "limit", how: ["type"], clause: "PAGE-LIMIT-NUMBER" },
  ...["kind", "status", "priority", "category", "close_reason", "domain", "order"].map(
    (name): Refusal => ({ on: observations, name, how: ["word"], clause: "OBS-FILTER-VALUE-OTHER" }),
  ),
  { on: observations, name: "since", how: ["timestamp"], clause: "OBS-FILTER-VALUE-OTHER" },
];

/**
 * Returns the clause and the response that the contract states for a fault of a field; undefined where it states none. A length is invalid only when
 * every way of counting agrees.
 */
export function listRefusedFields(
  route: RouteName,
  name: string,
  how: FieldFault | "missing",
  value?: unknown,
): readonly [string, ResponseText] | undefined {
  const row = documentedRefusals.find(
    (refusal) => [refusal.on].flat().includes(route) && refusal.name === name && refusal.how.includes(how),
  );
  if (!row || isOpenToInterpretation(route, name, how, value)) return undefined;
  return [row.clause, row.expect ?? invalidResponse];
}

/** Returns whether servers may disagree about a value: a length between two ways of counting, a text that some parsers read as a date, true as 1. */
function isOpenToInterpretation(route: RouteName, name: string, how: FieldFault | "missing", value: unknown): boolean {
  const limit = findTextLimit(route);
  if (limit && (how === "short" || how === "long") && typeof value === "string") return !isOutside(value, limit.min, limit.max);
  return (name === "since" && value === "20-1-1") || (name === "requests_per_minute" && value === true);
}

/** Returns the limits of the length-limited text of an operation; undefined where it has none. */
export function findTextLimit(route: RouteName): TextLimit | undefined {
  return route === dismiss || route === reopen ? textLimits[boundedTexts[route]] : undefined;
}
