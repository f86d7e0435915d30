import type { Check } from "../execute/check.js";
import { causesOf } from "./causes.js";

/** What stands before the reason of a check that nobody could judge for a failure that is waived. */
const BEHIND = "behind a failure that is waived: ";

/** Checks that could not be judged only because of failures that are waived are waived as well: those lie in the way until they are mended. */
export function waiveBlockedChecks(checks: readonly Check[]): Check[] {
  const blamed = checks.map((check): Check => {
    if (check.verdict === "waived") return { ...check, verdict: "failed" };
    return check.verdict === "failed" ? { ...check, verdict: "informational" } : check;
  });
  const behind = new Set(causesOf(blamed).flatMap(({ unjudged }) => unjudged));
  return checks.map((check) =>
    behind.has(check.id) ? { ...check, verdict: "waived", reason: `${BEHIND}${check.reason ?? "it was not judged"}` } : check,
  );
}

/** Whether a check is waived for what another failed. */
export function isWaivedAsBlocked({ verdict, reason }: Check): boolean {
  return verdict === "waived" && reason?.startsWith(BEHIND) === true;
}

/** Such a check as it was before. */
export function restoreBlockedCheck(check: Check): Check {
  const reason = (check.reason ?? "").slice(BEHIND.length);
  return { ...check, verdict: reason.startsWith("not played, because ") ? "not-observed" : "inconclusive", reason };
}
