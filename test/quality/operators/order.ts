import type { OperatorMutant } from "./instrument.js";
import type { CheckReach, Reach } from "./reach.js";

/** The checks that can find a mutant, the likeliest and cheapest first. */
export interface Ranking {
  /** Whether a mutant is reached while the mock is loaded and started, and whether it is later. */
  isEarly(mutant: OperatorMutant): boolean;
  isLate(mutant: OperatorMutant): boolean;
  of(mutant: OperatorMutant): CheckReach[];
  /** Records that a check has found a mutant: it is likely to find others of its file. */
  learn(mutant: OperatorMutant, check: string): void;
}

/** Ranks checks by the mutants nearby that they found, then by their share of code in the mutant's file; cheap ones first. */
export function openRanking(reach: Reach, mutants: readonly OperatorMutant[]): Ranking {
  const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
  const early = new Set(reach.early);
  const late = new Map(reach.checks.map(({ check, late }) => [check, new Set(late)]));
  const shares = new Map(reach.checks.map((check) => [check.check, getShares(check, fileOf)]));
  const everLate = new Set(reach.checks.flatMap(({ late }) => late));
  const killCounts = new Map<string, number>();
  return {
    isEarly: ({ id }) => early.has(id),
    isLate: ({ id }) => everLate.has(id),
    of(mutant) {
      const { id, file } = mutant;
      const able = reach.checks.filter(({ check }) => early.has(id) || late.get(check)?.has(id));
      const killsPerSecond = ({ check, seconds }: CheckReach): number =>
        ((late.get(check)?.has(id) ? 1 : 0.05) *
          ((killCounts.get(`${file} ${check}`) ?? 0) + (shares.get(check)?.get(file) ?? 0))) /
        seconds;
      return able
        .map((checkReach) => ({ one: checkReach, worth: killsPerSecond(checkReach) }))
        .sort((a, b) => b.worth - a.worth)
        .map(({ one }) => one);
    },
    learn({ file }, check) {
      const key = `${file} ${check}`;
      killCounts.set(key, (killCounts.get(key) ?? 0) + 1);
    },
  };
}

/** Returns for each file the share of the mutants that a check reaches. */
function getShares({ late }: CheckReach, fileOf: ReadonlyMap<string, string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of late) {
    const file = fileOf.get(id) ?? "";
    counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return new Map([...counts].map(([file, count]) => [file, count / late.length]));
}
