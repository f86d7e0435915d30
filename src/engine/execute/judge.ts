import type { WireResponse } from "../http/exchange.js";
import { refusalIn } from "../http/mcp.js";
import { effectOfRequest } from "../scenario/effects.js";
import type { AnswerText } from "../scenario/format.js";
import { interpolate } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import type { Execution } from "./execution.js";
import { matchAnswer } from "./expect/answer.js";
import type { Match } from "./expect/match.js";

/** Returns whether an answer matches the expectation, with the variables of the execution filled in. */
export function judge({ look, run }: Execution, expected: AnswerText, response: WireResponse): Match {
  return matchAnswer(interpolate(expected, look), response, run.suite.answers);
}

/**
 * Returns whether the server refused for another reason: the caller has used up credit or spend, which the step does not mention.
 * Only a request that starts paid work can be refused so. A step whose `given` has this status is about the refusal itself.
 */
export function isForCallerLimit({ run }: Execution, { text, requests }: CompiledStep, response: WireResponse): boolean {
  const { answers, requests: rules } = run.suite;
  if (text.given?.status === response.status) return false;
  if (!requests.some((request) => effectOfRequest(request.text, rules) === "paid")) return false;
  const refusal = { status: response.status, body: refusalIn(response, answers) };
  return answers.isForCallerLimit(refusal, [text.given, text.expect]);
}

/** Why such an answer says nothing. */
export const USED_UP = "refused for what has been used up, which says nothing of what was asked for";
