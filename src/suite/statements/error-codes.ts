/** A code of an error that the text names. */
export interface ErrorCode {
  type: string;
  /** Where the text ties it to one. */
  status?: number;
  /** The clause of that; absent where it is stated of its own refusal alone. */
  clause?: string;
  /** Why nothing can bring it about. */
  unreachable?: string;
}

/** The codes that the text names. ERR-CODE-*, ERR-VALIDATION-CODE. */
export const errorCodes: Readonly<Record<string, ErrorCode>> = {
  invalid_payload: { type: "validation_error", status: 422, clause: "ERR-VALIDATION-CODE" },
  bad_request: { type: "invalid_request_error", clause: "ERR-CODE-INVALID" },
  invalid_cursor: { type: "invalid_request_error", status: 400, clause: "ERR-CODE-INVALID" },
  payload_too_large: { type: "invalid_request_error", status: 413, clause: "ERR-CODE-TOO-LARGE" },
  no_ticket_integration: { type: "invalid_request_error", status: 422, clause: "ERR-CODE-INVALID" },
  observation_not_fixable: { type: "invalid_request_error", clause: "ERR-CODE-INVALID" },
  observation_fix_targets_workflow_file: { type: "invalid_request_error", clause: "ERR-CODE-INVALID" },
  repo_no_longer_public: { type: "invalid_request_error", status: 400, clause: "ERR-CODE-INVALID" },
  repo_cap_exceeded: { type: "invalid_request_error", status: 400, clause: "ERR-CODE-INVALID" },
  feature_not_enabled: { type: "permission_error", status: 403, clause: "ERR-CODE-PERMISSION" },
  plan_repo_cap_exceeded: { type: "permission_error", status: 403, clause: "ERR-CODE-PERMISSION" },
  plan_repo_size_exceeded: {
    type: "permission_error",
    status: 403,
    clause: "ERR-CODE-PERMISSION",
    unreachable: "no plan sets a size cap today",
  },
  plan_restricted: { type: "billing_error", status: 402, clause: "ERR-CODE-PLAN" },
  rate_limit_qps: { type: "rate_limit_error" },
  rate_limit_budget: { type: "rate_limit_error" },
  repo_already_registered: { type: "conflict", status: 409 },
};

/** The types whose codes are all named: their status, the codes, and the clause that says so. */
export const codesOfType: Readonly<Record<string, { status: number; codes: readonly string[]; clause: string }>> = {
  validation_error: { status: 422, codes: ["invalid_payload"], clause: "ERR-VALIDATION-CODE" },
  rate_limit_error: { status: 429, codes: ["rate_limit_qps", "rate_limit_budget"], clause: "ERR-CODE-RATE" },
};
