import type { ClauseId } from "../../contract/types.js";
import { bodyJson, type WireResponse } from "../../engine/http/exchange.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { matchError } from "../answer-rules.js";
import { codesOfType, ERROR_TYPES, errorCodes, OTHER_ERROR_TYPES } from "../statements/errors.js";
import type { Violation } from "./violation.js";

/** What must hold of every answer under /api, whatever was asked: no fault of the service, JSON, and errors in the one envelope with type, code and status in a pair. */
export function nonConforming(response: WireResponse): Violation | undefined {
  const { status } = response;
  // a fault of the server (500) is no answer to a request, however bad; ERR-TYPE-INVALID has the statuses for a bad one
  if (status >= 500 && status !== 503)
    return {
      clauses: ["ERR-TYPE-INVALID"],
      why: `status ${status}, where a bad request gets a 4xx and a good one a 2xx`,
      expect: { status: ["2xx", "3xx", "4xx", 503] },
    };
  return notJson(response) ?? (status >= 400 ? badError(response) : undefined);
}

/** GEN-JSON-RESPONSE: what has a body is JSON and says so. */
function notJson(response: WireResponse): Violation | undefined {
  const { status, headers, body } = response;
  if (body.length === 0 || (status >= 300 && status < 400)) return undefined;
  const type = headers["content-type"] ?? "none";
  const json = bodyJson(response);
  if (json.ok && /^[^;]*[/+]json\b/i.test(type)) return undefined;
  return {
    clauses: ["GEN-JSON-RESPONSE"],
    why: json.ok ? `status ${status} with JSON under the media type ${type}` : `status ${status} with ${json.what}`,
    expect: { headers: { "content-type": { matches: "^[^;]*[/+][jJ][sS][oO][nN]\\b" } }, json: { present: true } },
    inconclusiveIf: [otherThan(status)],
  };
}

function badError(response: WireResponse): Violation | undefined {
  const { status } = response;
  const body = bodyJson(response);
  const [mismatch] = matchError({}, response).mismatches;
  if (mismatch || !body.ok || !isRecord(body.value) || !isRecord(body.value.error))
    return {
      clauses: ["ERR-ENVELOPE-ONE"],
      why: `status ${status} without the whole error envelope: ${mismatch?.at} should be ${mismatch?.expected}, is ${mismatch?.actual}`,
      expect: { error: {} },
      inconclusiveIf: [{ status: "2xx" }],
    };
  const { type, code } = body.value.error as { type: string; code: string };
  return badPair(status, type, code) ?? badRetryAfter(response);
}

function badPair(status: number, type: string, code: string): Violation | undefined {
  const types = ERROR_TYPES[status] ?? OTHER_ERROR_TYPES;
  const known = new Set(Object.values(ERROR_TYPES).flat());
  if (!types.includes(type))
    return {
      clauses: [known.has(type) ? "ERR-TYPE-PAIRS" : "ERR-ENVELOPE-TYPE"],
      why: `status ${status} with error type ${type}, where the table has ${types.join(" or ")}`,
      expect: { error: { type: { in: types } } },
      inconclusiveIf: [otherThan(status)],
    };
  const { codes, clause } = codesOfType[type] ?? {};
  if (codes && clause !== undefined && !codes.includes(code))
    return {
      clauses: [clause],
      why: `a ${type} with code ${code}, which comes with ${codes.join(" or ")}`,
      expect: { error: { code: { in: codes } } },
      inconclusiveIf: [{ json: { error: { fields: { type: { not: type } } } } }],
    };
  return badCode(status, type, code);
}

/** A code that the text names comes with the type it names, and payload_too_large with 413 only. */
function badCode(status: number, type: string, code: string): Violation | undefined {
  const row = Object.hasOwn(errorCodes, code) ? errorCodes[code] : undefined;
  if (!row) return undefined;
  const others = [{ json: { error: { fields: { code: { not: code } } } } }];
  if (row.type !== type)
    return {
      clauses: [codeClause(row.type)],
      why: `code ${code} with error type ${type}, where it comes with ${row.type}`,
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

function codeClause(type: string): ClauseId {
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

function badRetryAfter({ status, headers }: WireResponse): Violation | undefined {
  if (status !== 429 || headers["retry-after"] !== undefined) return undefined;
  return {
    clauses: ["RETRY-AFTER-429"],
    why: "a 429 without Retry-After",
    expect: { status: 429, headers: { "retry-after": { present: true } } },
  };
}

function otherThan(status: number) {
  return { status: { not: status } };
}
