import { isAlone, type Target } from "../target/target.js";
import type { Check } from "./check.js";
import { combineChecks, type ScenarioResult } from "./result.js";
import { explainStop, type Run } from "./run.js";

/** How often a failure must happen to be a finding. Interference by other clients is more frequent than a brief outage. */
const CONFIRMATION_TRIES = { together: 5, alone: 2 };
const MAX_PAUSE_SECONDS = 2;

/** Returns whether a failure may have another cause than the contract: other users of the workspace, or a brief outage. */
export function mayHaveOtherCause(check: Check, target: Target): boolean {
  return check.verdict === "failed" && (check.serverError === true || !isAlone(target));
}

/**
 * Executes a scenario again if a failure in it may have another cause. Only a failure that happens each time is a finding. Other failures
 * become inconclusive.
 */
export async function confirm(
  run: Run,
  first: ScenarioResult,
  unique: string,
  execute: (unique: string) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  let last = first;
  let requests = first.requests;
  const doubtful = first.checks.filter((check) => mayHaveOtherCause(check, run.target)).map(({ id }) => id);
  const isCertain = first.checks.some(({ verdict, id }) => verdict === "failed" && !doubtful.includes(id));
  let failing = new Set(doubtful);
  const tries = isAlone(run.target) ? CONFIRMATION_TRIES.alone : CONFIRMATION_TRIES.together;
  for (let number = 2; number <= tries && failing.size > 0; number++) {
    await run.sleep(pauseBefore(`${unique}-${number}`, run), run.signal);
    last = await execute(`${unique}-${number}`);
    requests += last.requests;
    failing = new Set(last.checks.filter(({ verdict, id }) => verdict === "failed" && failing.has(id)).map(({ id }) => id));
  }
  const scenarioResult = failing.size > 0 && !isCertain ? last : first;
  const checks = scenarioResult.checks.map((check) =>
    mayHaveOtherCause(check, run.target) && !failing.has(check.id) ? makeInconclusive(check, run) : check,
  );
  const { reason: _, ...rest } = scenarioResult;
  return { ...rest, checks, requests, ...combineChecks(checks) };
}

function makeInconclusive({ expected, actual, ...check }: Check, run: Run): Check {
  const otherCause = isAlone(run.target)
    ? "the service may have had a brief outage"
    : "other clients may use this workspace. To judge this, set exclusive in the target file if there are none";
  const seen = explainStop(run) ?? "this did not happen again";
  const reason = `expected ${expected}, got ${actual}, and ${seen}: ${otherCause}`;
  return { ...check, verdict: "inconclusive", subjects: 0, reason };
}

/**
 * Returns the pause in seconds before the next try. It differs between runs, so that two runs rarely disturb each other twice.
 * It depends only on the name of the execution, so a replay has the same pause.
 */
function pauseBefore(unique: string, { maxWaitSeconds }: Run): number {
  const sum = [...unique].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 1000, 7);
  return (Math.min(MAX_PAUSE_SECONDS, maxWaitSeconds) * sum) / 1000;
}
