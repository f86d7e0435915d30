import type { ClauseId, ErrorCode } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import { type Mutant, routeOf, withError } from "./mutant.js";

/** What is told otherwise of a refusal: its status, and fields of its error object. */
interface Told {
  status?: number;
  [field: string]: unknown;
}

const job = "GET /api/jobs/{job_id}";
const observation = "GET /api/observations/{ref}";
const repository = "GET /api/repos/{owner}/{repo}/{branch}";
const submission = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

/** Faults in the type and the status of refusals. */
export const errorTypeMutants: Mutant[] = [
  retelling("gives a missing key a type of its own", "ERR-ENVELOPE-TYPE", "missing_key", { type: "unauthorized" }),
  retelling("gives a missing scope a type of its own", "ERR-ENVELOPE-TYPE", "insufficient_scope", { type: "scope_error" }),
  retelling("gives what is not there a type of its own", "ERR-ENVELOPE-TYPE", "not_found", { type: "missing" }, routed(job)),
  retelling("gives a wrong method a type of its own", "ERR-ENVELOPE-TYPE", "method_not_allowed", { type: "method_error" }),
  retelling("gives a stale cursor a type of its own", "ERR-ENVELOPE-TYPE", "invalid_cursor", { type: "cursor_error" }),
  retelling("gives a repository that is there a type of its own", "ERR-ENVELOPE-TYPE", "repo_already_registered", {
    type: "twice",
  }),
  retelling("gives a beta workflow a type of its own", "ERR-ENVELOPE-TYPE", "feature_not_enabled", { type: "beta_error" }),

  retelling(
    "calls the retired workflow a matter of billing",
    "ERR-TYPE-422",
    "invalid_payload",
    { type: "billing_error" },
    retired,
  ),
  retelling("calls a missing ticket tracker a conflict with 422", "ERR-TYPE-422", "no_ticket_integration", { type: "conflict" }),
  retelling(
    "calls a limit above the highest a rate limit with 422",
    "ERR-TYPE-422",
    "invalid_payload",
    { type: "rate_limit_error" },
    limited,
  ),

  retelling("calls a missing key a missing permission with 401", "ERR-TYPE-PAIRS", "missing_key", { type: "permission_error" }),
  retelling("calls a missing scope an unknown key with 403", "ERR-TYPE-PAIRS", "insufficient_scope", {
    type: "authentication_error",
  }),
  retelling("calls a missing job an invalid request with 404", "ERR-TYPE-PAIRS", "not_found", { type: "invalid_request_error" }),
  retelling("calls a missing job not found with 410", "ERR-TYPE-PAIRS", "not_found", { status: 410 }),
  retelling("calls a repository that is there a conflict with 400", "ERR-TYPE-PAIRS", "repo_already_registered", { status: 400 }),
  retelling("calls a repository that is there invalid with 409", "ERR-TYPE-PAIRS", "repo_already_registered", {
    type: "invalid_request_error",
  }),
  retelling("calls a wrong method not found with 405", "ERR-TYPE-PAIRS", "method_not_allowed", { type: "not_found" }),
  retelling("calls a stale cursor a failed validation with 400", "ERR-TYPE-PAIRS", "invalid_cursor", {
    type: "validation_error",
  }),
  retelling("calls the retired workflow a conflict with 422", "ERR-TYPE-PAIRS", "invalid_payload", { type: "conflict" }, retired),
  retelling("calls a plan gate a missing permission with 402", "ERR-TYPE-PAIRS", "plan_restricted", { type: "permission_error" }),
  retelling("calls a key over its limit a server error with 429", "ERR-TYPE-PAIRS", "rate_limit_qps", { type: "server_error" }),
  retelling("calls an outage an invalid request with 503", "ERR-TYPE-PAIRS", "service_unavailable", {
    type: "invalid_request_error",
  }),
  retelling("calls a body that is too large a failed validation", "ERR-TYPE-PAIRS", "payload_too_large", {
    type: "validation_error",
  }),

  retelling(
    "answers 400 to a body of the wrong types",
    "ERR-TYPE-VALIDATION",
    "invalid_payload",
    { status: 400 },
    routed(submission),
  ),
  retelling("answers 400 to a query that fails validation", "ERR-TYPE-VALIDATION", "invalid_payload", { status: 400 }, limited),
  retelling("calls a failed validation an invalid request", "ERR-TYPE-VALIDATION", "invalid_payload", {
    type: "invalid_request_error",
  }),
  retelling("calls a stale cursor a conflict", "ERR-TYPE-INVALID", "invalid_cursor", { type: "conflict" }),
  retelling("answers 409 to a stale cursor", "ERR-TYPE-INVALID", "invalid_cursor", { status: 409 }),
  retelling("answers 409 to the fix of a closed observation", "ERR-TYPE-INVALID", "observation_not_fixable", { status: 409 }),
  retelling("answers 404 to a ticket without a tracker", "ERR-TYPE-INVALID", "no_ticket_integration", { status: 404 }),
  retelling("answers 415 to a body that is no JSON", "ERR-TYPE-MALFORMED", "bad_request", { status: 415 }),
  retelling(
    "answers 500 to a registration that is no JSON",
    "ERR-TYPE-MALFORMED",
    "bad_request",
    { status: 500 },
    routed("POST /api/repos"),
  ),
  {
    name: "answers a body that is no JSON in bare words",
    breaks: "ERR-TYPE-MALFORMED",
    around(world, call, perform) {
      const reply = perform(world, call);
      return call.body.kind === "malformed" ? { ...reply, body: "The body is not JSON." } : reply;
    },
  },
  retelling("answers 404 to a wrong method", "ERR-TYPE-FALLBACK-405", "method_not_allowed", { type: "not_found", status: 404 }),
  retelling("calls a wrong method a failed validation", "ERR-TYPE-FALLBACK-405", "method_not_allowed", {
    type: "validation_error",
  }),
  retelling("calls a wrong content type a failed validation", "ERR-TYPE-FALLBACK-415", "unsupported_media_type", {
    type: "validation_error",
  }),
  retelling("calls a wrong method a conflict", "ERR-TYPE-FALLBACK", "method_not_allowed", { type: "conflict" }),

  ...(["missing_key", "malformed_key", "invalid_key", "revoked_key", "expired_key", "network_not_allowed"] as const).map((code) =>
    retelling(`answers 403 to a request with ${code}`, "ERR-TYPE-AUTHENTICATION", code, {
      type: "permission_error",
      status: 403,
    }),
  ),
  retelling("calls a key of a suspended workspace one without permission", "ERR-TYPE-AUTHENTICATION", "workspace_suspended", {
    type: "permission_error",
  }),
  retelling("answers 404 to a key without the scope", "ERR-TYPE-PERMISSION", "insufficient_scope", {
    type: "not_found",
    status: 404,
  }),
  retelling("calls a missing scope an unknown key", "ERR-TYPE-PERMISSION", "insufficient_scope", {
    type: "authentication_error",
  }),
  retelling("calls a missing permission an unknown key", "ERR-TYPE-PERMISSION", "permission_denied", {
    type: "authentication_error",
  }),
  retelling("answers 410 for a job that is not there", "ERR-TYPE-NOTFOUND", "not_found", { status: 410 }, routed(job)),
  retelling(
    "answers 400 for an observation that is not there",
    "ERR-TYPE-NOTFOUND",
    "not_found",
    { status: 400 },
    routed(observation),
  ),
  retelling(
    "calls a repository that it cannot see forbidden",
    "ERR-TYPE-NOTFOUND",
    "not_found",
    {
      type: "permission_error",
      status: 403,
    },
    routed(repository),
  ),
  retelling("calls the gate before its document a missing permission", "ERR-TYPE-BILLING", "plan_restricted", {
    type: "permission_error",
  }),
  retelling("calls used-up credit a conflict with 402", "ERR-TYPE-BILLING", "insufficient_credit", { type: "conflict" }),
  retelling("calls a workflow outside the plan forbidden", "ERR-TYPE-BILLING", "workflow_not_entitled", {
    type: "permission_error",
    status: 403,
  }),
  retelling("answers 503 to a key over its limit", "ERR-TYPE-RATE", "rate_limit_qps", { status: 503 }),
  retelling("calls a limit hit a server error", "ERR-TYPE-RATE", "rate_limit_qps", { type: "server_error" }),
  retelling("answers 400 to a repository that is there", "ERR-TYPE-CONFLICT", "repo_already_registered", { status: 400 }),
  retelling("calls a repository that is there an invalid request", "ERR-TYPE-CONFLICT", "repo_already_registered", {
    type: "invalid_request_error",
  }),
  retelling("calls an outage a conflict", "ERR-TYPE-SERVER", "service_unavailable", { type: "conflict" }),
];

/** A server that tells one refusal otherwise, in all calls or some. */
export function retelling(
  name: string,
  breaks: ClauseId,
  refusal: ErrorCode,
  { status, ...error }: Told,
  isMeant: (call: IncomingCall) => boolean = () => true,
): Mutant {
  return {
    name,
    breaks,
    around(world, call, perform) {
      const reply = perform(world, call);
      if (reply.rule.code !== refusal || !isMeant(call)) return reply;
      return { ...withError(reply, error), status: status ?? reply.status };
    },
  };
}

function routed(route: string): (call: IncomingCall) => boolean {
  return (call) => routeOf(call) === route;
}

/** A submission of the workflow that is no more. */
function retired({ body }: IncomingCall): boolean {
  return body.kind === "json" && (body.value as { workflow?: unknown } | null)?.workflow === "mini_audit";
}

/** A request with a limit in its query. */
function limited({ query }: IncomingCall): boolean {
  return query.limit !== undefined;
}
