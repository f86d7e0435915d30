import { findGatewayFailure, type WireRequest, type WireResponse } from "../http/exchange.js";
import { isRefusal } from "../http/mcp.js";
import { waitsBeforeBurst } from "../pacing/throttle.js";
import { findRequestEffect } from "../scenario/effects.js";
import type { SeriesRequest, SeriesText } from "../scenario/format.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { isAlone, RATE_MINUTE_SECONDS } from "../target/target.js";
import { createInconclusiveOutcome, createNoTimeOutcome, createUnansweredOutcome, type Doubt, type Outcome } from "./check.js";
import { pause } from "./clock.js";
import type { Execution } from "./execution.js";
import type { Mismatch } from "./expect/match.js";
import { findChoiceDoubt } from "./judge.js";
import { sendMcp } from "./mcp-request.js";
import { retryAfterSeconds, sendOnce, waitForRoom } from "./send.js";
import { buildSeries, isBriefOutage, judgeSeries, type SeriesResult } from "./series.js";

/** The maximum number of bytes of all responses to a burst. The runner keeps them in memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Runs a burst: sends requests one after the other until the first 429. A burst of tool calls ends at the first refusal. */
export async function executeBurst(execution: Execution, step: CompiledStep): Promise<Outcome> {
  const { burst } = step.text;
  if (!burst) return createInconclusiveOutcome("no request");
  const { run, environment } = execution;
  const build = buildSeries(execution, step.requests);
  const alike = step.requests.flatMap((_, index) => {
    const built = build(index + 1);
    return built.ok ? [built.request] : [];
  });
  // except in a fresh environment, earlier requests may still count in the bucket
  const waitResult = environment.fresh ? { ok: true as const } : await waitForEmpty(execution, alike, burst.n);
  if (!waitResult.ok) return createNoTimeOutcome(`the bucket of the rate limit may not be empty: ${waitResult.why}`);
  const startedAt = run.now();
  const result = await sendBurst(execution, burst, build);
  const seconds = (run.now() - startedAt) / 1000;
  if (!result.ok) return createUnansweredOutcome(result);
  const isRefused = isOver(execution, burst, result.responses.at(-1));
  const outcome = judgeSeries(
    execution,
    step,
    result,
    (mismatches) =>
      describeOutage(result.responses) ??
      findOtherRefusals(execution, step, result.responses, isRefused) ??
      describeSlowBurst(execution, isRefused, seconds) ??
      findOtherCause(execution, burst, isRefused, mismatches),
  );
  const untrue =
    isRefused && outcome.verdict === "failed" ? await findUntrueMinute(execution, step, build, result.responses) : undefined;
  if (untrue !== undefined)
    return createInconclusiveOutcome(`${untrue}; the check expected ${outcome.expected} and got ${outcome.actual}`);
  return isRefused && result.responses.length < burst.n ? { ...outcome, incomplete: true } : outcome;
}

/**
 * Returns why the minute that the target file states may be too short, so that the bucket was not empty: after a whole minute
 * the same burst is refused later. A burst that writes is not repeated, as `--plan` does not count it. Without a repetition, the
 * server must ask for a longer wait. Undefined if neither shows that.
 */
async function findUntrueMinute(
  execution: Execution,
  { requests, text: { burst } }: CompiledStep,
  build: ReturnType<typeof buildSeries>,
  responses: readonly WireResponse[],
): Promise<string | undefined> {
  const { run, environment } = execution;
  const { rateMinuteSeconds: stated } = environment.target.timing;
  if (environment.fresh || stated >= RATE_MINUTE_SECONDS) return undefined;
  const doubt = `timing.rate_minute_s (${stated}) may be untrue`;
  const mayRepeat = async () => (await pause(run, environment, RATE_MINUTE_SECONDS, "a whole minute of the rate limit")).ok;
  const isRead = requests.every(({ text }) => findRequestEffect(text, run.suite.requests) === "read");
  if (!burst || !isRead || !(await mayRepeat())) {
    const last = responses.at(-1);
    const asked = (last && retryAfterSeconds(last, run.now())) ?? 0; // the server's value plus one second
    return asked > Math.ceil(stated) + 1 ? `${doubt}: the server asks for a wait of ${Math.round(asked) - 1} s` : undefined;
  }
  const repeatedSeriesResult = await sendBurst(execution, burst, build);
  const more = repeatedSeriesResult.ok ? repeatedSeriesResult.responses.length - responses.length : 0;
  return more > 0
    ? `${doubt}: after ${RATE_MINUTE_SECONDS} s the server took ${more} more requests before it refused one`
    : undefined;
}

/** Waits until the bucket is empty. Requests of other clients count too if the target is shared. */
function waitForEmpty(
  { run, environment }: Execution,
  requests: readonly WireRequest[],
  count: number,
): ReturnType<typeof waitForRoom> {
  const what = "an empty bucket";
  if (!waitsBeforeBurst(environment.target)) return pause(run, environment, environment.target.timing.rateMinuteSeconds, what);
  return waitForRoom(run, environment, () => run.throttle.waitForBurst(requests, count), what);
}

async function sendBurst(
  execution: Execution,
  burst: SeriesRequest,
  build: ReturnType<typeof buildSeries>,
): Promise<SeriesResult> {
  const responses: WireResponse[] = [];
  let wireRequest: WireRequest | undefined;
  let bytes = 0;
  for (let n = 1; n <= burst.n && !isOver(execution, burst, responses.at(-1)); n++) {
    const buildResult = build(n);
    if (!buildResult.ok) return buildResult;
    wireRequest = buildResult.request;
    const { response, why } = await sendNth(execution, burst, wireRequest);
    const word = response ? findGatewayFailure(response) : why;
    if (!response || word !== undefined) return { ok: false, why: `request ${n} got no answer: ${word}` };
    responses.push(response);
    bytes += response.body.length;
    if (bytes > MAX_BYTES) return { ok: false, why: `all answers together are larger than ${MAX_BYTES} bytes` };
  }
  return wireRequest ? { ok: true, responses, shown: wireRequest } : { ok: false, why: "no request" };
}

async function sendNth(
  execution: Execution,
  { mcp }: SeriesRequest,
  request: WireRequest,
): Promise<{ response?: WireResponse; why?: string }> {
  if (mcp) {
    const result = await sendMcp(execution, request, new Set([429, 503]));
    return result.ok ? { response: result.response } : { why: result.why };
  }
  const { response, failure } = await sendOnce(execution.run, request);
  return response ? { response } : { why: failure.message };
}

/** Returns whether the burst has reached the refusal that it tests. A tool server may refuse in any form. */
function isOver({ run }: Execution, { mcp }: SeriesRequest, last: WireResponse | undefined): boolean {
  return last !== undefined && (mcp ? isRefusal(last, run.suite.answers) : last.status === 429);
}

/** Returns why the burst was too slow to be judged: the bucket refills during a slow burst and need not refuse. */
function describeSlowBurst({ environment }: Execution, isRefused: boolean, seconds: number): string | undefined {
  if (isRefused || seconds <= environment.target.timing.rateMinuteSeconds) return undefined;
  return `the burst took longer than a minute of the rate limit. To judge this, run the suite nearer to the server (${Math.round(seconds)} s)`;
}

/** Returns the reason if some answers are a 503 during a brief outage. */
function describeOutage(responses: readonly WireResponse[]): string | undefined {
  const outages = responses.filter(({ status }) => status === 503).length;
  if (outages === 0 || !isBriefOutage(responses)) return undefined;
  return `some requests got a 503 during a brief outage. To judge this, repeat the run without one (${outages} of ${responses.length} requests)`;
}

/** Returns why a burst without a 429 is inconclusive: the server need not count requests that it refused for another reason. */
function findOtherRefusals(
  execution: Execution,
  step: CompiledStep,
  responses: readonly WireResponse[],
  isRefused: boolean,
): Doubt | undefined {
  const { first429 } = (step.text.expect ?? {}) as SeriesText;
  const otherWireResponses = responses.filter(({ status }) => status >= 400 && status !== 429);
  const [other] = otherWireResponses;
  if (isRefused || first429 === undefined || first429 === null || !other) return undefined;
  const reason = `no request got a 429, but ${otherWireResponses.length} requests were refused for another reason and may not count towards the limit`;
  return findChoiceDoubt(execution, step, other, reason);
}

/** Returns why other clients may have caused the end of a burst; undefined if only the server can have caused it. */
function findOtherCause(
  { environment, keys }: Execution,
  { as = "" }: SeriesRequest,
  isRefused: boolean,
  mismatches: readonly Mismatch[],
): string | undefined {
  const own = keys.has(as) && !(as in environment.keys); // no other client has the key
  if (isAlone(environment.target) || mismatches.some(({ isOfCount }) => !isOfCount)) return undefined;
  if (isRefused && !own)
    return "the limit was reached early; other clients with the same key may have used part of it. To judge this, set exclusive in the target file if there are none";
  return !isRefused && environment.target.clock
    ? "no request was refused, but other clients may have moved the clock. To judge this, set exclusive in the target file if there are none"
    : undefined;
}
