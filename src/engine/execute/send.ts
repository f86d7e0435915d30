import { type Exchange, findGatewayFailure, type WireRequest, type WireResponse } from "../http/exchange.js";
import type { ResponseRules } from "../http/response-rules.js";
import type { ResponseText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import { pause } from "./clock.js";
import { isRefused, isRepeatable, mayStartPaid, NO_BUDGET } from "./cost.js";
import type { Run } from "./run.js";
import type { SendResult, WaitResult } from "./send-result.js";

/** The maximum number of bytes of all pages of a list. It limits the memory that a server can fill. */
export const MAX_LIST_BYTES = 16 * 1024 * 1024;

const MAX_TRIES = 4;
const BACK_OFF_SECONDS = 2;

/**
 * Sends one request and counts it. Masks the secrets of the exchange from then on. Stopping the run aborts only reads: the response to a write
 * must be known.
 */
export async function sendOnce(run: Run, request: WireRequest): Promise<Exchange> {
  const mayCost = mayStartPaid(run, request);
  if (mayCost && !run.budget.take()) return createUnsentExchange(request);
  run.count();
  run.throttle.record(request);
  const exchange = await run.wire.send(request, request.method === "GET" ? run.signal : undefined);
  for (const secret of run.suite.answers.secretsIn(exchange)) run.mask.add(secret);
  run.throttle.readRates(exchange);
  run.serverClock.read(exchange);
  const startedItems = run.sideEffects?.record(exchange) ?? [];
  if (mayCost && isRefused(run, exchange)) run.budget.refund();
  else if (mayCost) run.started.push(...startedItems);
  run.onExchange?.(exchange);
  return exchange;
}

/** Returns the exchange of a request that is not sent because the budget for paid work is used up. */
function createUnsentExchange(request: WireRequest): Exchange {
  return { request, startedAt: 0, endedAt: 0, failure: { kind: "withheld", message: NO_BUDGET } };
}

/**
 * Waits until the throttle has room, then sends a request. Does not wait if the step expects a 429. After an unexpected 429 or 503, waits as
 * long as `Retry-After` says and sends the request again. It does not repeat a write that a gateway answered.
 */
export async function sendPatiently(
  run: Run,
  environment: Environment,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<SendResult> {
  for (let attempt = 1; ; attempt++) {
    const result = wanted.has(429)
      ? ({ ok: true } as const)
      : await waitForRoom(run, environment, () => run.throttle.wait(request));
    if (!result.ok) return { ok: false, request, why: `the server's rate limits leave no room, and ${result.why}` };
    const { response, failure, endedAt } = await sendUntilAnswered(run, environment, request, wanted);
    if (failure?.kind === "withheld") return { ok: false, request, why: failure.message };
    if (failure) return { ok: false, request, why: `no answer: ${failure.message}` };
    const { status } = response;
    // The server may have handled a request to which a gateway answered 503, so only a repeatable one is sent again.
    const isRetried = wanted.has(status) || (status === 503 && isRepeatable(run, request));
    const word = isRetried ? undefined : findGatewayFailure(response);
    if (word !== undefined) return { ok: false, request, why: `no answer: ${word}` };
    if ((status !== 429 && status !== 503) || wanted.has(status)) return { ok: true, request, response, exchanges: 1 };
    const refused = { ok: false, request, refusal: response } as const;
    if (attempt === MAX_TRIES)
      return {
        ...refused,
        why: `status ${status} ${attempt} times in a row, although each wait was as long as the server asked`,
      };
    const waitResult = await pause(
      run,
      environment,
      retryAfterSeconds(response, endedAt) ?? (status === 429 ? environment.target.timing.rateMinuteSeconds : BACK_OFF_SECONDS),
      `the end of a ${status}`,
    );
    if (!waitResult.ok) return { ...refused, why: `the server answered ${status}, and ${waitResult.why}` };
    run.onDelay?.();
  }
}

/** Sends a request, and again if its connection is lost and that is safe. A request that may get a 429 is sent once: the server counts it. */
async function sendUntilAnswered(
  run: Run,
  { fresh: isFresh }: Environment,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<Exchange> {
  for (let tries = 1; ; tries++) {
    const exchange = await sendOnce(run, request);
    const isLost =
      exchange.failure !== undefined ||
      (!wanted.has(exchange.response.status) && findGatewayFailure(exchange.response) !== undefined);
    const mayRepeat = isLost && !wanted.has(429) && exchange.failure?.kind !== "withheld" && run.outages;
    const conditions = { tries, isFresh, isRepeatable: isRepeatable(run, request) };
    if (!mayRepeat || !(await mayRepeat.sendAgain(exchange, conditions))) return exchange;
    run.onDelay?.();
  }
}

/** Waits until the throttle says that there is room. */
export async function waitForRoom(
  run: Run,
  environment: Environment,
  secondsLeft: () => number,
  what = "room below a rate",
): Promise<WaitResult> {
  for (let seconds = secondsLeft(); seconds > 0; seconds = secondsLeft()) {
    const waitResult = await pause(run, environment, seconds, what);
    if (!waitResult.ok) return waitResult;
  }
  return { ok: true };
}

/**
 * Returns which of 429 and 503 an expectation names, by number or by the fields of a refusal. A class such as 4xx names neither. A lower bound
 * names 502 and 504, so that the response of a gateway counts.
 */
export function listWantedStatuses(expectations: readonly (ResponseText | undefined)[], rules: ResponseRules): Set<number> {
  return new Set(
    [429, 502, 503, 504].filter((status) =>
      expectations.some(
        (expectedResponseText) =>
          expectedResponseText &&
          (namesStatus(expectedResponseText.status, status) ||
            (status === 429 && expectedResponseText.error !== undefined && rules.expectsRateRefusal(expectedResponseText.error))),
      ),
    ),
  );
}

function namesStatus(wanted: unknown, status: number): boolean {
  const isGatewayFailure = status === 502 || status === 504;
  if (isGatewayFailure)
    return isRecord(wanted) && Object.keys(wanted).join() === "gte" && typeof wanted.gte === "number" && wanted.gte <= status;
  if (wanted === status || wanted === "any") return true;
  if (Array.isArray(wanted)) return wanted.some((item) => namesStatus(item, status));
  return isRecord(wanted) && namesStatus(wanted.in, status);
}

/** Returns the seconds of `Retry-After`. Compares a date with the `Date` of the response, or without one with the time of arrival. */
export function retryAfterSeconds({ headers }: WireResponse, arrivedAt: number): number | undefined {
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) + 1; // plus one second, because the server's second may have just begun
  const until = Date.parse(value) - (Date.parse(headers.date ?? "") || arrivedAt);
  return Number.isNaN(until) ? undefined : Math.max(0, until / 1000) + 1;
}
