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
}

/** Ours in every table. */
export const ours = "counterpart";

/** A figure, without goals at first. */
export function figure(what: string, unit: string, values: Record<string, number>): Figure {
  return { what, unit, values, goals: [] };
}

/** Adds the goal that our figure is at least a multiple of the other one. Returns nothing if one of the two is unknown. */
export function atLeast(one: Figure, times: number, other: string): Figure {
  return withGoal(one, one.values[ours]! / one.values[other]!, `>= ${times} x ${other}`, (reached) => reached >= times);
}

/** Adds the goal that our figure is at most a multiple of the other one. */
export function atMost(one: Figure, times: number, other: string): Figure {
  return withGoal(one, one.values[ours]! / one.values[other]!, `<= ${times} x ${other}`, (reached) => reached <= times);
}

/** Adds the goal that ours is at most this value. */
export function within(one: Figure, most: number): Figure {
  return withGoal(one, one.values[ours]!, `<= ${most} ${one.unit}`, (reached) => reached <= most);
}

/** The middle of some values. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function withGoal(one: Figure, reached: number, text: string, meetsNeed: (reached: number) => boolean): Figure {
  return Number.isFinite(reached) ? { ...one, goals: [...one.goals, { text, reached, met: meetsNeed(reached) }] } : one;
}
