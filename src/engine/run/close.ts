import type { Run } from "../execute/run.js";
import type { Suite } from "../suite.js";
import type { RunResult } from "./options.js";
import type { RunInput } from "./prepare.js";
import { gapLines, targetGaps } from "./target-gaps.js";

/** The result of a run with its last words: what the target lacks that would earn most, and what its file got wrong. */
export function close(suite: Suite, { scenarios, properties }: RunInput, run: Run, result: RunResult): RunResult {
  const lines = gapLines(targetGaps(suite, { scenarios, properties }, run));
  const slips = [...run.bindingsSeen].flatMap(([name, what]) => (what === false ? [] : [{ path: name.split("."), what }]));
  const wrong = run.target.tell?.(slips.map(({ path: [, ...rest], what }) => ({ path: ["bindings", ...rest], what }))) ?? [];
  return { ...result, exitCode: wrong.length > 0 ? 2 : result.exitCode, messages: [...result.messages, ...lines, ...wrong] };
}
