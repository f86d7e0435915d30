import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Outcome, Task } from "./examine.js";

/** Examines all servers, a few at a time, each worker in a thread of its own. The order of outcomes is that of the tasks. */
export async function examineAll(
  tasks: readonly Task[],
  workers: number,
  onOutcome: (outcome: Outcome, done: number) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  let done = 0;
  const serve = async () => {
    const worker = new Worker(new URL("worker.js", import.meta.url));
    try {
      for (let index = next++; index < tasks.length; index = next++) {
        worker.postMessage(tasks[index]);
        const [outcome] = (await once(worker, "message")) as [Outcome];
        outcomes[index] = outcome;
        onOutcome(outcome, ++done);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: workers }, serve));
  return outcomes;
}
