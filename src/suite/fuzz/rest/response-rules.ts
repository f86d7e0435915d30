import type { ClauseId } from "../../../contract/types.js";
import { parseBodyJson, type WireResponse } from "../../../engine/http/exchange.js";
import type { ResponseText } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { matchError } from "../../response-rules.js";
import { codesOfType, ERROR_TYPES, errorCodes, OTHER_ERROR_TYPES } from "../../statements/errors.js";

/** A contradiction with the contract, and an expectation that such a response fails. */
export interface Violation {
  clauses: readonly string[];
  why: string;
  expect: ResponseText;
  /** Conforming responses of another kind, which the expectation does not cover. */
  inconclusiveIf?: ResponseText[];
}

/** Checks the rules for every response under /api: no server failure, JSON, and complete error envelopes with a matching type, code and status. */
export function findRuleViolation(response: WireResponse): Violation | undefined {
  const { status } = response;
  // a 500 is not a valid response to any request; ERR-TYPE-INVALID lists the statuses for an invalid one
  if (status >= 500 && status !== 503)
    return {
      clauses: ["ERR-TYPE-INVALID"],
      why: `status ${status}, where an invalid request gets a 4xx and a valid one a 2xx`,
      expect: { status: ["2xx", "3xx", "4xx", 503] },
    };
  return findMediaTypeViolation(response) ?? (status >= 400 ? findEnvelopeViolation(response) : undefined);
}

/** GEN-JSON-RESPONSE: a body is JSON and has a JSON media type. */
function findMediaTypeViolation(response: WireResponse): Violation | undefined {
  const { status, headers, body } = response;
  if (body.length === 0 || (status >= 300 && status < 400)) return undefined;
  const type = headers["content-type"] ?? "none";
  const json = parseBodyJson(response);
  if (json.ok && /^[^;]*[/+]json\b/i.test(type)) return undefined;
  return {
    clauses: ["GEN-JSON-RESPONSE"],
    why: json.ok ? `status ${status} with JSON under the media type ${type}` : `status ${status} with ${json.what}`,
    expect: { headers: { "content-type": { matches: "^[^;]*[/+][jJ][sS][oO][nN]\\b" } }, json: { present: true } },
    inconclusiveIf: [buildOtherStatus(status)],
  };
}

function findEnvelopeViolation(response: WireResponse): Violation | undefined {
  const { status } = response;
  const body = parseBodyJson(response);
  const [mismatch] = matchError({}, response).mismatches;
  if (mismatch || !body.ok || !isRecord(body.value) || !isRecord(body.value.error))
    return {
      clauses: ["ERR-ENVELOPE-ONE"],
      why: `status ${status} without the complete error envelope: ${mismatch?.at} should be ${mismatch?.expected}, is ${mismatch?.actual}`,
      expect: { error: {} },
      inconclusiveIf: [{ status: "2xx" }],
    };
  const { type, code } = body.value.error as { type: string; code: string };
  return findTypeViolation(status, type, code) ?? retryAfterViolation(response);
}

function findTypeViolation(status: number, type: string, code: string): Violation | undefined {
  const types = ERROR_TYPES[status] ?? OTHER_ERROR_TYPES;
  const known = new Set(Object.values(ERROR_TYPES).flat());
  if (!types.includes(type))
    return {
      clauses: [known.has(type) ? "ERR-TYPE-PAIRS" : "ERR-ENVELOPE-TYPE"],
      why: `status ${status} with error type ${type} instead of ${types.join(" or ")}`,
      expect: { error: { type: { in: types } } },
      inconclusiveIf: [buildOtherStatus(status)],
    };
  const { codes, clause } = codesOfType[type] ?? {};
  if (codes && clause !== undefined && !codes.includes(code))
    return {
      clauses: [clause],
      why: `error type ${type} with code ${code} instead of ${codes.join(" or ")}`,
      expect: { error: { code: { in: codes } } },
      inconclusiveIf: [{ json: { error: { fields: { type: { not: type } } } } }],
    };
  return findCodeViolation(status, type, code);
}

/** Checks that a known code has its error type, and payload_too_large has status 413. */
function findCodeViolation(status: number, type: string, code: string): Violation | undefined {
  const row = Object.hasOwn(errorCodes, code) ? errorCodes[code] : undefined;
  if (!row) return undefined;
  const others = [{ json: { error: { fields: { code: { not: code } } } } }];
  if (row.type !== type)
    return {
      clauses: [findCodeClause(row.type)],
      why: `code ${code} with error type ${type} instead of ${row.type}`,
      expect: { error: { type: row.type } },
      inconclusiveIf: others,
    };
  if (code !== "payload_too_large" || status === 413) return undefined;
  return {
    clauses: ["ERR-CODE-TOO-LARGE"],
    why: `${code} with status ${status}`,
    expect: { status: 413 },
    inconclusiveIf: others,
  };
}

function findCodeClause(type: string): ClauseId {
  switch (type) {
    case "invalid_request_error":
      return "ERR-CODE-INVALID";
    case "permission_error":
      return "ERR-CODE-PERMISSION";
    case "billing_error":
      return "ERR-CODE-PLAN";
    case "rate_limit_error":
      return "ERR-CODE-RATE";
    case "validation_error":
      return "ERR-VALIDATION-CODE";
    default:
      return "ERR-TYPE-PAIRS";
  }
}

function retryAfterViolation({ status, headers }: WireResponse): Violation | undefined {
  if (status !== 429 || headers["retry-after"] !== undefined) return undefined;
  return {
    clauses: ["RETRY-AFTER-429"],
    why: "status 429 without Retry-After",
    expect: { status: 429, headers: { "retry-after": { present: true } } },
  };
}

function buildOtherStatus(status: number) {
  return { status: { not: status } };
}
