import type { ResponseText } from "../scenario/format.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { createInconclusiveOutcome, createInconclusiveResponse, formatMismatches, type Outcome } from "./check.js";
import { NO_BUDGET } from "./cost.js";
import type { Execution } from "./execution.js";
import { createUnservedOutcome, findChoiceDoubt, judge } from "./judge.js";
import { buildFirstRequest } from "./request.js";
import { hasBudgetFor } from "./run.js";
import { listWantedStatuses } from "./send.js";
import type { SendResult } from "./send-result.js";
import { sendBuilt } from "./send-step.js";

/** Sends the control of a step: the request without the trigger. Returns why the check proves nothing if the control does not match. */
export async function findControlContradiction(execution: Execution, control: CompiledStep): Promise<Outcome | undefined> {
  const expectedResponseText = control.text.expect as ResponseText;
  const buildResult = buildFirstRequest(control, execution);
  if (!buildResult.ok) return createInconclusiveOutcome(`the control could not be sent: ${buildResult.why}`);
  if (!hasBudgetFor(execution.run, control)) return createInconclusiveOutcome(`the control could not be sent: ${NO_BUDGET}`);
  const wanted = listWantedStatuses([expectedResponseText], execution.run.suite.answers);
  const result = await sendBuilt(execution, control, buildResult.request, wanted);
  if (!result.ok)
    return createUnservedOutcome(execution, control, { ...result, why: `the control got no answer to judge: ${result.why}` });
  const { mismatches } = judge(execution, expectedResponseText, result.response);
  if (mismatches.length === 0) return undefined;
  const reason = findChoiceDoubt(
    execution,
    control,
    result.response,
    `the answer to the control does not match: ${formatMismatches(mismatches)}`,
    mismatches,
  );
  return createInconclusiveResponse(reason, result.request, mismatches);
}

/** Returns whether a response matches an expectation because something is absent from it: a value, a row, or the success of the request. */
export function expectsAbsence({ status, refused, json, content }: ResponseText): boolean {
  return refused === true || (status !== TOO_MANY_REQUESTS && /^4/.test(String(status))) || hasAbsence([json, content]);
}

function hasAbsence(expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return false;
  return Object.entries(expected).some(
    ([word, value]) =>
      word === "not" || (word === "length" && value === 0) || (word === "absentOrNull" && value === true) || hasAbsence(value),
  );
}

const TOO_MANY_REQUESTS = 429;
const SERVICE_UNAVAILABLE = 503;
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE]);
/** How often the control must succeed while the step still gets a 503. An outage may end between two requests. */
const MAX_CONTROLS = 3;

/**
 * Returns whether an unexpected 429 or 503 may have another cause than the trigger. This is so if the control is refused too without expecting
 * it, or if the step's request no longer gets the 503.
 */
export async function sharesRefusal(
  execution: Execution,
  { step, control }: { step: CompiledStep; control: CompiledStep },
  { request, response: { status } }: SendResult & { ok: true },
): Promise<boolean> {
  if (!TEMPORARY_STATUSES.has(status)) return false;
  const buildResult = buildFirstRequest(control, execution);
  if (!buildResult.ok || !hasBudgetFor(execution.run, control)) return false;
  for (let attempt = 1; ; attempt++) {
    const controlResult = await sendBuilt(execution, control, buildResult.request, TEMPORARY_STATUSES);
    if (controlResult.ok && controlResult.response.status === SERVICE_UNAVAILABLE) return true;
    if (controlResult.ok && TEMPORARY_STATUSES.has(controlResult.response.status))
      return judge(execution, control.text.expect as ResponseText, controlResult.response).mismatches.length > 0;
    if (status !== SERVICE_UNAVAILABLE || attempt === MAX_CONTROLS) return false;
    const repeatedSendResult = await sendBuilt(execution, step, request, TEMPORARY_STATUSES);
    if (!repeatedSendResult.ok || repeatedSendResult.response.status !== SERVICE_UNAVAILABLE) return true;
  }
}
