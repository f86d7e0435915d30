import { at } from "./at-once.js";
import type { Order, WorkerResult } from "./run-checks.js";

/** The duration of one check on the sound mock, and the mutants that it reaches. */
export interface CheckReach {
  check: string;
  seconds: number;
  /** Mutants that it reaches itself. */
  late: string[];
}

/** The checks that can find each mutant. */
export interface Reach {
  /** Mutants that are reached while the mock is loaded and started: any check may notice them. */
  early: string[];
  checks: CheckReach[];
  /** Checks that fail on the mock without a fault, so they prove nothing. */
  unsound: string[];
}

/**
 * Starts a sound mock, executes every check on it, and records the reached mutants. Only the first check that needs a cached value reaches its
 * computation.
 */
export async function measureReach(
  checks: readonly string[],
  size: number,
  runChecks: (order: Order) => Promise<WorkerResult>,
  onCheck: (done: number, of: number) => void,
): Promise<Reach> {
  const { reached: early = [] } = await runChecks({ on: [], checks: [], note: true });
  const foundCheckReaches = new Map<string, CheckReach>();
  const unsound: string[] = [];
  await at(size, checks, async (check) => {
    const { reached, failed, unsure, broken, seconds } = await runChecks({ on: [], checks: [check], note: true, standing: true });
    if (failed || broken || unsure.length > 0) unsound.push(check);
    else foundCheckReaches.set(check, { check, seconds, late: reached ?? [] });
    onCheck(foundCheckReaches.size + unsound.length, checks.length);
  });
  return { early, checks: checks.flatMap((check) => foundCheckReaches.get(check) ?? []), unsound: unsound.sort() };
}
