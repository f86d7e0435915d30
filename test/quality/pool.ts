import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Examination, nothing, type Outcome } from "./examine.js";
import { runTests, type TestsOutcome, type TestsTask } from "./slow-tests.js";
import { hasNoControl } from "./variants.js";

/** A task of a measurement: a server to examine, or a test file to run. */
export type Task = Examination | TestsTask;

/** The result of one task. */
export type Result = { task: Examination; outcome: Outcome } | { task: TestsTask; outcome: TestsOutcome };

/**
 * Does all tasks, a few at a time: servers are examined in threads of their own, tests run in processes of their own. As many threads again
 * examine the servers without a control: there the runner waits nearly all the time, and a processor core would be idle.
 */
export async function runTasks(tasks: readonly Task[], workers: number, onResult: (result: Result) => void): Promise<void> {
  const isWaiting = (task: Task) => task.kind === "variant" && hasNoControl(task.name);
  const queues = [tasks.filter((task) => !isWaiting(task)), tasks.filter(isWaiting)];
  const serve = async (queue: Task[]) => {
    let worker = startWorker();
    try {
      for (let task = queue.shift(); task; task = queue.shift()) {
        const result = await getResult(task, worker);
        onResult(result);
        if (!("broken" in result.outcome)) continue;
        await worker.terminate();
        worker = startWorker();
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(queues.flatMap((queue) => Array.from({ length: Math.min(workers, queue.length) }, () => serve(queue))));
}

async function getResult(task: Task, worker: Worker): Promise<Result> {
  if (task.kind === "tests") return { task, outcome: await runTests(task) };
  const begun = performance.now();
  worker.postMessage(task);
  const response = await getResponse(worker, LIMIT_SECONDS[task.kind]);
  if (typeof response !== "string") return { task, outcome: response };
  const seconds = (performance.now() - begun) / 1000;
  return { task, outcome: { name: task.name, seconds, ...nothing, problem: response, broken: response } };
}

/** Far more seconds than an examination takes on the mock without a fault. */
const LIMIT_SECONDS = { mutant: 300, variant: 1200, constant: 300 } as const;

function startWorker(): Worker {
  const worker = new Worker(new URL("worker.js", import.meta.url));
  worker.on("error", () => {}); // the examination under way reports the crash
  return worker;
}

/** Returns the outcome of the examination under way, or how it ended without one. */
async function getResponse(worker: Worker, limitSeconds: number): Promise<Outcome | "timeout" | "crash"> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), limitSeconds * 1000);
  try {
    const answered = once(worker, "message", { signal: over.signal }).then(([outcome]) => outcome as Outcome);
    const ended = once(worker, "exit", { signal: over.signal }).then(() => "crash" as const);
    return await Promise.race([answered, ended]);
  } catch {
    return over.signal.aborted ? "timeout" : "crash";
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
