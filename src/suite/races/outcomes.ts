import { isDeepStrictEqual } from "node:util";

/** One answer that a request may be given in a state, and the state after it. */
export interface PossibleAnswer<State, Expectation> {
  expect: Expectation;
  next: State;
}

/** Everything that some requests at once may be answered, one list of expectations an outcome, in the order of the requests. */
export function outcomes<State, Op, Expectation>(
  ops: readonly Op[],
  initial: State,
  answers: (state: State, op: Op) => readonly PossibleAnswer<State, Expectation>[],
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
      for (const { expect, next } of answers(state, op)) visit(new Map([...given, [index, expect]]), next);
    }
  };
  visit(new Map(), initial);
  return found;
}
