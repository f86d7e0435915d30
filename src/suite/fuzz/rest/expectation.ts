import type { ClauseId, RouteName } from "../../../contract/types.js";
import type { ResponseText } from "../../../engine/scenario/format.js";
import { findJobTransition } from "../../statements/jobs.js";
import { findList, findObservationParameter } from "../../statements/lists.js";
import { findTriageAction, findTriageStatement } from "../../statements/observations.js";
import { findRouteStatement } from "../../statements/routes.js";
import { type Fault, invalidJsonContents } from "../faults/fault.js";
import type { Operation } from "../faults/operation.js";
import { isPrintable, isWithin } from "../faults/text-values.js";
import { findTextLimit, listRefusedFields } from "./refusals.js";

/** The statements of the contract about the response to a request. Without a statement, any conforming response is valid. */
export type Expectation =
  | { must: "conform" }
  | { must: "be accepted"; clauses: string[] }
  | { must: "be refused"; clauses: string[]; expect: ResponseText; schemaLevel: boolean };

const openExpectation: Expectation = { must: "conform" };

const dismiss: RouteName = "POST /api/observations/{ref}/dismiss";
const cancelRoute: RouteName = "POST /api/jobs/{job_id}/cancel";
const observations: RouteName = "GET /api/observations";
const completeRoute: RouteName = "POST /api/observations/{ref}/complete";

/** Returns what the contract states about a fault in a request of an operation. */
export function createExpectation(operation: Operation, fault: Fault): Expectation {
  switch (fault.kind) {
    case "none":
      return expectAcceptance(findServedClause(operation.route));
    case "missing":
      return expectRefusal(listRefusedFields(operation.route, fault.name, "missing"), true);
    case "wrong":
      return expectRefusal(listRefusedFields(operation.route, fault.name, fault.how, fault.value), fault.how === "type");
    case "edge":
      return expectAcceptance(findEdgeClause(operation.route, fault.name, fault.value));
    case "text":
      return expectText(operation.route, fault.name, fault.value);
    case "method":
      // a server may have other routes, and may answer with any conforming error
      return openExpectation;
    case "unknown":
      return expectUnknownId(operation, fault.name);
    case "content":
      return invalidJsonContents.includes(fault.how) && operation.body?.needed
        ? expectRefusal(["ERR-TYPE-MALFORMED", { status: [400, 422], error: {} }])
        : openExpectation;
    case "credential":
      return expectCredential(operation, fault.value === null);
    case "extra": // ERR-BODY-EXTRA, OBS-LIST-DEFAULT-STATUS: the result is open
    case "twice": // ERR-VALIDATION-REPEATED
    case "segment":
    case "header": // ERR-TYPE-415-WHEN
      return openExpectation;
    default:
      return fault satisfies never;
  }
}

/** Returns the clause that requires the server to accept a valid request. Acceptance of other operations depends on a state, a plan or a free name. */
function findServedClause(route: RouteName): string | undefined {
  const act = findTriageAction(route);
  if (act === "acknowledge") return undefined; // OBS-ACK-AGAIN: the server may refuse a repetition
  if (act) return findTriageStatement(act).clause;
  return route === cancelRoute ? findJobTransition("pending", "cancel")?.clause : findRouteStatement(route).servedClause;
}

function expectAcceptance(clause: string | undefined): Expectation {
  return clause === undefined ? openExpectation : { must: "be accepted", clauses: [clause] };
}

function expectRefusal(row: readonly [string | undefined, ResponseText] | undefined, schemaLevel = false): Expectation {
  return row?.[0] === undefined ? openExpectation : { must: "be refused", clauses: [row[0]], expect: row[1], schemaLevel };
}

function findEdgeClause(route: RouteName, name: string, value: unknown): string | undefined {
  if (name === "limit") return findList(route) && "PAGE-MAX";
  if (route === dismiss && name === "dismissal_category") return "OBS-DISMISS-CATEGORY-ENUM";
  if (route === "POST /api/keys" && name === "requests_per_minute") return "KEY-FIELD-RPM";
  if (route === observations) return findObservationParameter(name).clause;
  const limit = findTextLimit(route);
  const text = String(value);
  if (!limit || !isWithin(text, limit.min, limit.max)) return undefined;
  return [...text].length <= limit.min ? limit.clauses.min : limit.clauses.max;
}

/** Requires that a text within its limits is accepted. Texts with invisible characters are open. */
function expectText(route: RouteName, name: string, text: string): Expectation {
  // CURSOR-FORGED: a cursor that no server issued
  if (name === "cursor")
    return findList(route) ? expectRefusal(["CURSOR-FORGED", { status: "4xx", error: {} }]) : openExpectation;
  if (!isPrintable(text)) return openExpectation;
  const limit = findTextLimit(route);
  if (limit) return isWithin(text, limit.min, limit.max) ? expectAcceptance(findServedClause(route)) : openExpectation;
  return route === completeRoute && name === "note" && text.length <= 200
    ? expectAcceptance("OBS-COMPLETE-BODY")
    : openExpectation;
}

/** REPO-RESET-TYPES, OBS-ACTION-BODIES: the body of a reset and of a ticket is not shown, and the order of two refusals is open. */
function expectUnknownId(operation: Operation, name: string): Expectation {
  const clause = findUnknownClause(operation, name);
  return /\/(reset|publish-ticket)$/.test(operation.route)
    ? expectRefusal([clause, { status: [404, 422], error: {} }])
    : expectRefusal([clause, { status: 404, error: { type: "not_found" } }]);
}

function findUnknownClause({ route, method }: Operation, name: string): ClauseId {
  if (name === "job_id") return "JOB-ID-UNKNOWN";
  if (name === "ref") return "OBS-REF-UNKNOWN";
  if (name === "key_id") return "KEY-PATCH-UNKNOWN";
  return method === "GET" || route.endsWith("forecasts") ? "REPO-READ-UNKNOWN" : "REPO-WRITE-UNKNOWN";
}

/** Expects 401 or 403 for key management without a session, and 401 for any other request without a valid key. */
function expectCredential({ route, bySession }: Operation, isMissing: boolean): Expectation {
  if (bySession)
    return expectRefusal([
      route === "POST /api/keys" ? "KEY-MANAGE-CREATE" : "KEY-MANAGE-PATCH",
      { status: [401, 403], error: {} },
    ]);
  const expect = { status: 401, error: { type: "authentication_error" } };
  if (route === "GET /api/openapi.json" && isMissing) return expectRefusal(["DOCS-GATE-UNAUTH", expect]);
  return expectRefusal([isMissing ? "AUTH-MISSING" : "AUTH-MALFORMED", expect]);
}
