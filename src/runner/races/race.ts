import { at } from "../expect/pointer.js";
import { inconclusive } from "../laws/blame.js";
import type { Failure, Found, Scene } from "../property/property.js";
import type { RequestText, SeriesText, Step } from "../scenario/format.js";
import { bodyJson, type Exchange, type WireResponse } from "../wire/exchange.js";
import type { Operation } from "./linearizable.js";

/** One request of a race: what it does, and how it is sent. */
export interface Contender<Op> {
  op: Op;
  step: Step;
}

/** What a race told: the history of its operations, or why it tells nothing. */
export type Raced<Op> = { ok: true; history: Operation<Op, WireResponse>[] } | { ok: false; found: Found };

/** Sends all requests at once. Without an answer to each nobody can say what was done; a limit or an outage is no answer. */
export async function race<Op>(scene: Scene, contenders: readonly Contender<Op>[]): Promise<Raced<Op>> {
  const exchanges = await scene.together(contenders.map(({ step }) => step));
  const history: Operation<Op, WireResponse>[] = [];
  for (const [index, { op }] of contenders.entries()) {
    const exchange = exchanges[index];
    if (!exchange?.response) return { ok: false, found: inconclusive(`a request got no answer: ${exchange?.failure?.message}`) };
    if (saysNothing(exchange)) return { ok: false, found: inconclusive(`status ${exchange.response.status} came between`) };
    history.push({ op, answer: exchange.response, calledAt: exchange.startedAt, returnedAt: exchange.endedAt });
  }
  return { ok: true, history };
}

/** A request sent when the race is over, as the last operation of its history. */
export async function afterwards<Op>(
  scene: Scene,
  { op, step }: Contender<Op>,
  history: readonly Operation<Op, WireResponse>[],
): Promise<Raced<Op>> {
  const sent = await scene.send(step);
  if (!sent.ok) return { ok: false, found: inconclusive(sent.why) };
  const end = Math.max(...history.map(({ returnedAt }) => returnedAt));
  return { ok: true, history: [...history, { op, answer: sent.response, calledAt: end + 1, returnedAt: end + 2 }] };
}

/** A history that no serial order explains. The answers are the proof, where nobody else acts. */
export function unexplained(scene: Scene, clauses: readonly string[], why: string, steps: readonly Step[]): Failure {
  return { verdict: "failed", clauses, why, steps, ...(scene.fresh && { certain: true as const }) };
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

/** Statuses in their order, as they are told. */
export function statusesOf(history: readonly Operation<unknown, WireResponse>[]): string {
  return history.map(({ answer }) => answer.status).join(", ");
}

/** 402 is a gate of spend, 429 a limit, from 500 on nobody knows what was done. */
function saysNothing({ response }: Exchange): boolean {
  return response !== undefined && (response.status === 402 || response.status === 429 || response.status >= 500);
}
