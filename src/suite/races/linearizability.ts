import { isDeepStrictEqual } from "node:util";

/** An operation of a history: its call, its response, and the times of both on one clock. */
export interface Operation<Op, Answer> {
  op: Op;
  answer: Answer;
  calledAt: number;
  returnedAt: number;
}

/** A sequential specification. */
export interface Specification<State, Op, Answer> {
  initial: readonly State[];
  /** Returns the possible states after this response; none when the response is impossible in this state. */
  apply(state: State, op: Op, response: Answer): readonly State[];
}

/** A serial order that explains a history, with the possible final states; or the longest prefix that was explained. */
export type Explanation<State> =
  | { ok: true; order: readonly number[]; ends: readonly State[] }
  | { ok: false; longest: readonly number[] };

/**
 * Searches for a serial order in which the specification allows every response. An operation that ended before another began must come first
 * (Herlihy and Wing 1990; the search is Wing and Gong's with Lowe's memoization of states). States must be plain data. Practical for up to about 20
 * operations.
 */
export function explain<State, Op, Answer>(
  history: readonly Operation<Op, Answer>[],
  specification: Specification<State, Op, Answer>,
): Explanation<State> {
  const seen = new Set<string>();
  let longest: readonly number[] = [];
  const search = (
    done: readonly number[],
    states: readonly State[],
  ): { order: readonly number[]; ends: readonly State[] } | undefined => {
    if (done.length > longest.length) longest = done;
    if (done.length === history.length) return { order: done, ends: states };
    const situation = JSON.stringify([[...done].sort((a, b) => a - b), states]);
    if (seen.has(situation)) return undefined;
    seen.add(situation);
    for (const next of listEligible(history, done)) {
      const { op, answer: response } = history[next] as Operation<Op, Answer>;
      const after = dropDuplicates(states.flatMap((state) => specification.apply(state, op, response)));
      const found = after.length > 0 ? search([...done, next], after) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  const found = search([], specification.initial);
  return found ? { ok: true, ...found } : { ok: false, longest };
}

/** Returns the operations that may come next: those that began before every remaining operation had ended. */
function listEligible<Op, Answer>(history: readonly Operation<Op, Answer>[], done: readonly number[]): number[] {
  const left = history.flatMap((_, index) => (done.includes(index) ? [] : [index]));
  const firstEnd = Math.min(...left.map((index) => history[index]?.returnedAt ?? 0));
  return left.filter((index) => (history[index]?.calledAt ?? 0) <= firstEnd);
}

function dropDuplicates<State>(states: readonly State[]): State[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()];
}

/** A possible response to a request in a state, and the state after it. */
export interface PossibleResponse<State, Expectation> {
  expect: Expectation;
  next: State;
}

/** Returns every possible outcome of concurrent requests: one list of expectations per outcome, in the order of the requests. */
export function listOutcomes<State, Op, Expectation>(
  ops: readonly Op[],
  initial: State,
  responses: (state: State, op: Op) => readonly PossibleResponse<State, Expectation>[],
): Expectation[][] {
  const found: Expectation[][] = [];
  const visit = (given: ReadonlyMap<number, Expectation>, state: State): void => {
    if (given.size === ops.length) {
      const outcome = ops.map((_, index) => given.get(index) as Expectation);
      if (!found.some((other) => isDeepStrictEqual(other, outcome))) found.push(outcome);
      return;
    }
    for (const [index, op] of ops.entries()) {
      if (given.has(index)) continue;
      for (const { expect, next } of responses(state, op)) visit(new Map([...given, [index, expect]]), next);
    }
  };
  visit(new Map(), initial);
  return found;
}
