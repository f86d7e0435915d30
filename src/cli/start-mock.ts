import { renameSync } from "node:fs";
import { formatJson } from "../common/escape/visible.js";
import { exitCodes } from "../common/outcomes.js";
import { formatProblemLines, type Problem } from "../common/problem.js";
import { writeOutputFile } from "../common/user-file.js";
import type { WorkerPart } from "../mock/cluster/workers/join.js";
import type { Mock } from "../mock/in-process/mock-world.js";
import type { MockOptions } from "../mock/worlds/options.js";
import { stop } from "./run.js";

/** Starts a mock on which the runner shrinks failures of another server. Throws when it cannot start. */
export async function startSandbox(): Promise<{ url: string; close(): Promise<void> }> {
  return (await import("../mock/in-process/sandbox.js")).startSandbox();
}

/**
 * Starts a mock whose control plane has a recipe for each error. With `store` it shares its worlds; with `worker` it is one process of several.
 * Returns the problem if it cannot start.
 */
export async function startSilentMock(options: MockOptions, store?: string, worker?: WorkerPart): Promise<Mock | Problem> {
  const { openMock: open } = await import("../mock/server.js");
  return open(options, {
    recipeOf: async (code) => (await import("../suite/error-recipes.js")).readRecipe(code),
    store,
    worker,
  });
}

/** Starts a mock on free ports with a frozen clock, runs `work` with it, and closes it, also when `work` fails. */
export async function runWithMock(work: (mock: Mock) => Promise<void>, seed = 1): Promise<void> {
  const mock = await startSilentMock({ seed, clock: "frozen" });
  if ("problem" in mock) return stop(formatProblemLines(mock), exitCodes["harness-error"]);
  await work(mock).finally(() => mock.close());
}

/** Writes a snapshot of the default world to a file. If that fails, the earlier file stays as it was. */
export function exportSnapshot(mock: Mock, file: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeOutputFile(temporary, `${formatJson(mock.snapshot())}\n`);
    renameSync(temporary, file);
  } catch (error) {
    stop(`The world could not be exported to ${file}: ${(error as Error).message}.`, exitCodes["bad-input"]);
  }
}
