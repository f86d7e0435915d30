import type { WireResponse } from "../../../engine/http/exchange.js";
import type { Failure } from "../../../engine/property/property.js";
import type { ResponseText, Step } from "../../../engine/scenario/format.js";
import { readResponseErrorCode } from "../../response-rules.js";
import { findOperationAt, findOperationStatement } from "../../statements/operations.js";
import { SPARE } from "../../statements/setup-steps.js";
import { createFailure } from "../outcome.js";

/** The limit that a key has used up. */
export interface Shortage {
  name: string;
  /** The code of a refusal for it, where the contract states one, and the clause of that. */
  own?: { code: string; clause: string };
}

/** Another law judges any other code of a 429. */
const RATE_CODES = ["rate_limit_qps", "rate_limit_budget"];

/**
 * Checks a 429: a Retry-After of whole seconds from 1 (RETRY-AFTER-429), and the code of this shortage. Ignores other statuses and tool errors.
 */
export function judgeRefusal(
  { name, own }: Shortage,
  before: readonly Step[],
  step: Step,
  response: WireResponse,
): Failure | undefined {
  if (response.status !== 429) return undefined;
  const failure = (clause: string, why: string, expect: ResponseText) =>
    createFailure([clause], `${name}: ${why}`, [
      ...before,
      { ...step, given: { status: 429 }, expect: { status: 429, ...expect } },
    ]);
  if (readWaitSeconds(response) === undefined) {
    const retryAfter = response.headers["retry-after"] ?? "absent";
    return failure("RETRY-AFTER-429", `Retry-After is ${retryAfter}`, { headers: { "retry-after": wholeSeconds } });
  }
  const code = readResponseErrorCode(response);
  if (step.mcp || !own || code === own.code || !RATE_CODES.includes(code ?? "")) return undefined;
  return failure(own.clause, `its 429 has the code ${code}`, { error: { code: own.code } });
}

/** Matches a Retry-After of whole seconds, from 1. The contract gives no maximum: a longer wait than necessary is allowed. */
const wholeSeconds = { matches: "^[1-9][0-9]*$" };

/** Returns the seconds that a 429 asks to wait; undefined without a whole number from 1. */
export function readWaitSeconds({ headers }: WireResponse): number | undefined {
  const value = headers["retry-after"];
  return typeof value === "string" && /^[1-9][0-9]*$/.test(value) ? Number(value) : undefined;
}

/** Returns whether a 429 concerns money. SPEND-CODE: paid work may be refused because the spend ceiling is used up. */
export function isSpendLimit(rest: string, response: WireResponse): boolean {
  const [method = "", address = ""] = rest.replace(SPARE, "owner/repo/branch").replace("{repo}", "owner/repo/branch").split(" ");
  const operation = findOperationAt(method, address);
  const isPaid = operation !== undefined && findOperationStatement(operation).effect === "paid";
  return isPaid && readResponseErrorCode(response) === "rate_limit_budget";
}
