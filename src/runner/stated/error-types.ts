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
