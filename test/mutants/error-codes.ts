import type { ErrorCode } from "../../src/contract/types.js";
import { retelling } from "./error-types.js";
import { type Mutant, withError } from "./mutant.js";

const invalid: [code: ErrorCode, type: string][] = [
  ["bad_request", "validation_error"],
  ["invalid_cursor", "validation_error"],
  ["no_ticket_integration", "validation_error"],
  ["observation_not_fixable", "validation_error"],
  ["observation_fix_targets_workflow_file", "validation_error"],
  ["payload_too_large", "server_error"],
  ["repo_no_longer_public", "not_found"],
  ["repo_cap_exceeded", "permission_error"],
];

/** Faults in the codes of refusals, and in what comes with a code. */
export const errorCodeMutants: Mutant[] = [
  ...invalid.map(([code, type]) => retelling(`has ${code} come with ${type}`, "ERR-CODE-INVALID", code, { type })),
  retelling("answers 400 to a body that is too large", "ERR-CODE-TOO-LARGE", "payload_too_large", { status: 400 }),
  retelling("has feature_not_enabled come with billing_error", "ERR-CODE-PERMISSION", "feature_not_enabled", {
    type: "billing_error",
  }),
  retelling("has plan_repo_cap_exceeded come with billing_error", "ERR-CODE-PERMISSION", "plan_repo_cap_exceeded", {
    type: "billing_error",
  }),
  retelling("has plan_restricted come with permission_error", "ERR-CODE-PLAN", "plan_restricted", {
    type: "permission_error",
    status: 403,
  }),
  retelling("names no missing entitlement at its document", "ERR-CODE-FEATURES", "plan_restricted", { required_features: [] }),
  {
    name: "carries no required_features at its document",
    breaks: "ERR-CODE-FEATURES",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "plan_restricted" ? withError(reply, { required_features: undefined }) : reply;
    },
  },
  retelling("has a code for too many requests of its own", "ERR-CODE-RATE", "rate_limit_qps", { code: "too_many_requests" }),
  failing("has a code for a failing query of its own", "ERR-VALIDATION-CODE", "query", { code: "invalid_query" }),
  failing("has a code for a failing body of its own", "ERR-VALIDATION-CODE", "body", { code: "invalid_body" }),
  failing("has a code for params of its own", "ERR-VALIDATION-CODE", "params", { code: "invalid_params" }),
  failing("lists no errors of a query", "ERR-VALIDATION-ERRORS", "query", { errors: undefined }),
  failing("lists no errors of a body", "ERR-VALIDATION-ERRORS", "body", { errors: undefined }),
  failing("lists its errors by field", "ERR-VALIDATION-ERRORS", "query", { errors: { limit: "Too high." } }),
];

/** A server that tells a failed validation otherwise, by what failed it. */
function failing(
  name: string,
  breaks: Mutant["breaks"],
  what: "query" | "body" | "params",
  told: Record<string, unknown>,
): Mutant {
  return {
    name,
    breaks,
    around(world, call, perform) {
      const reply = perform(world, call);
      const failed = reply.rule.gate === "operation" ? "params" : call.body.kind === "json" ? "body" : "query";
      return reply.rule.code === "invalid_payload" && failed === what ? withError(reply, told) : reply;
    },
  };
}
