import type { ClauseId, RouteName } from "../../contract/types.js";
import type { AnswerText } from "../scenario/format.js";
import { type Fault, notJson } from "./fault.js";
import type { Operation } from "./operation.js";
import { paginated, refusedFields } from "./stated-refusals.js";
import { isPrintable, isWithin } from "./texts.js";

/** What the text says of the answer to a request; where it says nothing, any lawful answer will do. */
export type Stated =
  | { must: "be lawful" }
  | { must: "be accepted"; clauses: ClauseId[] }
  | { must: "be refused"; clauses: ClauseId[]; expect: AnswerText; schemaLevel: boolean };

const open: Stated = { must: "be lawful" };

const dismiss: RouteName = "POST /api/observations/{ref}/dismiss";
const reopen: RouteName = "POST /api/observations/{ref}/reopen";
const complete: RouteName = "POST /api/observations/{ref}/complete";

/** What the text says of this fault in a request of this operation. */
export function statedOf(operation: Operation, fault: Fault): Stated {
  switch (fault.kind) {
    case "none":
      return acceptance(accepted[operation.route]);
    case "missing":
      return refusal(refusedFields(operation.route, fault.name, "missing"), true);
    case "wrong":
      return refusal(refusedFields(operation.route, fault.name, fault.how, fault.value), fault.how === "type");
    case "edge":
      return acceptance(edgeClause(operation.route, fault.name, fault.value));
    case "text":
      return ofText(operation.route, fault.name, fault.value);
    case "method":
      // by which method the document is asked for on the API host is not said
      return operation.bySession || operation.route === "GET /api/openapi.json"
        ? open
        : refusal(["ERR-TYPE-FALLBACK-405", { status: 405, error: { type: "invalid_request_error" } }]);
    case "unknown":
      return refusal([unknownClause(operation, fault.name), { status: 404, error: { type: "not_found" } }]);
    case "content":
      return notJson.includes(fault.how) && operation.body?.needed
        ? refusal(["ERR-TYPE-MALFORMED", { status: [400, 422], error: {} }])
        : open;
    case "credential":
      return ofCredential(operation, fault.value === null);
    case "extra": // ERR-BODY-EXTRA, OBS-LIST-DEFAULT-STATUS: what becomes of it is not said
    case "twice": // ERR-VALIDATION-REPEATED
    case "segment":
    case "header": // ERR-TYPE-415-WHEN
      return open;
    default:
      return fault satisfies never;
  }
}

/** Operations whose valid requests must be let in; of the others a state, a plan or a spare name decides. */
const accepted: { [R in RouteName]?: ClauseId } = {
  "GET /api/repos/{owner}/{repo}/{branch}/jobs": "JOB-LIST-REPO-ROUTE",
  "GET /api/jobs": "JOB-LIST-WORKSPACE-ROUTE",
  "GET /api/jobs/{job_id}": "JOB-GET-ROUTE",
  "POST /api/jobs/{job_id}/cancel": "JOB-CANCEL-PENDING",
  "GET /api/repos": "REPO-LIST-ROUTE",
  "GET /api/repos/{owner}/{repo}/{branch}": "REPO-GET-ROUTE",
  "DELETE /api/repos/{owner}/{repo}/{branch}": "REPO-DELETE-ROUTE",
  "GET /api/repos/{owner}/{repo}/{branch}/discovery": "REPO-READ-DISCOVERY",
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge": "REPO-READ-KNOWLEDGE",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs": "REPO-READ-FIXPRS",
  "GET /api/repos/{owner}/{repo}/{branch}/forecasts": "FORECAST-REPO-ROUTE",
  "GET /api/forecasts/lookup": "FORECAST-LOOKUP-ROUTE",
  "GET /api/observations": "OBS-FILTER-COMBINE",
  "GET /api/observations/{ref}": "OBS-GET-ROUTE",
  [dismiss]: "OBS-DISMISS-CLOSES",
  [reopen]: "OBS-REOPEN-OPENS",
  [complete]: "OBS-COMPLETE-CLOSES",
  "POST /api/observations/{ref}/acknowledge": "OBS-ACK-STAMPS",
  "POST /api/keys": "KEY-FIELD-OPTIONAL",
  "PATCH /api/keys/{key_id}": "KEY-PATCH-LOWER",
};

function acceptance(clause: ClauseId | undefined): Stated {
  return clause === undefined ? open : { must: "be accepted", clauses: [clause] };
}

function refusal(row: readonly [ClauseId | undefined, AnswerText] | undefined, schemaLevel = false): Stated {
  return row?.[0] === undefined ? open : { must: "be refused", clauses: [row[0]], expect: row[1], schemaLevel };
}

function edgeClause(route: RouteName, name: string, value: unknown): ClauseId | undefined {
  if (name === "limit") return paginated.includes(route) ? "PAGE-MAX" : undefined;
  if (route === dismiss && name === "dismissal_category") return "OBS-DISMISS-CATEGORY-ENUM";
  const text = String(value);
  const isLeast = [...text].length <= 10;
  if (route === dismiss && isWithin(text, 10, 500)) return isLeast ? "OBS-DISMISS-NOTE-MIN" : "OBS-DISMISS-NOTE-MAX";
  if (route === reopen && isWithin(text, 1, 2000)) return isLeast ? "OBS-REOPEN-REASON-MIN" : "OBS-REOPEN-REASON-MAX";
  if (route === "POST /api/keys" && name === "requests_per_minute") return "KEY-FIELD-RPM";
  return route === "GET /api/observations" ? filterClause(name) : undefined;
}

function filterClause(name: string): ClauseId | undefined {
  const clauses: Readonly<Record<string, ClauseId>> = {
    kind: "OBS-FILTER-KIND",
    status: "OBS-FILTER-STATUS",
    priority: "OBS-FILTER-PRIORITY",
    category: "OBS-FILTER-CATEGORY",
    close_reason: "OBS-FILTER-CLOSEREASON",
    domain: "OBS-FILTER-DOMAIN",
    order: "OBS-ORDER-RANK-SET",
    include: "OBS-FIELD-LOCATIONS-ITEM",
    has_fix_pr: "OBS-FILTER-FIXPR-FALSE",
  };
  return clauses[name];
}

/** A text within its bounds is taken; whether one with characters that do not show is, is not said. */
function ofText(route: RouteName, name: string, text: string): Stated {
  // CURSOR-FORGED: a cursor that nobody handed out
  if (name === "cursor") return paginated.includes(route) ? refusal(["CURSOR-FORGED", { status: "4xx", error: {} }]) : open;
  if (!isPrintable(text)) return open;
  if (route === dismiss) return isWithin(text, 10, 500) ? acceptance("OBS-DISMISS-CLOSES") : open;
  if (route === reopen) return isWithin(text, 1, 2000) ? acceptance("OBS-REOPEN-OPENS") : open;
  return route === complete && name === "note" && text.length <= 200 ? acceptance("OBS-COMPLETE-BODY") : open;
}

function unknownClause({ route, method }: Operation, name: string): ClauseId {
  if (name === "job_id") return "JOB-ID-UNKNOWN";
  if (name === "ref") return "OBS-REF-UNKNOWN";
  if (name === "key_id") return "KEY-PATCH-UNKNOWN";
  return method === "GET" || route.endsWith("forecasts") ? "REPO-READ-UNKNOWN" : "REPO-WRITE-UNKNOWN";
}

/** Without a sign-in, or with a key, nobody manages keys: 401 or 403. Everywhere else what is no key is 401. */
function ofCredential({ route, bySession }: Operation, isMissing: boolean): Stated {
  if (bySession)
    return refusal([route === "POST /api/keys" ? "KEY-MANAGE-CREATE" : "KEY-MANAGE-PATCH", { status: [401, 403], error: {} }]);
  const expect = { status: 401, error: { type: "authentication_error" } };
  if (route === "GET /api/openapi.json" && isMissing) return refusal(["DOCS-GATE-UNAUTH", expect]);
  return refusal([isMissing ? "AUTH-MISSING" : "AUTH-MALFORMED", expect]);
}
