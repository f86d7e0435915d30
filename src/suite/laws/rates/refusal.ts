import type { WireResponse } from "../../../engine/http/exchange.js";
import { bodyJson } from "../../../engine/http/exchange.js";
import type { Failure } from "../../../engine/property/property.js";
import type { AnswerText, Step } from "../../../engine/scenario/format.js";
import { answers } from "../../answer-rules.js";
import { failed } from "../blame.js";
import { secondsToWait, wholeSeconds } from "./retry-after.js";

/** What was used up. */
export interface Shortage {
  name: string;
  /** Which of the two codes a refusal for it has, where that is known, and the clause by which it has it. */
  own?: { code: string; clause: string };
}

/** Of any other code another law says that a 429 may not have it. */
const RATE_CODES = ["rate_limit_qps", "rate_limit_budget"];

/**
 * Holds a 429 to what the text says of one for this shortage: a wait in whole seconds from 1 (RETRY-AFTER-429), and its own of the two codes.
 * Any other status, and whatever a tool says, tells nothing here.
 */
export function judgeRefusal(
  { name, own }: Shortage,
  before: readonly Step[],
  step: Step,
  response: WireResponse,
): Failure | undefined {
  if (response.status !== 429) return undefined;
  const blame = (clause: string, why: string, expect: AnswerText) =>
    failed([clause], `${name}: ${why}`, [...before, { ...step, given: { status: 429 }, expect: { status: 429, ...expect } }]);
  if (secondsToWait(response) === undefined) {
    const said = response.headers["retry-after"] ?? "not there";
    return blame("RETRY-AFTER-429", `Retry-After is ${said}`, { headers: { "retry-after": wholeSeconds } });
  }
  const code = codeOf(response);
  if (step.mcp || !own || code === own.code || !RATE_CODES.includes(code ?? "")) return undefined;
  return blame(own.clause, `its 429 has the code ${code}`, { error: { code: own.code } });
}

/** The code of an error answer; undefined for an answer that is none. */
export function codeOf(response: WireResponse): string | undefined {
  const body = bodyJson(response);
  return body.ok ? answers.errorCode(body.value) : undefined;
}
