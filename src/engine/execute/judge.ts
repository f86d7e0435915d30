import type { WireResponse } from "../http/exchange.js";
import { findRefusalIn, isToolError, readRpc, readToolResultText } from "../http/mcp.js";
import type { ResponseRules } from "../http/response-rules.js";
import { findRequestEffect } from "../scenario/effects.js";
import type { ResponseText } from "../scenario/format.js";
import { interpolateExpected } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { createInconclusiveResponse, createNoTimeOutcome, type Doubt, isByChoice, type Outcome } from "./check.js";
import type { Execution } from "./execution.js";
import type { Match, Mismatch } from "./expect/match.js";
import { allowsSuccess, matchResponse } from "./expect/response.js";
import { fillRequestRow } from "./request.js";
import type { StepResult } from "./send-result.js";

/** Returns whether a response matches the expectation, with the variables of the execution filled in. */
export function judge({ look, run }: Execution, expectedResponseText: ResponseText, response: WireResponse): Match {
  return matchResponse(interpolateExpected(expectedResponseText, look), response, run.suite.answers);
}

/**
 * Returns whether the server refused because the caller used up credit or a spend limit, which the step does not test. Only requests that
 * start paid work get this refusal. A step whose `given` has this status tests the refusal itself.
 */
export function isForCallerLimit({ run }: Execution, { text, requests }: CompiledStep, response: WireResponse): boolean {
  const { answers: responses, requests: rules } = run.suite;
  if (text.given?.status === response.status) return false;
  if (!requests.some((request) => findRequestEffect(request.text, rules) === "paid")) return false;
  const refusal = { status: response.status, body: findRefusalIn(response, responses), text: readToolError(response, responses) };
  return responses.isForCallerLimit(refusal, [text.given, text.expect]);
}

/** Returns the text of a tool error; empty for another response. */
function readToolError(response: WireResponse, rules: ResponseRules): string {
  const rpc = readRpc(response);
  return rpc.ok && isToolError(rpc.result, rules) ? readToolResultText(rpc.result) : "";
}

/**
 * Adds to a reason which legal choice of the server a response shows, and what the vendor can offer instead. A success instead of an expected
 * refusal shows none, except before a check of a 429: the limit may not be reached yet.
 */
export function findChoiceDoubt(
  { run, scenario, saved, served }: Execution,
  { requests: [request], clauses, text }: CompiledStep,
  response: WireResponse,
  reason: string,
  mismatches: readonly Mismatch[] = [],
): Doubt {
  const unexplained: Doubt = { reason, basis: "answer" };
  const { status: wanted } = (text.given ?? text.expect ?? {}) as ResponseText;
  const isBelowLimit = text.given !== undefined && wanted === 429;
  if (response.status < 400 && !allowsSuccess(wanted) && !isBelowLimit && mismatches.some(({ status }) => status !== undefined))
    return unexplained;
  const { answers: responses, requests: rules } = run.suite;
  const operation =
    request && rules.nameOf(fillRequestRow(request.text, { ...scenario.variables, ...Object.fromEntries(saved) }));
  if (operation === undefined) return unexplained;
  const { status } = response;
  const body = findRefusalIn(response, responses);
  const hasSession = typeof text.session === "string";
  const hasClock = run.target.clock !== undefined;
  const toolText = readToolError(response, responses);
  const isRefused = status >= 400 || toolText !== "";
  const choice = responses.choiceIn?.({
    operation,
    status,
    body,
    text: toolText,
    clauses,
    wanted,
    hasSession,
    served: served.names(),
    hasClock,
  });
  return choice === undefined ? unexplained : { reason: `${choice} (${reason})`, basis: isRefused ? "refusal" : "choice" };
}

/** Returns the outcome of a request without a response to judge. If the server refused it after each wait, the refusal may show a legal choice. */
export function createUnservedOutcome(execution: Execution, step: CompiledStep, result: StepResult & { ok: false }): Outcome {
  const doubt = result.refusal && findChoiceDoubt(execution, step, result.refusal, result.why);
  return doubt && isByChoice(doubt)
    ? createInconclusiveResponse(doubt, result.request)
    : createNoTimeOutcome(result.why, result.request);
}

/** The reason why such a refusal is inconclusive. */
export const USED_UP_REASON = "refused because the caller used up credit or a spend limit, which this step does not test";
