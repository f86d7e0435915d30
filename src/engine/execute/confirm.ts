import type { Target } from "../target/target.js";
import type { Check } from "./check.js";
import { overall, type ScenarioResult } from "./result.js";
import type { Run } from "./run.js";

const MOST_TRIES = 3;
const LONGEST_PAUSE_SECONDS = 2;

/** Whether what a scenario meets is nobody's doing but its own: its world is its own, or the target file says so. */
export function isAlone({ worlds, exclusive }: Target): boolean {
  return worlds !== undefined || exclusive;
}

/**
 * Executes a failed scenario again where others act on the same workspace: only a check that fails each time is a finding. What others did
 * passes, what the server does stays; of a failure that does not come again nobody knows which of the two it was.
 */
export async function confirm(
  run: Run,
  first: ScenarioResult,
  unique: string,
  execute: (unique: string) => Promise<ScenarioResult>,
): Promise<ScenarioResult> {
  let last = first;
  let requests = first.requests;
  let failing = failed(first.checks);
  for (let number = 2; number <= MOST_TRIES && failing.size > 0; number++) {
    await run.sleep(pauseBefore(`${unique}-${number}`, run), run.signal);
    last = await execute(`${unique}-${number}`);
    requests += last.requests;
    const again = failed(last.checks);
    failing = new Set([...failing].filter((id) => again.has(id)));
  }
  const shown = failing.size > 0 ? last : first;
  const checks = shown.checks.map((check) => (check.verdict === "failed" && !failing.has(check.id) ? doubted(check) : check));
  const { reason: _, ...rest } = shown;
  return { ...rest, checks, requests, ...overall(checks) };
}

function failed(checks: readonly Check[]): Set<string> {
  return new Set(checks.filter(({ verdict }) => verdict === "failed").map(({ id }) => id));
}

function doubted({ expected, actual, ...check }: Check): Check {
  const reason = `expected ${expected}, got ${actual}, and not so when played again: somebody else may act on this workspace (exclusive is not set)`;
  return { ...check, verdict: "inconclusive", subjects: 0, reason };
}

/** Runs that met once should not meet again; the pause follows from the name of the execution, so that its trace can be replayed. */
function pauseBefore(unique: string, { maxWaitSeconds }: Run): number {
  const sum = [...unique].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 1000, 7);
  return (Math.min(LONGEST_PAUSE_SECONDS, maxWaitSeconds) * sum) / 1000;
}
