/** The counts of a run, and its failures. */
export interface Tally {
  requests: number;
  worlds: number;
  checked: number;
  faults: number;
  moves: number;
  dropped: number;
  slow: number;
  rows: number;
  /** Responses that never arrived, or that belong to no recorded call. */
  lost: number;
  /** Calls that were answered or done twice. */
  doubled: number;
  /** A sentence for each response that the contract does not allow. */
  broken: string[];
}

/** Nothing done yet. */
export function openTally(): Tally {
  const zero = { requests: 0, worlds: 0, checked: 0, faults: 0, moves: 0, dropped: 0, slow: 0, rows: 0, lost: 0, doubled: 0 };
  return { ...zero, broken: [] };
}

/** Numbers that follow from a seed: a linear congruence is as mixed as is needed here. */
export function openDice(seed: number) {
  let state = (Math.imul(seed, 2654435761) ^ 0x9e3779b9) >>> 0;
  const below = (max: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
  return { below, of: <T>(all: readonly T[]): T => all[below(all.length)] as T };
}

/** A source of such numbers. */
export type Dice = ReturnType<typeof openDice>;
