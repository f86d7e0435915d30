import { at } from "../../engine/execute/expect/pointer.js";
import { bodyJson, type WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Failure, SystemUnderTest } from "../../engine/property/property.js";
import type { RequestText, SeriesText, Step } from "../../engine/scenario/format.js";
import { inconclusive } from "../laws/blame.js";
import type { Operation } from "./linearizable.js";

/** One request of a race: what it does, and how it is sent. */
export interface Contender<Op> {
  op: Op;
  step: Step;
}

/** What came of a race: the history of its operations, or why it says nothing. */
export type RaceResult<Op> = { ok: true; history: Operation<Op, WireResponse>[] } | { ok: false; found: CaseOutcome };

/**
 * Sends all requests at once. Without an answer to each nobody can say what was done; a limit, an outage or a refusal that has nothing to do
 * with the race is no answer. `meant` names statuses that have.
 */
export async function race<Op>(
  sut: SystemUnderTest,
  contenders: readonly Contender<Op>[],
  meant: readonly number[] = [],
): Promise<RaceResult<Op>> {
  const exchanges = await sut.sendAtOnce(contenders.map(({ step }) => step));
  const history: Operation<Op, WireResponse>[] = [];
  for (const [index, { op }] of contenders.entries()) {
    const exchange = exchanges[index];
    if (!exchange?.response) return { ok: false, found: inconclusive(`a request got no answer: ${exchange?.failure?.message}`) };
    if (saysNothing(exchange.response, meant)) return cameBetween(exchange.response);
    history.push({ op, answer: exchange.response, calledAt: exchange.startedAt, returnedAt: exchange.endedAt });
  }
  return { ok: true, history };
}

/** A request sent when the race is over, as the last operation of its history. */
export async function afterwards<Op>(
  sut: SystemUnderTest,
  { op, step }: Contender<Op>,
  history: readonly Operation<Op, WireResponse>[],
  meant: readonly number[] = [],
): Promise<RaceResult<Op>> {
  const sent = await sut.send(step);
  if (!sent.ok) return { ok: false, found: inconclusive(sent.why) };
  if (saysNothing(sent.response, meant)) return cameBetween(sent.response);
  const end = Math.max(...history.map(({ returnedAt }) => returnedAt));
  return { ok: true, history: [...history, { op, answer: sent.response, calledAt: end + 1, returnedAt: end + 2 }] };
}

/** A history that no serial order explains. The answers are the proof, where nobody else acts. */
export function unexplained(sut: SystemUnderTest, clauses: readonly string[], why: string, steps: readonly Step[]): Failure {
  return { verdict: "failed", clauses, why, steps, ...(sut.fresh && { certain: true as const }) };
}

/** A race as a step of a scenario. */
export function raceStep(contenders: readonly Contender<unknown>[], expect?: SeriesText): Step {
  const requests = contenders.map(({ step: { save: _s, id: _i, effect: _e, ...request } }) => request as RequestText);
  return { race: { requests, n: requests.length }, ...(expect && { expect }) };
}

/** A value of an answer's body. */
export function valueAt(answer: WireResponse, pointer: string): unknown {
  const body = bodyJson(answer);
  return body.ok ? at(body.value, pointer) : undefined;
}

/** A status by its class. */
export function isOk({ status }: WireResponse): boolean {
  return status >= 200 && status < 300;
}

/** Statuses in their order, in words. */
export function statusesOf(history: readonly Operation<unknown, WireResponse>[]): string {
  return history.map(({ answer }) => answer.status).join(", ");
}

/** 402 is a gate of spend, 403 one of scopes and plans, 429 a limit; from 500 on nobody knows what was done. */
function saysNothing({ status }: WireResponse, meant: readonly number[]): boolean {
  return !meant.includes(status) && (status === 402 || status === 403 || status === 429 || status >= 500);
}

function cameBetween({ status }: WireResponse): { ok: false; found: CaseOutcome } {
  return { ok: false, found: inconclusive(`status ${status} came between`) };
}
