import { isErrorCode, preferenceFor } from "../contract/catalogue.js";
import { contract } from "../contract/load.js";
import type { ErrorCode } from "../contract/types.js";
import { type Refusal, refuse } from "../service/call.js";
import { codeOfStatus } from "./faults.js";

/** What a Prefer header makes of a request: the refusal to give, and the preference as it was applied (null: it could not be). */
export interface Preference {
  refusal: Refusal;
  applied: string | null;
}

/**
 * Reads `Prefer: code=409, error=repo_already_registered`: either alone suffices, both must agree. Null when the header asks for
 * something else, which is no business of ours (RFC 7240).
 */
export function readPreference(header: string): Preference | null {
  const wishes = new Map(header.split(",").map((wish) => wish.trim().split("=", 2) as [string, string | undefined]));
  const error = wishes.get("error");
  const status = wishes.get("code");
  if (error === undefined && status === undefined) return null;
  const code = codeFor(error, status === undefined ? undefined : Number(status));
  if (code === null)
    return {
      ...refuse("bad_request", { message: "This Prefer header names no code and status of the catalogue, see /__mock/errors." }),
      applied: null,
    };
  const row = contract.errors[code];
  const waits = row.status === 429 || row.status === 503;
  return { ...refuse(code, waits ? { retryAfter: 1 } : {}), applied: preferenceFor(code) };
}

function codeFor(error: string | undefined, status: number | undefined): ErrorCode | null {
  const code = error ?? codeOfStatus(status ?? Number.NaN);
  if (!isErrorCode(code)) return null;
  return status === undefined || contract.errors[code].status === status ? code : null;
}
