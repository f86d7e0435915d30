import { parseBodyJson, resolvePointer, type WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Failure, SystemUnderTest } from "../../engine/property/property.js";
import type { RequestText, SeriesText, Step } from "../../engine/scenario/format.js";
import { createInconclusive } from "../laws/outcome.js";
import type { Operation } from "./linearizability.js";

/** A request of a race: its operation, and the step that sends it. */
export interface RaceRequest<Op> {
  op: Op;
  step: Step;
}

/** The result of a race: the history of its operations, or an outcome that ends the case. */
export type RaceResult<Op> = { ok: true; history: Operation<Op, WireResponse>[] } | { ok: false; found: CaseOutcome };

/**
 * Sends all requests concurrently. The case is inconclusive when a request gets no response, or a limit, an outage or an unrelated refusal.
 * `expected` lists statuses that are part of the race.
 */
export async function runRace<Op>(
  sut: SystemUnderTest,
  contenders: readonly RaceRequest<Op>[],
  expected: readonly number[] = [],
): Promise<RaceResult<Op>> {
  const exchanges = await sut.sendAtOnce(contenders.map(({ step: readStep }) => readStep));
  const history: Operation<Op, WireResponse>[] = [];
  for (const [index, { op }] of contenders.entries()) {
    const exchange = exchanges[index];
    if (!exchange?.response)
      return { ok: false, found: createInconclusive(`a request got no response: ${exchange?.failure?.message}`) };
    if (isNeutral(exchange.response, expected)) return createInterruption(exchange.response);
    history.push({ op, answer: exchange.response, calledAt: exchange.startedAt, returnedAt: exchange.endedAt });
  }
  return { ok: true, history };
}

/** Sends a request after the race, as the last operation of its history. */
export async function sendAfterRace<Op>(
  sut: SystemUnderTest,
  { op, step: readStep }: RaceRequest<Op>,
  history: readonly Operation<Op, WireResponse>[],
  expected: readonly number[] = [],
): Promise<RaceResult<Op>> {
  const stepResult = await sut.send(readStep);
  if (!stepResult.ok) return { ok: false, found: createInconclusive(stepResult.why) };
  if (isNeutral(stepResult.response, expected)) return createInterruption(stepResult.response);
  const end = Math.max(...history.map(({ returnedAt }) => returnedAt));
  return { ok: true, history: [...history, { op, answer: stepResult.response, calledAt: end + 1, returnedAt: end + 2 }] };
}

/** Returns the failure of a history without a serial order. The responses are the proof where nobody else changes the server. */
export function createNotSerializable(
  sut: SystemUnderTest,
  clauses: readonly string[],
  why: string,
  steps: readonly Step[],
): Failure {
  return { verdict: "failed", clauses, why, steps, ...(sut.fresh && { certain: true as const }) };
}

/** Returns a race as a step of a scenario. */
export function createRaceStep(contenders: readonly RaceRequest<unknown>[], expect?: SeriesText): Step {
  const requests = contenders.map(({ step: { save: _s, id: _i, effect: _e, ...request } }) => request as RequestText);
  return { race: { requests, n: requests.length }, ...(expect && { expect }) };
}

/** Returns a value of a response body. */
export function readValue(response: WireResponse, pointer: string): unknown {
  const body = parseBodyJson(response);
  return body.ok ? resolvePointer(body.value, pointer) : undefined;
}

/** Returns whether a status is 2xx. */
export function isOk({ status }: WireResponse): boolean {
  return status >= 200 && status < 300;
}

/** Returns the statuses of a history as text. */
export function formatStatuses(history: readonly Operation<unknown, WireResponse>[]): string {
  return history.map(({ answer: response }) => response.status).join(", ");
}

/**
 * Returns whether a status shows nothing about the race. 402 concerns credit, 403 scopes and plans, 429 limits; after a 5xx the outcome is unknown.
 */
function isNeutral({ status }: WireResponse, expectedStatuses: readonly number[]): boolean {
  return !expectedStatuses.includes(status) && (status === 402 || status === 403 || status === 429 || status >= 500);
}

function createInterruption({ status }: WireResponse): { ok: false; found: CaseOutcome } {
  return { ok: false, found: createInconclusive(`status ${status} interrupted the race`) };
}
