import { formatDuration } from "../../common/phrases.js";
import type { ScenarioHead } from "../scenario/scenario.js";
import type { Check, Verdict } from "./check.js";
import { explainStop, type Run } from "./run.js";

/** The reason for not executing a scenario or property. */
export interface SkipReason {
  /** The profile of the run excludes it, or the target does not meet a need. */
  by: "profile" | "target";
  /** The reason in words. */
  why: string;
  /** The need that the target does not meet. */
  unmet?: string;
  /** Every item that is missing: fields of the target file, and flags such as `--profile full`. */
  missing: readonly string[];
  /** The target offers what is needed, but it did not work when the run began. */
  isUnusable?: true;
}

/** The result of executing a scenario. `reason` explains a verdict other than `passed`. */
export interface ScenarioResult {
  scenario: ScenarioHead;
  verdict: Verdict;
  reason?: string;
  /** The reason that prevented its execution. Clauses of a scenario that the profile excludes do not count as tested. */
  skippedBy?: SkipReason["by"];
  /** The items that are missing to execute it. */
  missing?: readonly string[];
  requests: number;
  /** The operations that succeeded in it. Absent if it sent nothing. */
  served?: string[];
  checks: Check[];
}

/** Returns the verdict of a scenario from those of its checks. */
export function combineChecks(checks: readonly Check[]): { verdict: Verdict; reason?: string } {
  const worst = (["failed", "harness-error", "inconclusive"] as const).find((verdict) =>
    checks.some((each) => each.verdict === verdict),
  );
  if (!worst && checks.length === 0) return { verdict: "inconclusive", reason: "nothing was checked" };
  if (!worst) return { verdict: checks.some(({ verdict }) => verdict === "passed") ? "passed" : "informational" };
  const first = checks.find(({ verdict }) => verdict === worst);
  return { verdict: worst, reason: `${first?.step}: ${first?.reason ?? first?.actual ?? worst}` };
}

/** Returns whether only the server can be the cause of all verdicts of a scenario: passed, informational or not applicable. */
export function isSettled({ verdict, checks }: Pick<ScenarioResult, "verdict" | "checks">): boolean {
  return [verdict, ...checks.map((check) => check.verdict)].every((each) => CONCLUSIVE_VERDICTS.has(each));
}

/** The verdicts that leave nothing open. */
export const CONCLUSIVE_VERDICTS: ReadonlySet<Verdict> = new Set(["passed", "informational", "not-applicable"]);

/** The item that a scenario lacks if the deadline of the run leaves no time for it. */
export const LONGER_DEADLINE = "a longer --deadline";

/** The verdict of a scenario that was not run to its end. */
export type StopVerdict = Pick<ScenarioResult, "verdict" | "reason" | "missing">;

/** Returns the verdict of a scenario that a stopped run does not finish; undefined while the run goes on. */
export function createStopVerdict(run: Pick<Run, "signal" | "deadline" | "deadlineSeconds" | "now">): StopVerdict | undefined {
  const reason = explainStop(run);
  if (reason === undefined) return undefined;
  return (run.signal.aborted ? undefined : createDeadlineVerdict(run)) ?? { verdict: "not-observed", reason };
}

/** Returns the verdict of a scenario that did not run before the deadline. A deadline is a selection, as a profile is. */
export function createDeadlineVerdict({ deadlineSeconds }: Pick<Run, "deadlineSeconds">): StopVerdict | undefined {
  if (deadlineSeconds === undefined) return undefined;
  const reason = `the deadline of ${formatDuration(deadlineSeconds)} leaves no time for it`;
  return { verdict: "not-applicable", reason, missing: [LONGER_DEADLINE] };
}
