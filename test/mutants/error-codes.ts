import type { ClauseId, ErrorCode } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import { changing } from "./family.js";
import { type Mutant, routeOf, withError } from "./mutant.js";

/** What is told otherwise of a refusal: its status, and fields of its error object. */
interface Told {
  status?: number;
  [field: string]: unknown;
}

const submission = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

/** A server that tells one refusal otherwise, in all calls or some. */
type Row = [name: string, breaks: ClauseId, code: ErrorCode, told: Told, isMeant?: (call: IncomingCall, reply: Reply) => boolean];

const rows: Row[] = [
  ["gives a missing scope a type of its own", "ERR-ENVELOPE-TYPE", "insufficient_scope", { type: "scope_error" }],
  ["gives a beta workflow a type of its own", "ERR-ENVELOPE-TYPE", "feature_not_enabled", { type: "beta_error" }],
  ["gives what is not there a type of its own", "ERR-ENVELOPE-TYPE", "not_found", { type: "missing" }, ofJob],
  ["gives a wrong method a type of its own", "ERR-ENVELOPE-TYPE", "method_not_allowed", { type: "method_error" }],
  ["gives a stale cursor a type of its own", "ERR-ENVELOPE-TYPE", "invalid_cursor", { type: "cursor_error" }],
  ["calls the retired workflow a matter of billing", "ERR-TYPE-422", "invalid_payload", { type: "billing_error" }, isRetired],
  [
    "calls a limit above the highest a rate limit with 422",
    "ERR-TYPE-422",
    "invalid_payload",
    { type: "rate_limit_error" },
    isLimited,
  ],
  ["calls a missing key a missing permission with 401", "ERR-TYPE-PAIRS", "missing_key", { type: "permission_error" }],
  ["calls a missing scope an unknown key with 403", "ERR-TYPE-PAIRS", "insufficient_scope", { type: "authentication_error" }],
  ["calls a missing job an invalid request with 404", "ERR-TYPE-PAIRS", "not_found", { type: "invalid_request_error" }],
  ["calls a missing job not found with 410", "ERR-TYPE-PAIRS", "not_found", { status: 410 }],
  ["calls a repository that is there a conflict with 400", "ERR-TYPE-PAIRS", "repo_already_registered", { status: 400 }],
  ["calls a wrong method not found with 405", "ERR-TYPE-PAIRS", "method_not_allowed", { type: "not_found" }],
  ["calls a stale cursor a failed validation with 400", "ERR-TYPE-PAIRS", "invalid_cursor", { type: "validation_error" }],
  ["calls the retired workflow a conflict with 422", "ERR-TYPE-PAIRS", "invalid_payload", { type: "conflict" }, isRetired],
  ["calls a plan gate a missing permission with 402", "ERR-TYPE-PAIRS", "plan_restricted", { type: "permission_error" }],
  ["calls an outage an invalid request with 503", "ERR-TYPE-PAIRS", "service_unavailable", { type: "invalid_request_error" }],
  ["calls a body that is too large a failed validation", "ERR-TYPE-PAIRS", "payload_too_large", { type: "validation_error" }],
  ["calls a failed validation an invalid request", "ERR-TYPE-VALIDATION", "invalid_payload", { type: "invalid_request_error" }],
  ["calls a stale cursor a conflict", "ERR-TYPE-INVALID", "invalid_cursor", { type: "conflict" }],
  ["answers 409 to a stale cursor", "ERR-TYPE-INVALID", "invalid_cursor", { status: 409 }],
  ["answers 409 to the fix of a closed observation", "ERR-TYPE-INVALID", "observation_not_fixable", { status: 409 }],
  ["answers 404 to a ticket without a tracker", "ERR-TYPE-INVALID", "no_ticket_integration", { status: 404 }],
  ["answers 415 to a body that is no JSON", "ERR-TYPE-MALFORMED", "bad_request", { status: 415 }],
  ["calls a wrong method a failed validation", "ERR-TYPE-FALLBACK-405", "method_not_allowed", { type: "validation_error" }],
  [
    "calls a wrong content type a failed validation",
    "ERR-TYPE-FALLBACK-415",
    "unsupported_media_type",
    { type: "validation_error" },
  ],
  ["calls a wrong method a conflict", "ERR-TYPE-FALLBACK", "method_not_allowed", { type: "conflict" }],
  [
    "calls a key of a suspended workspace one without permission",
    "ERR-TYPE-AUTHENTICATION",
    "workspace_suspended",
    { type: "permission_error" },
  ],
  ["answers 404 to a key without the scope", "ERR-TYPE-PERMISSION", "insufficient_scope", { type: "not_found", status: 404 }],
  [
    "calls a workflow outside the plan forbidden",
    "ERR-TYPE-BILLING",
    "workflow_not_entitled",
    { type: "permission_error", status: 403 },
  ],
  ["answers 400 to a repository that is there", "ERR-TYPE-CONFLICT", "repo_already_registered", { status: 400 }],
  [
    "calls a repository that is there an invalid request",
    "ERR-TYPE-CONFLICT",
    "repo_already_registered",
    { type: "invalid_request_error" },
  ],
  ["calls an outage a conflict", "ERR-TYPE-SERVER", "service_unavailable", { type: "conflict" }],
  ["answers 400 to a body that is too large", "ERR-CODE-TOO-LARGE", "payload_too_large", { status: 400 }],
  [
    "has plan_restricted come with permission_error",
    "ERR-CODE-PLAN",
    "plan_restricted",
    { type: "permission_error", status: 403 },
  ],
  ["names no missing entitlement at its document", "ERR-CODE-FEATURES", "plan_restricted", { required_features: [] }],
  ["carries no required_features at its document", "ERR-CODE-FEATURES", "plan_restricted", { required_features: undefined }],
  ["has a code for params of its own", "ERR-VALIDATION-CODE", "invalid_payload", { code: "invalid_params" }, isSemantic],
  ["lists its errors by field", "ERR-VALIDATION-ERRORS", "invalid_payload", { errors: { limit: "Too high." } }, isLimited],
  ["answers 403 to a request without a key", "AUTH-MISSING", "missing_key", { status: 403 }],
];

/** Faults in what comes with one code. */
export const errorCodeMutants: Mutant[] = rows.map(([name, breaks, code, { status, ...error }, isMeant = () => true]) => ({
  name,
  breaks,
  around: changing(
    (reply, call) => reply.rule.code === code && isMeant(call, reply),
    (reply) => ({ ...withError(reply, error), status: status ?? reply.status }),
  ),
}));

function ofJob(call: IncomingCall): boolean {
  return routeOf(call) === "GET /api/jobs/{job_id}";
}

function isSemantic(call: IncomingCall, { rule }: Reply): boolean {
  return rule.gate === "operation" && routeOf(call) === submission;
}

/** A submission of the workflow that is no more. */
function isRetired({ body }: IncomingCall): boolean {
  return body.kind === "json" && (body.value as { workflow?: unknown } | null)?.workflow === "mini_audit";
}

/** A request with a limit in its query. */
function isLimited({ query }: IncomingCall): boolean {
  return query.limit !== undefined;
}
