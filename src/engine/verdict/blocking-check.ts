import type { Check } from "../execute/check.js";

/** Returns the check because of which the runner skipped a check, across several steps of its scenario; the check itself if there is none. */
export function findBlockingCheck(checks: readonly Check[], check: Check): Check {
  let first = check;
  for (const seenChecks = new Set<Check>(); first.blocked_by !== undefined && !seenChecks.has(first); ) {
    seenChecks.add(first);
    const { scenario, blocked_by: step = "" } = first;
    first = checks.find((one) => one.scenario === scenario && (one.step === step || one.step.startsWith(`${step}[`))) ?? first;
  }
  return first;
}
