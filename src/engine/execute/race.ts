import { findGatewayFailure, type WireRequest, type WireResponse } from "../http/exchange.js";
import type { SeriesText } from "../scenario/format.js";
import { keywords } from "../scenario/keywords.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { createUnansweredOutcome, LESS_BUSY, type Outcome } from "./check.js";
import type { Execution } from "./execution.js";
import { sendOnce } from "./send.js";
import { buildSeries, judgeSeries, type SeriesResult } from "./series.js";

/** Runs a race: sends all its requests at the same time. */
export async function executeRace(execution: Execution, step: CompiledStep): Promise<Outcome> {
  const result = await sendRace(execution, step);
  if (!result.ok) return createUnansweredOutcome(result);
  const wasLimited = isRated(result.responses) && !expectsRefusal(step.text.expect as SeriesText);
  return judgeSeries(execution, step, result, () => (wasLimited ? `a request got an unexpected 429. ${LESS_BUSY}` : undefined));
}

async function sendRace(execution: Execution, { text, requests: texts }: CompiledStep): Promise<SeriesResult> {
  const build = buildSeries(execution, texts);
  const requests: WireRequest[] = [];
  for (let n = 1; n <= keywords.race.cost(text).count; n++) {
    const buildResult = build(n);
    if (!buildResult.ok) return buildResult;
    requests.push(buildResult.request);
  }
  const exchanges = await Promise.all(requests.map((request) => sendOnce(execution.run, request)));
  const [lost] = exchanges.flatMap(({ response, failure }) => (failure ? failure.message : (findGatewayFailure(response) ?? [])));
  if (lost !== undefined) return { ok: false, why: `a request got no answer: ${lost}` };
  const [shown] = requests;
  if (!shown) return { ok: false, why: "no request" };
  return { ok: true, responses: exchanges.flatMap(({ response }) => response ?? []), shown };
}

function isRated(responses: readonly WireResponse[]): boolean {
  return responses.some(({ status }) => status === 429);
}

function expectsRefusal({ statuses = {}, answers: responses = [], oneOf = [] }: SeriesText): boolean {
  const named = [...Object.keys(statuses), ...responses.flatMap(({ status }) => [status].flat().map(String))];
  return named.includes("429") || named.includes("4xx") || oneOf.some(expectsRefusal);
}
