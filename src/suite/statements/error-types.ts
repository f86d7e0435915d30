/** Which types an error of a status can have, as the text pairs them (ERR-TYPE-PAIRS). */
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

/** The types of any 4xx that the pairs do not name (ERR-TYPE-FALLBACK). */
export const OTHER_ERROR_TYPES: readonly string[] = ["invalid_request_error"];

/** The clause of each type. */
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

/** One of the types. */
export type ErrorType = keyof typeof errorTypeClauses;
