/** One mistake in one field of a request. */
export interface Fault {
  field: string;
  problem: string;
}

/** The broad buckets of errors. */
export type ErrorType =
  | "validation_error"
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "not_found"
  | "billing_error"
  | "rate_limit_error"
  | "conflict"
  | "server_error";

/** A request that was served. Without a body nothing is sent. */
export interface Success {
  http: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A refused request. The last step makes the envelope. */
export interface Refusal {
  http: number;
  refused: { type: ErrorType; code: string; message: string };
  faults?: Fault[];
  extra?: Record<string, unknown>;
  beside?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** The result of an operation. */
export type OperationResult = Success | Refusal;

/** Served with a body, or with none. */
export function success(http: number, body?: unknown): Success {
  return body === undefined ? { http } : { http, body };
}

/** Turned away. */
export function refuse(http: number, type: ErrorType, code: string, message: string, more: Partial<Refusal> = {}): Refusal {
  return { http, refused: { type, code, message }, ...more };
}

/** A refusal of fields of the body or the query. */
export function invalid(faults: Fault[]): Refusal {
  const message = faults.map(({ field, problem }) => `${field} ${problem}`).join(", ");
  return refuse(422, "validation_error", "invalid_payload", `Not valid: ${message}`, { faults });
}

/** A refusal because a resource does not exist, or this caller may not see it. */
export function notFoundRefusal(thing: string): Refusal {
  return refuse(404, "not_found", "not_found", `There is no such ${thing}`);
}

/** Whether a value is a refusal. */
export function isRefusal(value: object): value is Refusal {
  return "refused" in value;
}
