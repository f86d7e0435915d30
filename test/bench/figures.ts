/** One measurement: a figure for each server or program, and how ours compares to its goals. */
export interface Figure {
  what: string;
  unit: string;
  /** By the name of the measured program. */
  values: Record<string, number>;
  goals: Goal[];
}

/** A goal: the wanted value, the measured value, and whether it is good enough. */
export interface Goal {
  text: string;
  reached: number;
  met: boolean;
  /** The other program, if `reached` is a ratio, and the direction in which ours is better. */
  ratio?: { other: string; better: "higher" | "lower" };
}

/** Ours in every table. */
export const ours = "counterpart";

/** A figure, without goals at first. */
export function figure(what: string, unit: string, values: Record<string, number>): Figure {
  return { what, unit, values, goals: [] };
}

/** Adds the goal that our figure is at least a multiple of the other one. Returns nothing if one of the two is unknown. */
export function atLeast(one: Figure, times: number, other: string): Figure {
  const reached = one.values[ours]! / one.values[other]!;
  const goal = { text: `>= ${times} x ${other}`, reached, met: reached >= times, ratio: { other, better: "higher" } } as const;
  return withGoal(one, goal);
}

/** Adds the goal that our figure is at most a multiple of the other one. */
export function atMost(one: Figure, times: number, other: string): Figure {
  const reached = one.values[ours]! / one.values[other]!;
  const goal = { text: `<= ${times} x ${other}`, reached, met: reached <= times, ratio: { other, better: "lower" } } as const;
  return withGoal(one, goal);
}

/** Adds the goal that ours is at most this value. */
export function figureWithin(one: Figure, max: number): Figure {
  const reached = one.values[ours]!;
  return withGoal(one, { text: `<= ${max} ${one.unit}`, reached, met: reached <= max });
}

/** The middle of some values. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function withGoal(one: Figure, goal: Goal): Figure {
  return Number.isFinite(goal.reached) ? { ...one, goals: [...one.goals, goal] } : one;
}
