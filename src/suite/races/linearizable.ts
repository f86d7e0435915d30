/** One operation of a history: when it was called, when its answer was there, and the answer. Times of any one clock. */
export interface Operation<Op, Answer> {
  op: Op;
  answer: Answer;
  calledAt: number;
  returnedAt: number;
}

/** What a thing does one operation at a time. */
export interface Specification<State, Op, Answer> {
  initial: readonly State[];
  /** The states in which the thing may be after it gave this answer; none when it cannot have given it. */
  apply(state: State, op: Op, answer: Answer): readonly State[];
}

/** A serial order that explains a history and the states it may end in, or the longest stretch of it that could be explained. */
export type Explanation<State> =
  | { ok: true; order: readonly number[]; ends: readonly State[] }
  | { ok: false; longest: readonly number[] };

/**
 * Looks for a serial order of the operations in which each answer is one that the specification gives, and in which an operation that had its
 * answer before another was called comes before it (Herlihy and Wing 1990; the search is Wing and Gong's, with the states seen so far kept as
 * in Lowe's). States must be plain data. Up to some twenty operations.
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
    for (const next of eligible(history, done)) {
      const { op, answer } = history[next] as Operation<Op, Answer>;
      const after = distinct(states.flatMap((state) => specification.apply(state, op, answer)));
      const found = after.length > 0 ? search([...done, next], after) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  const found = search([], specification.initial);
  return found ? { ok: true, ...found } : { ok: false, longest };
}

/** The operations that may come next: those that no other one still to come had ended before. */
function eligible<Op, Answer>(history: readonly Operation<Op, Answer>[], done: readonly number[]): number[] {
  const left = history.flatMap((_, index) => (done.includes(index) ? [] : [index]));
  const firstEnd = Math.min(...left.map((index) => history[index]?.returnedAt ?? 0));
  return left.filter((index) => (history[index]?.calledAt ?? 0) <= firstEnd);
}

function distinct<State>(states: readonly State[]): State[] {
  return [...new Map(states.map((state) => [JSON.stringify(state), state])).values()];
}
