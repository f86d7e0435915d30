import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Examination, Outcome } from "./examine.js";
import { runTests, type TestsOutcome, type TestsTask } from "./slow-tests.js";

/** Something to measure: a server to examine, or a file of tests to run. */
export type Task = Examination | TestsTask;

/** What came of one task. */
export type Result = { task: Examination; outcome: Outcome } | { task: TestsTask; outcome: TestsOutcome };

/** Does all tasks, a few at a time: servers are examined in threads of their own, tests run in processes of their own. */
export async function doAll(tasks: readonly Task[], workers: number, onResult: (result: Result) => void): Promise<void> {
  let next = 0;
  const serve = async () => {
    const worker = new Worker(new URL("worker.js", import.meta.url));
    try {
      for (let task = tasks[next++]; task; task = tasks[next++]) onResult(await resultOf(task, worker));
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, tasks.length) }, serve));
}

async function resultOf(task: Task, worker: Worker): Promise<Result> {
  if (task.kind === "tests") return { task, outcome: await runTests(task) };
  worker.postMessage(task);
  const [outcome] = (await once(worker, "message")) as [Outcome];
  return { task, outcome };
}
