import type { WireResponse } from "../../../engine/http/exchange.js";
import type { Failure, SystemUnderTest } from "../../../engine/property/property.js";
import type { ResponseText, Step } from "../../../engine/scenario/format.js";
import { isRefusal, readResponseErrorCode } from "../../response-rules.js";
import { describeRequest } from "../lists/reading-failures.js";
import { createFailure } from "../outcome.js";
import { prepare } from "../steps.js";
import { groupBursts } from "./bursts.js";
import { type Breach, findBreach, type RateResponse } from "./rate-bounds.js";
import type { RateLimit } from "./rate-limit.js";
import { isSpendLimit, judgeRefusal, readWaitSeconds, type Shortage } from "./refusal.js";

/** When a limit is tried again: the gap in seconds after its first refusal, and whether a rest of two minutes follows. */
export interface RetryPlan {
  gapSeconds: number;
  rests: boolean;
}

/** A request to send when the limit first refuses, and its required result. */
export interface RequestAtLimit {
  step: Step;
  clause: string;
  /** The covered values of the clause, by dimension. */
  values?: Readonly<Record<string, readonly string[]>>;
  refused: boolean;
  /** The request that undoes an accepted one. */
  undo?: Step;
}

/** How to test a limit. */
interface Trial {
  /** Without `course`, the trial ends at the first refusal. */
  course?: RetryPlan;
  /** Steps that a counterexample needs first. */
  before: readonly Step[];
  neighbours?: readonly RequestAtLimit[];
  /** Changes of the key or its workspace before the limit is tried again. They must not reset the limit. */
  between?: readonly Step[];
}

/** The result of a trial: the findings, the reason why it is inconclusive, or a failure. */
export type RateResult = ({ ok: true } & Findings) | NoResult | Failure;

/** The observations of a conforming trial. */
export interface Findings {
  /** Number of responses. */
  subjects: number;
  /** Whether a 429 had a Retry-After, and whether waiting for it helped. */
  hasRetryAfter: boolean;
  helped: boolean;
  /** The other requests that were sent. */
  neighbours: readonly RequestAtLimit[];
}

/** A trial in progress. */
interface Attempt extends Trial {
  sut: SystemUnderTest;
  limit: RateLimit;
  /** Every request and wait so far, as steps. */
  moves: Step[];
  answers: RateResponse[];
  /** Index in `moves` of each response's request. */
  places: number[];
  bursts: number;
  hasRetryAfter: boolean;
  helped: boolean;
  seen: RequestAtLimit[];
}

/** The coverage kind of limits with a complete course. */
const TRIED_AGAIN_POINT = "limits tried again";
/** Maximum number of other failures before the trial ends. */
const MAX_OTHER_REQUESTS = 3;
/** Two minutes and a second, in seconds: after this every window is unused again. */
export const REST_SECONDS = 121;

/**
 * Uses up a limit several times and compares every response with the bounds of `rate-bounds.ts`. It starts with an unused limit.
 * Two more tries follow a few seconds later, after changes of the key. The last ones follow a minute later, after Retry-After and after a rest.
 */
export async function tryLimit(sut: SystemUnderTest, limit: RateLimit, trial: Trial): Promise<RateResult> {
  const attempt: Attempt = {
    ...trial,
    sut,
    limit,
    moves: [],
    answers: [],
    places: [],
    bursts: 0,
    hasRetryAfter: false,
    helped: false,
    seen: [],
  };
  const first = await useUp(attempt);
  if ("verdict" in first || !first.ok) return first;
  const failure = (await sendNeighbours(attempt)) ?? (await useUpAgain(attempt));
  if (failure && "verdict" in failure) return failure;
  const { hasRetryAfter, helped, seen, answers: responses } = attempt;
  return { ok: true, subjects: responses.length, hasRetryAfter, helped, neighbours: seen };
}

/**
 * Runs the rest of the course. A step that cannot run ends the trial without a failure; the coverage shows which limits were not tried to the end.
 */
async function useUpAgain(attempt: Attempt): Promise<NoResult | Failure | undefined> {
  const { sut, limit, course } = attempt;
  if (!course) return undefined;
  sut.coverage.expect(TRIED_AGAIN_POINT, [limit.name]);
  const failure = await followCourse(attempt, course);
  if (!failure) sut.coverage.reach(TRIED_AGAIN_POINT, limit.name);
  return failure;
}

async function followCourse(attempt: Attempt, { gapSeconds, rests }: RetryPlan): Promise<NoResult | Failure | undefined> {
  const second = (await wait(attempt, gapSeconds)) ?? (await change(attempt)) ?? (await useUp(attempt));
  if ("verdict" in second || !second.ok) return second;
  const third = (await wait(attempt, gapSeconds)) ?? (await change(attempt)) ?? (await useUp(attempt));
  if ("verdict" in third || !third.ok) return third;
  const fourth = (await waitUntil(attempt, third.fromMs + 60_000)) ?? (await useUp(attempt));
  if ("verdict" in fourth || !fourth.ok) return fourth;
  const failure = await waitRetryAfter(attempt, fourth.response);
  if (failure || !rests) return failure;
  const last = (await wait(attempt, REST_SECONDS)) ?? (await useUp(attempt));
  return "verdict" in last || !last.ok ? last : undefined;
}

/** Why a trial is inconclusive. */
type NoResult = { ok: false; why: string };

type UseResult = { ok: true; fromMs: number; response: WireResponse } | NoResult | Failure;

/** Sends requests until one is refused, and judges all responses so far. */
async function useUp(attempt: Attempt): Promise<UseResult> {
  const { sut, limit, answers: responses } = attempt;
  const burst = attempt.bursts++;
  const fromMs = (await sut.now()).getTime();
  const earlierCount = responses.length;
  const max = 2 * limit.max + 2;
  let others = 0;
  let refusal: WireResponse | undefined;
  for (let n = 0; n < max && others <= MAX_OTHER_REQUESTS && !refusal; n++) {
    const sent = await sendNext(attempt, burst, fromMs);
    if (!sent.ok) return sent;
    if (sent.outcome === "refused") refusal = sent.response;
    if (sent.outcome === "other") others += 1;
  }
  const toMs = (await sut.now()).getTime();
  for (const response of responses.slice(earlierCount)) response.toMs = toMs;
  const breach = findBreach(responses, limit);
  // Only requests that cost money can meet a ceiling.
  const isPaid = limit.requests.some(({ mcp }) => mcp);
  if (breach?.required === "served" && isPaid && refusal && readResponseErrorCode(refusal) === "rate_limit_budget")
    return { ok: false, why: `${limit.name}: a refusal for money interrupted the trial` };
  if (breach) return createBreachFailure(attempt, breach);
  if (!refusal) return { ok: false, why: `${limit.name}: the server refused nothing, because requests failed or took too long` };
  const { moves, before } = attempt;
  const steps = [...before, ...groupBursts(moves.slice(0, -1))];
  const wrongRefusal = judgeRefusal(describeShortage(limit), steps, moves.at(-1) as Step, refusal);
  attempt.hasRetryAfter ||= refusal.status === 429;
  return wrongRefusal ?? { ok: true, fromMs, response: refusal };
}

type NextResult = { ok: true; outcome: RateResponse["outcome"]; response: WireResponse } | { ok: false; why: string };

/** Sends the next request that counts against the limit, and the request that enables the next one. */
async function sendNext(
  { sut, limit, answers: responses, moves, places }: Attempt,
  burst: number,
  fromMs: number,
): Promise<NextResult> {
  const served = responses.filter(({ outcome }) => outcome === "served").length;
  const request = chooseRequest(limit, served);
  const sent = await sut.send(request);
  if (!sent.ok) return sent;
  const outcome = classifyResponse(request, sent.response);
  if (outcome === undefined) return { ok: false, why: `${limit.name}: status ${sent.response.status} interrupted the trial` };
  places.push(moves.push(request) - 1);
  responses.push({ outcome, fromMs, toMs: fromMs, burst });
  if (outcome === "served" && limit.after) {
    const after = addCounter(limit.after, served);
    const done = await sut.send(after);
    if (!done.ok) return done;
    moves.push(after);
  }
  return { ok: true, outcome, response: sent.response };
}

/** Returns undefined for a response that ends the trial: a server failure, or no credit. */
function classifyResponse({ mcp, rest = "" }: Step, response: WireResponse): RateResponse["outcome"] | undefined {
  if (response.status >= 500) return undefined;
  if (mcp) return isRefusal(response) ? "refused" : "served";
  if (response.status === 429) return isSpendLimit(rest, response) ? undefined : "refused";
  return response.status < 300 ? "served" : "other";
}

function chooseRequest({ requests }: RateLimit, count: number): Step {
  return addCounter({ ...(requests[count % requests.length] as Step), retry: false }, count);
}

/** Replaces `{i}` in a step with a number. */
function addCounter(step: Step, i: number): Step {
  return JSON.parse(JSON.stringify(step).replaceAll("{i}", String(i))) as Step;
}

/** Sends the other requests while the limit is used up. Every refusal must say how long to wait. */
async function sendNeighbours({ sut, limit, moves, before, seen, neighbours = [] }: Attempt): Promise<Failure | undefined> {
  const startedMs = (await sut.now()).getTime();
  const steps = [...before, ...groupBursts(moves)];
  for (const neighbour of neighbours) {
    const { step, clause, refused, undo } = neighbour;
    const sentOnce = { ...step, retry: false };
    const sent = await sut.send(sentOnce);
    if (!sent.ok) continue;
    if (undo && sent.response.status < 300) await sut.send(undo);
    if (sent.response.status === 429 && isSpendLimit(step.rest ?? "", sent.response)) continue; // the spend ceiling is another limit
    const isRefused = step.mcp ? isRefusal(sent.response) : sent.response.status === 429;
    const shortage = refused ? describeShortage(limit) : ({ name: nameStep(step) } as const);
    const wrongRefusal = judgeRefusal(shortage, steps, sentOnce, sent.response);
    if (wrongRefusal) return wrongRefusal;
    if (isRefused === refused) seen.push(neighbour);
    if (isRefused === refused) continue;
    // the limit may have been reset, and another refusal may come first
    if (refused && ((await sut.now()).getTime() !== startedMs || (!step.mcp && sent.response.status >= 300))) continue;
    const why = refused ? `is accepted although ${limit.name} is used up` : `is refused because ${limit.name} is used up`;
    const checkedStep = { ...sentOnce, expect: createExpectation(step, refused) };
    return createFailure([clause], `${nameStep(step)} ${why}`, [...steps, checkedStep]);
  }
  return undefined;
}

/** BUCKET-CODE, LIMIT-EFFECTIVE-KEY: the error code separates a rate limit from a spend ceiling. */
function describeShortage({ name, kind }: RateLimit): Shortage {
  const clause = kind === "path bucket" ? "BUCKET-CODE" : "LIMIT-EFFECTIVE-KEY";
  return { name, own: { code: "rate_limit_qps", clause } };
}

/** Returns the expectation of a request that the rate limit refuses, or does not refuse. */
function createExpectation({ mcp }: Step, refused: boolean): ResponseText {
  if (mcp) return refused ? { refused: true } : { content: { type: "string" } };
  return { status: refused ? 429 : { not: 429 } };
}

function nameStep(step: Step): string {
  return step.mcp ? `a call of ${step.mcp.tool ?? "the tool server"}` : describeRequest(step);
}

/** RETRY-AFTER-HELPS: a client that waits that long, plus one second, is accepted. */
async function waitRetryAfter(attempt: Attempt, refusal: WireResponse): Promise<NoResult | Failure | undefined> {
  const { sut, limit, moves, answers: responses, before } = attempt;
  const seconds = refusal.status === 429 ? readWaitSeconds(refusal) : undefined;
  if (seconds === undefined) return undefined;
  const step = moves.at(-1) as Step;
  const earlier = moves.slice(0, -1);
  const noResult = await wait(attempt, seconds + 1);
  if (noResult) return noResult;
  const fromMs = (await sut.now()).getTime();
  const sent = await sendNext(attempt, attempt.bursts++, fromMs);
  if (!sent.ok) return sent;
  for (const response of responses.slice(-1)) response.toMs = (await sut.now()).getTime();
  attempt.helped = sent.outcome !== "refused";
  if (attempt.helped) return undefined;
  return createFailure(["RETRY-AFTER-HELPS"], `${limit.name}: the server refuses a request after the Retry-After wait`, [
    ...before,
    ...groupBursts(earlier),
    { ...step, given: { status: 429 }, save: { wait: "header:retry-after" } },
    { clock: { by: "{wait}s" } },
    { clock: { by: "1s" } },
    { ...(moves.at(-1) as Step), expect: createExpectation(step, false) },
  ]);
}

async function change({ sut, moves, between = [] }: Attempt): Promise<NoResult | undefined> {
  if (await prepare(sut, between)) return { ok: false, why: "the key or its workspace could not be changed" };
  moves.push(...between);
  return undefined;
}

async function waitUntil(attempt: Attempt, timeMs: number): Promise<NoResult | undefined> {
  const beforeMs = (await attempt.sut.now()).getTime();
  return wait(attempt, Math.floor((timeMs - beforeMs) / 1000));
}

async function wait({ sut, moves }: Attempt, seconds: number): Promise<NoResult | undefined> {
  if (seconds <= 0) return undefined;
  const waitResult = await sut.wait(seconds);
  if (!waitResult.ok) return waitResult;
  moves.push({ clock: { by: `${seconds}s` } });
  return undefined;
}

/** Returns the counterexample of a breach: every step up to the response that breaks the limit. */
function createBreachFailure({ limit, moves, places, before }: Attempt, { index, required, why }: Breach): Failure {
  const place = places[index] ?? 0;
  const last = moves[place] as Step;
  return createFailure(limit.clauses, `${limit.name}: ${nameStep(last)} ${why}`, [
    ...before,
    ...groupBursts(moves.slice(0, place)),
    { ...last, expect: createExpectation(last, required === "refused") },
  ]);
}
