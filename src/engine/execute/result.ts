import type { ScenarioHead } from "../scenario/scenario.js";
import type { Check, Verdict } from "./check.js";

/** The result of executing a scenario. `reason` explains a verdict other than `passed`. */
export interface ScenarioResult {
  scenario: ScenarioHead;
  verdict: Verdict;
  reason?: string;
  /** Whether the profile of the run excludes it. Its clauses then do not count as tested. */
  outside?: boolean;
  requests: number;
  checks: Check[];
}

/** Returns the verdict of a scenario from those of its checks. */
export function overall(checks: readonly Check[]): { verdict: Verdict; reason?: string } {
  const worst = (["failed", "harness-error", "inconclusive"] as const).find((verdict) =>
    checks.some((each) => each.verdict === verdict),
  );
  if (!worst && checks.length === 0) return { verdict: "inconclusive", reason: "nothing was checked" };
  if (!worst) return { verdict: checks.some(({ verdict }) => verdict === "passed") ? "passed" : "informational" };
  const first = checks.find(({ verdict }) => verdict === worst);
  return { verdict: worst, reason: `${first?.step}: ${first?.reason ?? first?.actual ?? worst}` };
}
