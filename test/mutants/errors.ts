import { contract } from "../../src/contract/load.js";
import type { ClauseId, ErrorCode } from "../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import type { World } from "../../src/service/world/world.js";
import { changeMatchingResponses, mutantPerValue, wrapTool } from "./family.js";
import { useOtherWorkspaceSession } from "./helpers/repositories.js";
import { isRefusedByLimit } from "./helpers/responses.js";
import { fixRoute, submitRoute } from "./helpers/routes.js";
import {
  getBody,
  getObservation,
  getRoute,
  type Mutant,
  type WrapCall,
  withError,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

/** An error code and how the mock changes its refusals, all or those that `isMeant` selects. */
type Row = [breaks: ClauseId, code: ErrorCode, told: Told, isMeant?: (call: IncomingCall, response: ServiceResponse) => boolean];

const rows: Row[] = [
  ["ERR-ENVELOPE-TYPE", "insufficient_scope", { type: "scope_error" }],
  ["ERR-ENVELOPE-TYPE", "feature_not_enabled", { type: "beta_error" }],
  ["ERR-ENVELOPE-TYPE", "not_found", { type: "missing" }, isJobRead],
  ["ERR-ENVELOPE-TYPE", "method_not_allowed", { type: "method_error" }],
  ["ERR-ENVELOPE-TYPE", "invalid_cursor", { type: "cursor_error" }],
  ["ERR-TYPE-422", "invalid_payload", { type: "billing_error" }, isRetired],
  ["ERR-TYPE-422", "invalid_payload", { type: "rate_limit_error" }, isLimited],
  ["ERR-TYPE-PAIRS", "missing_key", { type: "permission_error" }],
  ["ERR-TYPE-PAIRS", "insufficient_scope", { type: "authentication_error" }],
  ["ERR-TYPE-PAIRS", "not_found", { type: "invalid_request_error" }],
  ["ERR-TYPE-PAIRS", "not_found", { status: 410 }],
  ["ERR-TYPE-PAIRS", "repo_already_registered", { status: 400 }],
  ["ERR-TYPE-PAIRS", "method_not_allowed", { type: "not_found" }],
  ["ERR-TYPE-PAIRS", "invalid_cursor", { type: "validation_error" }],
  ["ERR-TYPE-PAIRS", "invalid_payload", { type: "conflict" }, isRetired],
  ["ERR-TYPE-PAIRS", "plan_restricted", { type: "permission_error" }],
  ["ERR-TYPE-PAIRS", "service_unavailable", { type: "invalid_request_error" }],
  ["ERR-TYPE-PAIRS", "payload_too_large", { type: "validation_error" }],
  ["ERR-TYPE-VALIDATION", "invalid_payload", { type: "invalid_request_error" }],
  ["ERR-TYPE-INVALID", "invalid_cursor", { type: "conflict" }],
  ["ERR-TYPE-INVALID", "invalid_cursor", { status: 409 }],
  ["ERR-TYPE-INVALID", "observation_not_fixable", { status: 409 }],
  ["ERR-TYPE-INVALID", "no_ticket_integration", { status: 404 }],
  ["ERR-TYPE-MALFORMED", "bad_request", { status: 415 }],
  ["ERR-TYPE-FALLBACK-405", "method_not_allowed", { type: "validation_error" }],
  ["ERR-TYPE-FALLBACK-415", "unsupported_media_type", { type: "validation_error" }],
  ["ERR-TYPE-FALLBACK", "method_not_allowed", { type: "conflict" }],
  ["ERR-TYPE-AUTHENTICATION", "workspace_suspended", { type: "permission_error" }],
  ["ERR-TYPE-PERMISSION", "insufficient_scope", { type: "not_found", status: 404 }],
  ["ERR-TYPE-BILLING", "workflow_not_entitled", { type: "permission_error", status: 403 }],
  ["ERR-TYPE-CONFLICT", "repo_already_registered", { status: 400 }],
  ["ERR-TYPE-CONFLICT", "repo_already_registered", { type: "invalid_request_error" }],
  ["ERR-TYPE-SERVER", "service_unavailable", { type: "conflict" }],
  ["ERR-CODE-TOO-LARGE", "payload_too_large", { status: 400 }],
  ["ERR-CODE-PLAN", "plan_restricted", { type: "permission_error", status: 403 }],
  ["ERR-CODE-FEATURES", "plan_restricted", { required_features: [] }],
  ["ERR-CODE-FEATURES", "plan_restricted", { required_features: undefined }],
  ["ERR-VALIDATION-CODE", "invalid_payload", { code: "invalid_params" }, isSemantic],
  ["ERR-VALIDATION-ERRORS", "invalid_payload", { errors: { limit: "Too high." } }, isLimited],
  ["AUTH-MISSING", "missing_key", { status: 403 }],
];

/** The changes of a refusal: its status, and fields of its error object. */
interface Told {
  status?: number;
  [field: string]: unknown;
}

/** The error codes of each kind of refusal, by the word of the contract. */
const codesOf: Record<string, readonly ErrorCode[]> = {
  missing: ["missing_key"],
  malformed: ["malformed_key", "invalid_key"],
  expired: ["expired_key"],
  revoked: ["revoked_key"],
  network: ["network_not_allowed"],
  suspended: ["workspace_suspended"],
  scope: ["insufficient_scope"],
  delete_repo: ["permission_denied"],
  workflow: ["workflow_not_entitled"],
  credit: ["insufficient_credit"],
  document: ["plan_restricted"],
};

const workflowFiles: Record<string, RegExp> = {
  yml: /workflows\/[^/]+\.yml$/,
  yaml: /workflows\/[^/]+\.yaml$/,
  "other extension": /workflows\/[^/]+\.(?!ya?ml$)[^./]+$/,
  "no extension": /workflows\/[^./]+$/,
  "in a folder": /workflows\/[^/]+\/./,
};

/** Mutants that break a clause of ERR-CODE-*, ERR-ENVELOPE-*, ERR-TYPE-* or ERR-VALIDATION-*. */
export const errorsMutants: Mutant[] = [
  ...rows.map(([breaks, code, { status, ...error }, isMeant = () => true]) => ({
    name: `answers ${code} with ${JSON.stringify({ status, ...error })} instead of its own (${breaks})`,
    breaks,
    around: changeMatchingResponses(
      (response, call) => response.rule.code === code && isMeant(call, response),
      (response) => ({ ...withError(response, error), status: status ?? response.status }),
    ),
  })),
  ...["type", "code", "message", "request_id"].flatMap((field) =>
    mutantPerValue("ERR-ENVELOPE-ONE", "error status", `answers a * without its ${field} instead of with it`, (status) =>
      changeRefusals(ofStatus(status), { [field]: undefined }),
    ),
  ),
  ...mutantPerValue("ERR-ENVELOPE-ONE", "error status", "answers a * with plain text instead of the error envelope", (status) =>
    changeMatchingResponses(ofStatus(status), (response) => ({ ...response, body: { detail: "No." } })),
  ),
  ...mutantPerValue(
    "ERR-ENVELOPE-TYPE",
    "error status",
    "answers a * with an unknown type instead of its stated type",
    (status) => changeRefusals(ofStatus(status), { type: `error_${status}` }),
  ),
  ...mutantPerValue(
    "ERR-TYPE-PAIRS",
    "error status",
    "answers a * with the type of another status instead of its own",
    (status) => changeRefusals(ofStatus(status), { type: status === "409" ? "server_error" : "conflict" }),
  ),
  ...mutantPerValue("ERR-TYPE-422", "cause of a 422", "answers 422 with a conflict type instead of its own: *", (cause) =>
    changeRefusals((response, call) => getCause(response, call) === cause, { type: "conflict" }),
  ),
  ...mutantPerValue(
    "ERR-TYPE-VALIDATION",
    "route with validation",
    "answers 400 to a failed validation on * instead of 422",
    (route) => wrapRoute(route, changeRefusals(ofSchema, { status: 400, type: "invalid_request_error" })),
  ),
  ...mutantPerValue(
    "ERR-VALIDATION-CODE",
    "route with validation",
    "answers a failed validation on * with an unknown code instead of the stated code",
    (route) => wrapRoute(route, changeRefusals(ofSchema, { code: "invalid_input" })),
  ),
  ...mutantPerValue(
    "ERR-VALIDATION-ERRORS",
    "route with validation",
    "answers a failed validation on * without a list of errors instead of with it",
    (route) => wrapRoute(route, changeRefusals(ofSchema, { errors: undefined })),
  ),
  ...mutantPerValue(
    "ERR-TYPE-MALFORMED",
    "route with a JSON body",
    "answers 500 to a body that is not JSON on * instead of 400",
    (route) =>
      wrapRoute(
        route,
        changeRefusals(({ rule }) => rule.code === "bad_request" && rule.gate === "body", { status: 500, type: "server_error" }),
      ),
  ),
  ...mutantPerValue(
    "ERR-CODE-INVALID",
    "invalid request code",
    "answers * with another type instead of invalid_request_error",
    (code) => changeRefusals(ofCode(code), { type: "permission_error" }),
  ),
  ...(["bad_request", "payload_too_large", "observation_not_fixable"] as const).map((code): Mutant => {
    const around = changeRefusals(ofCode(code), { type: "validation_error" });
    return { name: `answers ${code} with another type instead of its own`, breaks: "ERR-CODE-INVALID", around };
  }),
  ...mutantPerValue(
    "ERR-CODE-PERMISSION",
    "permission code",
    "answers * with billing_error instead of permission_error",
    (code) => changeRefusals(ofCode(code), { type: "billing_error" }),
  ),
  ...mutantPerValue("ERR-TYPE-AUTHENTICATION", "refused key", "answers 403 to a key that is * instead of 401", (why) =>
    changeRefusals(ofCode(...(codesOf[why] ?? [])), { type: "permission_error", status: 403 }),
  ),
  ...mutantPerValue(
    "ERR-TYPE-PERMISSION",
    "permission refusal",
    "answers 401 to a key that lacks a permission (*) instead of 403",
    (what) => changeRefusals(ofCode(...(codesOf[what] ?? [])), { type: "authentication_error", status: 401 }),
  ),
  ...mutantPerValue(
    "ERR-TYPE-BILLING",
    "billing refusal",
    "answers 402 with a conflict type instead of billing_error: *",
    (what) => changeRefusals(ofCode(...(codesOf[what] ?? [])), { type: "conflict" }),
  ),
  ...mutantPerValue("ERR-TYPE-NOTFOUND", "route of one thing", "answers 410 to an unknown thing on * instead of 404", (route) =>
    wrapRoute(route, changeRefusals(ofCode("not_found"), { status: 410 })),
  ),
  ...mutantPerValue("ERR-TYPE-RATE", "kind of limit", "answers a reached limit (*) with 503 instead of 429", (kind) =>
    changeRefusals(isRefusedByLimit(kind), { status: 503, type: "server_error" }),
  ),
  ...mutantPerValue(
    "ERR-CODE-RATE",
    "kind of limit",
    "answers a reached limit (*) with an unknown code instead of its own",
    (kind) => changeRefusals(isRefusedByLimit(kind), { code: "too_many_requests" }),
  ),
  ...mutantPerValue(
    "ERR-CODE-WORKFLOW-FILE",
    "workflow file",
    "starts a fix of a workflow file like * instead of refusing it",
    (form) =>
      wrapRoute(fixRoute, (world, call, perform) => {
        const row = getObservation(world, call);
        const isMeant = row?.locations.some(({ file_path }) => workflowFiles[form]?.test(file_path));
        return withTemporaryFields(isMeant ? row : undefined, { locations: [] }, () => perform(world, call));
      }),
  ),
  useOtherWorkspaceSession(
    "shows a signed-in person the observations of every workspace instead of one",
    "GET /api/observations/{ref}",
    workspaceOfObservation,
  ),
  useOtherWorkspaceSession(
    "shows a signed-in person the jobs of every workspace instead of one",
    "GET /api/jobs/{job_id}",
    workspaceOfJob,
  ),
  useOtherWorkspaceSession(
    "lets a signed-in person dismiss in every workspace instead of one",
    "POST /api/observations/{ref}/dismiss",
    workspaceOfObservation,
  ),
  useOtherWorkspaceSession(
    "lets a signed-in person cancel jobs in every workspace instead of one",
    "POST /api/jobs/{job_id}/cancel",
    workspaceOfJob,
  ),
  {
    name: "starts a fix of a workflow file by the tool instead of refusing it",
    breaks: "ERR-CODE-WORKFLOW-FILE",
    ...wrapTool("submit_fix", (world, call, performTool) => {
      const observation = world.observations[String(call.arguments.ref)];
      if (!observation) return performTool(world, call);
      const { locations } = observation;
      observation.locations = [];
      const response = performTool(world, call);
      observation.locations = locations;
      return response;
    }),
  },
];

function isJobRead(call: IncomingCall): boolean {
  return getRoute(call) === "GET /api/jobs/{job_id}";
}

function isSemantic(call: IncomingCall, { rule }: ServiceResponse): boolean {
  return rule.gate === "operation" && getRoute(call) === submitRoute;
}

/** A submission of the retired workflow. */
function isRetired({ body }: IncomingCall): boolean {
  return body.kind === "json" && (body.value as { workflow?: unknown } | null)?.workflow === "mini_audit";
}

/** A request with a limit in its query. */
function isLimited({ query }: IncomingCall): boolean {
  return query.limit !== undefined;
}

/** Changes some refusals. */
function changeRefusals(
  isMeant: (response: ServiceResponse, call: IncomingCall, world: World) => boolean,
  { status, ...error }: Told,
): WrapCall {
  return changeMatchingResponses(isMeant, (response) => ({ ...withError(response, error), status: status ?? response.status }));
}

function ofStatus(status: string): (response: ServiceResponse) => boolean {
  return (response) => response.rule.code !== null && String(response.status) === status;
}

function ofCode(...codes: readonly string[]): (response: ServiceResponse) => boolean {
  return ({ rule }) => rule.code !== null && codes.includes(rule.code);
}

function ofSchema({ rule }: ServiceResponse): boolean {
  return rule.code === "invalid_payload" && rule.gate === "schema";
}

function getCause(response: ServiceResponse, call: IncomingCall): string | undefined {
  if (response.rule.code === "no_ticket_integration") return "ticket";
  if (ofSchema(response)) return call.body.kind === "json" ? "body" : "query";
  if (response.rule.code !== "invalid_payload" || getRoute(call) !== submitRoute) return undefined;
  const { workflow } = getBody(call);
  return Object.hasOwn(contract.workflows, String(workflow)) && workflow !== "mini_audit" ? "params" : "retired workflow";
}

function workspaceOfObservation({ observations }: World, name: (part: string) => string): string | undefined {
  return observations[name("ref")]?.workspace;
}

function workspaceOfJob({ jobs }: World, name: (part: string) => string): string | undefined {
  return jobs[name("job_id")]?.workspace;
}
