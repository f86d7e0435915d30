import type { WireRequest, WireResponse } from "../http/exchange.js";
import type { SeriesText } from "../scenario/format.js";
import { interpolateExpected, type Lookup } from "../scenario/interpolate.js";
import type { CompiledRequest, CompiledStep } from "../scenario/scenario.js";
import { createFailedOutcome, createInconclusiveResponse, createPassedOutcome, type Doubt, type Outcome } from "./check.js";
import type { Execution } from "./execution.js";
import type { Mismatch } from "./expect/match.js";
import { matchSeries } from "./expect/series.js";
import { findChoiceDoubt, isForCallerLimit, USED_UP_REASON } from "./judge.js";
import { type BuildResult, buildRequest } from "./request.js";
import { save } from "./save.js";
import type { JudgedResponse } from "./shown-steps.js";

/** The responses to a burst or a race in the order of the requests, and the request that reports show; or why no response can be judged. */
export type SeriesResult = { ok: true; responses: WireResponse[]; shown: WireRequest } | { ok: false; why: string };

/** Returns a function that builds the n-th request of a series, counted from 1. `{n}` is the number. */
export function buildSeries(execution: Execution, requests: readonly CompiledRequest[]): (n: number) => BuildResult {
  const alike = requests.map((request) => (request.variables.includes("n") ? undefined : buildRequest(request, execution)));
  return (n) => {
    const place = (n - 1) % requests.length;
    const request = requests[place];
    const look: Lookup = (name) => (name === "n" ? n : execution.look(name));
    return alike[place] ?? (request ? buildRequest(request, { ...execution, look }) : { ok: false, why: "no request" });
  };
}

/** Judges the responses of a burst or a race together. `otherCauseOf` returns why mismatches may have another cause than the server. */
export function judgeSeries(
  execution: Execution,
  step: CompiledStep,
  { responses, shown }: SeriesResult & { ok: true },
  otherCauseOf: (mismatches: readonly Mismatch[]) => Doubt | string | undefined,
): Outcome {
  const { text } = step;
  const expectedSeriesText = interpolateExpected((text.expect ?? {}) as SeriesText, execution.look);
  const { mismatches, empty, items } = matchSeries(expectedSeriesText, responses, execution.run.suite.answers);
  const last = responses.at(-1);
  const missing = last && save(execution, step, last);
  const doubt = mismatches.length > 0 ? otherCauseOf(mismatches) : undefined;
  if (doubt !== undefined) return createInconclusiveResponse(doubt, shown);
  const usedUp = mismatches.length > 0 ? findUsedUp(execution, step, responses) : undefined;
  if (usedUp) return createInconclusiveResponse(findChoiceDoubt(execution, step, usedUp, USED_UP_REASON), shown);
  if (mismatches.length > 0)
    return createFailedOutcome(mismatches, responses.length, shown, responses, listJudgedResponses(shown, responses, mismatches));
  const fault = step.isCheck && isBriefOutage(responses) ? undefined : responses.find(({ status }) => status >= 500);
  if (fault) return createInconclusiveResponse(describeFault(fault), shown);
  if (empty.length > 0) return createInconclusiveResponse(`nothing to judge: ${empty.join("; ")}`, shown);
  if (missing !== undefined) return createInconclusiveResponse(missing, shown);
  return execution.served.withContrasts(createPassedOutcome(responses.length + items), shown, responses);
}

/** Returns the responses that differ, with their mismatches. A mismatch without a number belongs to the first 429. */
function listJudgedResponses(
  request: WireRequest,
  responses: readonly WireResponse[],
  mismatches: readonly Mismatch[],
): JudgedResponse[] {
  const refusal = responses.findIndex(({ status }) => status === 429);
  const ofContent = mismatches.filter(({ isOfCount }) => !isOfCount);
  return responses.flatMap((response, index) => {
    const ownMismatches = ofContent.filter(({ answer: number = refusal + 1 }) => number === index + 1);
    return ownMismatches.length > 0 ? [{ request, response, mismatches: ownMismatches }] : [];
  });
}

function describeFault({ status }: WireResponse): string {
  return `a request got status ${status}${status === 503 ? ". To judge this, repeat the run without an outage" : ""}`;
}

/** Returns whether at most a tenth of the responses are a 503, and no other response is a server error. A larger share is judged. */
export function isBriefOutage(responses: readonly WireResponse[]): boolean {
  const faults = responses.filter(({ status }) => status >= 500);
  return faults.length * 10 <= responses.length && faults.every(({ status }) => status === 503);
}

/** Returns the first refusal if all responses, or the first 429, are refusals because the caller used up credit or a spend limit. */
function findUsedUp(execution: Execution, step: CompiledStep, responses: readonly WireResponse[]): WireResponse | undefined {
  const isSo = (response: WireResponse) => isForCallerLimit(execution, step, response);
  const first = responses.find(({ status }) => status === 429);
  return responses.every(isSo) ? responses[0] : first && isSo(first) ? first : undefined;
}
