import type { CaseOutcome, Failure } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";

/** An outcome without a verdict. */
export type Inconclusive = Extract<CaseOutcome, { verdict: "inconclusive" }>;

/** Returns an inconclusive outcome with its reason. */
export function createInconclusive(why: string): Inconclusive {
  return { verdict: "inconclusive", why };
}

/** Returns a failure: the clauses, the observation, and the steps that reproduce it. */
export function createFailure(clauses: readonly string[], why: string, steps: readonly Step[]): Failure {
  return { verdict: "failed", clauses, why, steps };
}
