/** The error types that each status allows (ERR-TYPE-PAIRS). */
export const ERROR_TYPES: Readonly<Record<number, readonly string[]>> = {
  401: ["authentication_error"],
  402: ["billing_error"],
  403: ["permission_error"],
  404: ["not_found"],
  409: ["conflict"],
  422: ["validation_error", "invalid_request_error"],
  429: ["rate_limit_error"],
  500: ["server_error"],
  503: ["server_error"],
};

/** The error types of any other 4xx status (ERR-TYPE-FALLBACK). */
export const OTHER_ERROR_TYPES: readonly string[] = ["invalid_request_error"];

/** The clause of each error type. */
export const errorTypeClauses = {
  validation_error: "ERR-TYPE-VALIDATION",
  invalid_request_error: "ERR-TYPE-INVALID",
  authentication_error: "ERR-TYPE-AUTHENTICATION",
  permission_error: "ERR-TYPE-PERMISSION",
  not_found: "ERR-TYPE-NOTFOUND",
  billing_error: "ERR-TYPE-BILLING",
  rate_limit_error: "ERR-TYPE-RATE",
  conflict: "ERR-TYPE-CONFLICT",
  server_error: "ERR-TYPE-SERVER",
} as const satisfies Record<string, string>;

/** An error type. */
export type ErrorType = keyof typeof errorTypeClauses;

/** By the code of a refusal, another status that the contract allows for it: a request that exceeds a budget gets 402 or 429. */
export const OTHER_STATUSES: Readonly<Record<string, number>> = { rate_limit_budget: 402 };

/** An error code that the contract names. */
export interface ErrorCode {
  type: string;
  /** The status, where the contract ties the code to one. */
  status?: number;
  /** The clause of the status; absent where only the clause of its refusal states it. */
  clause?: string;
  /** Why no request can cause it. */
  unreachable?: string;
}

/** The error codes that the contract names. ERR-CODE-*, ERR-VALIDATION-CODE. */
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

/** The error types for which the contract names every code: the status, the codes, and the clause. */
export const codesOfType: Readonly<Record<string, { status: number; codes: readonly string[]; clause: string }>> = {
  validation_error: { status: 422, codes: ["invalid_payload"], clause: "ERR-VALIDATION-CODE" },
  rate_limit_error: { status: 429, codes: ["rate_limit_qps", "rate_limit_budget"], clause: "ERR-CODE-RATE" },
};
