import { read, type WireResponse } from "../http/exchange.js";
import { isRefusal } from "../http/mcp.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { createFailedOutcome, createInconclusiveResponse, createPassedOutcome, formatMismatches, type Outcome } from "./check.js";
import { expectsAbsence, findControlContradiction, sharesRefusal } from "./control.js";
import type { Execution } from "./execution.js";
import type { Mismatch } from "./expect/match.js";
import { createUnservedOutcome, findChoiceDoubt, isForCallerLimit, judge, USED_UP_REASON } from "./judge.js";
import { save } from "./save.js";
import type { SendResult } from "./send-result.js";
import { sendStep } from "./send-step.js";

/** Runs a rest, repeat or mcp step: sends its request and judges the response. */
export async function executeExchange(execution: Execution, step: CompiledStep): Promise<Outcome> {
  const result = await sendStep(execution, step);
  if (!result.ok)
    return judgeWithoutSaved(execution, step, { ...createUnservedOutcome(execution, step, result), incomplete: true });
  const outcome = await judgeResult(execution, step, result);
  if (!step.isCheck && outcome.verdict === "inconclusive") return judgeWithoutSaved(execution, step, outcome);
  const missing = save(execution, step, result.response);
  const stays = outcome.verdict === "failed" || outcome.verdict === "inconclusive";
  return missing === undefined || stays
    ? outcome
    : createInconclusiveResponse(findChoiceDoubt(execution, step, result.response, missing), result.request);
}

/** Deletes the variables that the step should have saved. Otherwise later steps would use values of an earlier step. */
function judgeWithoutSaved({ saved, keys }: Execution, { text }: CompiledStep, outcome: Outcome): Outcome {
  for (const name of Object.keys(text.save ?? {})) saved.delete(name);
  for (const name of Object.keys(text.saveCredential ?? {})) keys.delete(name);
  return outcome;
}

/** Returns whether the server did what a setup step requests. */
export function isDone({ run }: Execution, { text: { mcp } }: CompiledStep, response: WireResponse): boolean {
  return mcp ? !isRefusal(response, run.suite.answers) : response.status >= 200 && response.status < 300;
}

/** Judges a response in this order: `inconclusiveIf`, the precondition (`given`), the check (`expect`) and its control. */
async function judgeResult(execution: Execution, step: CompiledStep, result: SendResult & { ok: true }): Promise<Outcome> {
  const { response, request, exchanges } = result;
  const { text, control } = step;
  const { inconclusiveIf, given, expect, observe } = text;
  const matched = inconclusiveIf?.find(
    (expectedResponseText) => judge(execution, expectedResponseText, response).mismatches.length === 0,
  );
  const withCause = (reason: string) => findChoiceDoubt(execution, step, response, reason);
  if (matched)
    return createInconclusiveResponse(withCause(`the answer matches inconclusiveIf: ${JSON.stringify(matched)}`), request);
  const precondition = given && judge(execution, given, response);
  if (precondition && precondition.mismatches.length > 0)
    return createInconclusiveResponse(
      findChoiceDoubt(
        execution,
        step,
        response,
        `the answer does not match given: ${formatMismatches(precondition.mismatches)}`,
        precondition.mismatches,
      ),
      request,
      precondition.mismatches,
    );
  if (expect) {
    const { mismatches, empty, items } = judge(execution, expect, response);
    if (mismatches.length > 0)
      return (
        (await findOtherCause(execution, step, result)) ??
        createFailedOutcome(
          nameHost(step, mismatches),
          exchanges + items,
          request,
          [response],
          [{ request, response, mismatches }],
        )
      );
    if (empty.length > 0) return createInconclusiveResponse(withCause(`nothing to judge: ${empty.join("; ")}`), request);
    const matches = (otherWireResponse: WireResponse) => judge(execution, expect, otherWireResponse).mismatches.length === 0;
    const outcome = execution.served.withContrasts(
      createPassedOutcome(exchanges + items),
      request,
      [response],
      exchanges === 1 ? matches : undefined,
    );
    if (!control) return outcome;
    const mismatch = await findControlContradiction(execution, control);
    // A shown value may have changed since. For an absent value, the control is the contrast.
    const isShown = text.control?.afterFailure === true && !expectsAbsence(expect);
    return mismatch && isShown ? outcome : (mismatch ?? { ...outcome, basis: "control" });
  }
  if (observe) return describeObserved(observe, response);
  if (given || isDone(execution, step, response)) return createPassedOutcome(exchanges);
  const refusal = [{ at: "status", status: response.status, expected: "2xx", actual: String(response.status) }];
  const reason = withCause(`setup was refused: status ${response.status} ${cutSnippet(response)}`);
  return createInconclusiveResponse(reason, request, text.mcp ? [] : refusal);
}

/** For a wrong status of a request with a session, adds the field of the target file that names the answering host. */
function nameHost({ text: { session, at: host } }: CompiledStep, mismatches: readonly Mismatch[]): readonly Mismatch[] {
  if (session === undefined || host !== undefined) return mismatches;
  const where = "(answered by the host for sessions: session_url in the target file, or app_url without it)";
  return mismatches.map((mismatch) =>
    mismatch.status !== undefined ? { ...mismatch, actual: `${mismatch.actual} ${where}` } : mismatch,
  );
}

/** Returns an inconclusive outcome if a mismatch may have another cause than a breach of the checked clause. */
async function findOtherCause(
  execution: Execution,
  step: CompiledStep,
  result: SendResult & { ok: true },
): Promise<Outcome | undefined> {
  const { response, request } = result;
  if (isForCallerLimit(execution, step, response))
    return createInconclusiveResponse(
      findChoiceDoubt(execution, step, response, `${USED_UP_REASON}: ${cutSnippet(response)}`),
      request,
    );
  const { text, control } = step;
  if (!control) return undefined;
  if (await sharesRefusal(execution, { step, control }, result))
    return createInconclusiveResponse(
      findChoiceDoubt(
        execution,
        step,
        response,
        `the server refused for another reason, since it also refused the control: ${cutSnippet(response)}`,
      ),
      request,
    );
  return text.control?.afterFailure ? findControlContradiction(execution, control) : undefined;
}

function describeObserved(places: readonly string[], response: WireResponse): Outcome {
  const actual = places.map((place) => `${place || "body"}: ${JSON.stringify(read(response, place)) ?? "absent"}`).join("; ");
  return { verdict: "informational", subjects: 0, actual };
}

function cutSnippet(response: WireResponse): string {
  return new TextDecoder().decode(response.body.slice(0, 200));
}
