import { isDeepStrictEqual } from "node:util";

/** What one request may be answered in a state, and the state after it. */
export interface Allowed<State, Expectation> {
  expect: Expectation;
  next: State;
}

/** Everything that some requests at once may be answered, one list of expectations an outcome, in the order of the requests. */
export function outcomes<State, Op, Expectation>(
  ops: readonly Op[],
  initial: State,
  allowed: (state: State, op: Op) => readonly Allowed<State, Expectation>[],
): Expectation[][] {
  const found: Expectation[][] = [];
  const visit = (answers: ReadonlyMap<number, Expectation>, state: State): void => {
    if (answers.size === ops.length) {
      const outcome = ops.map((_, index) => answers.get(index) as Expectation);
      if (!found.some((other) => isDeepStrictEqual(other, outcome))) found.push(outcome);
      return;
    }
    for (const [index, op] of ops.entries()) {
      if (answers.has(index)) continue;
      for (const { expect, next } of allowed(state, op)) visit(new Map([...answers, [index, expect]]), next);
    }
  };
  visit(new Map(), initial);
  return found;
}
