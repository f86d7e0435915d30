import { nearestIn } from "../common/nearest-names.js";
import type { WorkerPart } from "../mock/cluster/workers/join.js";
import type { Mock } from "../mock/in-process/mock-world.js";
import type { Problem } from "../mock/input/problems.js";
import type { MockOptions } from "../mock/worlds/options.js";
import { exitCodes, stop } from "./run.js";

/** Starts a mock on which failures of another server are made small. Throws when it cannot start. */
export async function startSandbox(): Promise<{ url: string; close(): Promise<void> }> {
  return (await import("../mock/in-process/sandbox.js")).startSandbox();
}

/** Starts a mock whose control plane shows how each error comes about, with a store as one of several, as a worker one process of several; or says why it cannot. */
export async function openMock(options: MockOptions, store?: string, worker?: WorkerPart): Promise<Mock | Problem> {
  const { openMock: open } = await import("../mock/server.js");
  const mock = await open(options, {
    recipeOf: async (code) => (await import("../suite/error-recipes.js")).recipeOf(code),
    store,
    worker,
  });
  return "problem" in mock ? { ...mock, problem: withNearest(mock.problem) } : mock;
}

/** What a fixture does not know, with the names that it may be a slip of: the mock names those that are allowed. */
function withNearest(problem: string): string {
  return problem.replace(
    /'([^']+)' is not known here; allowed: (.+)$/gm,
    (sentence, word: string, allowed: string) => sentence + nearestIn(word, allowed.split(", ")),
  );
}

/** Starts a mock on free ports with its clock standing still, does something to it, and takes it down again whatever came of that. */
export async function besideMock(work: (mock: Mock) => Promise<void>, seed = 1): Promise<void> {
  const mock = await openMock({ seed, clock: "frozen" });
  if ("problem" in mock) return stop(mock.problem.split("\n"), exitCodes.fault);
  await work(mock).finally(() => mock.close());
}
