import { durationText } from "../../common/phrases.js";
import type { ScenarioResult } from "./result.js";
import { type Run, whyStopped } from "./run.js";

/** The item that a scenario lacks if the deadline of the run leaves no time for it. */
export const LONGER_DEADLINE = "a longer --deadline";

/** The verdict of a scenario that was not run to its end. */
export type StopVerdict = Pick<ScenarioResult, "verdict" | "reason" | "missing">;

/** Returns the verdict of a scenario that a stopped run does not finish; undefined while the run goes on. */
export function stopVerdict(run: Pick<Run, "signal" | "deadline" | "deadlineSeconds" | "now">): StopVerdict | undefined {
  const reason = whyStopped(run);
  if (reason === undefined) return undefined;
  return (run.signal.aborted ? undefined : deadlineVerdict(run)) ?? { verdict: "not-observed", reason };
}

/** Returns the verdict of a scenario that did not run before the deadline. A deadline is a selection, as a profile is. */
export function deadlineVerdict({ deadlineSeconds }: Pick<Run, "deadlineSeconds">): StopVerdict | undefined {
  if (deadlineSeconds === undefined) return undefined;
  const reason = `the deadline of ${durationText(deadlineSeconds)} leaves no time for it`;
  return { verdict: "not-applicable", reason, missing: [LONGER_DEADLINE] };
}
