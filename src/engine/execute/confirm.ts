import type { Target } from "../target/target.js";
import type { Check } from "./check.js";
import { overall, type ScenarioResult } from "./result.js";
import { type Run, whyStopped } from "./run.js";

/** How often a failure must come to be a finding: what others do comes more often than bad moments do. */
const TRIES = { together: 5, alone: 2 };
const LONGEST_PAUSE_SECONDS = 2;

/** Whether what a scenario meets is nobody's doing but its own: its world is its own, or the target file says so. */
export function isAlone({ worlds, exclusive }: Target): boolean {
  return worlds !== undefined || exclusive;
}

/** Whether a failure may be another's doing than the contract's: somebody who acts on the same workspace, or a bad moment of the service. */
export function isDoubtful(check: Check, target: Target): boolean {
  return check.verdict === "failed" && (check.stray === true || !isAlone(target));
}

/**
 * Executes a scenario again for the failures in it that are doubtful: only one that comes each time is a finding. What others did passes, and
 * so does a bad moment; what the server does stays. Of a failure that does not come again nobody knows which it was.
 */
export async function confirm(
  run: Run,
  first: ScenarioResult,
  unique: string,
  execute: (unique: string) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  let last = first;
  let requests = first.requests;
  const doubtful = first.checks.filter((check) => isDoubtful(check, run.target)).map(({ id }) => id);
  const certain = first.checks.some(({ verdict, id }) => verdict === "failed" && !doubtful.includes(id));
  let failing = new Set(doubtful);
  const tries = isAlone(run.target) ? TRIES.alone : TRIES.together;
  for (let number = 2; number <= tries && failing.size > 0; number++) {
    await run.sleep(pauseBefore(`${unique}-${number}`, run), run.signal);
    last = await execute(`${unique}-${number}`);
    requests += last.requests;
    failing = new Set(last.checks.filter(({ verdict, id }) => verdict === "failed" && failing.has(id)).map(({ id }) => id));
  }
  const shown = failing.size > 0 && !certain ? last : first;
  const checks = shown.checks.map((check) =>
    isDoubtful(check, run.target) && !failing.has(check.id) ? doubted(check, run) : check,
  );
  const { reason: _, ...rest } = shown;
  return { ...rest, checks, requests, ...overall(checks) };
}

function doubted({ expected, actual, ...check }: Check, run: Run): Check {
  const maybe = isAlone(run.target)
    ? "the service may have had a bad moment"
    : "somebody else may act on this workspace (exclusive is not set)";
  const seen = whyStopped(run) ?? "not so when played again";
  const reason = `expected ${expected}, got ${actual}, and ${seen}: ${maybe}`;
  return { ...check, verdict: "inconclusive", subjects: 0, reason };
}

/** Runs that met once should not meet again; the pause follows from the name of the execution, so that its trace can be replayed. */
function pauseBefore(unique: string, { maxWaitSeconds }: Run): number {
  const sum = [...unique].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 1000, 7);
  return (Math.min(LONGEST_PAUSE_SECONDS, maxWaitSeconds) * sum) / 1000;
}
