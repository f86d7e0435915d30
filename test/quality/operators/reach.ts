import { at } from "./at-once.js";
import type { Answer, Order } from "./play.js";

/** What the sound mock shows of one check: how long it takes, and which mutants it reaches. */
export interface CheckReach {
  check: string;
  seconds: number;
  /** Mutants that it reaches itself. */
  late: string[];
}

/** Which checks can notice which mutants. */
export interface Reach {
  /** Mutants that are reached while the mock is loaded and started: any check may notice them. */
  early: string[];
  checks: CheckReach[];
  /** Checks that the sound mock does not pass, so that they prove nothing. */
  unsound: string[];
}

/**
 * Starts a sound mock, puts every check to one that stands, and looks what is reached. What a mock works out once and keeps is reached by the
 * first check that needs it alone.
 */
export async function lookAround(
  checks: readonly string[],
  size: number,
  play: (order: Order) => Promise<Answer>,
  onCheck: (done: number, of: number) => void,
): Promise<Reach> {
  const { reached: early = [] } = await play({ on: [], checks: [], note: true });
  const found = new Map<string, CheckReach>();
  const unsound: string[] = [];
  await at(size, checks, async (check) => {
    const { reached, failed, unsure, broken, seconds } = await play({ on: [], checks: [check], note: true, standing: true });
    if (failed || broken || unsure.length > 0) unsound.push(check);
    else found.set(check, { check, seconds, late: reached ?? [] });
    onCheck(found.size + unsound.length, checks.length);
  });
  return { early, checks: checks.flatMap((check) => found.get(check) ?? []), unsound: unsound.sort() };
}
