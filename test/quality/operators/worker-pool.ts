import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Order, SeededOrder, WorkerResult } from "./run-checks.js";

/** Runs orders, a few at a time, each for at most this many seconds. */
export interface WorkerPool {
  runChecks(order: Order, limitSeconds: number): Promise<WorkerResult>;
  close(): Promise<void>;
}

/** The most mocks that one thread loads, because each stays in its memory. */
const MAX_MOCKS_PER_THREAD = 100;
const MAX_MEMORY_MB = 1500;

interface Thread {
  worker: Worker;
  mocks: number;
}

/**
 * Opens this many threads, which draw cases with one seed. Replaces a thread that hangs or breaks, and one that has loaded many copies of the
 * mock.
 */
export function openWorkerPool(size: number, seed: number): WorkerPool {
  const idleThreads: (Thread | undefined)[] = Array.from({ length: size });
  const waiting: (() => void)[] = [];
  const take = async (): Promise<Thread> => {
    while (idleThreads.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return idleThreads.pop() ?? (await startThread());
  };
  const give = (thread: Thread | undefined) => {
    idleThreads.push(thread);
    waiting.shift()?.();
  };
  return {
    async runChecks(order, limitSeconds) {
      const thread = await take();
      const response = await getResponse(thread, { ...order, seed }, limitSeconds);
      if (!order.standing) thread.mocks += 1;
      const isSpent = response === "timeout" || response === "crash" || thread.mocks >= MAX_MOCKS_PER_THREAD;
      if (isSpent) await thread.worker.terminate();
      give(isSpent ? undefined : thread);
      return typeof response === "string" ? { broken: response, unsure: [], seconds: limitSeconds } : response;
    },
    close: async () => void (await Promise.all(idleThreads.map((thread) => thread?.worker.terminate()))),
  };
}

/** A thread that has loaded all modules, because the time for loading says nothing about a server. */
async function startThread(): Promise<Thread> {
  const worker = new Worker(new URL("worker.js", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    stderr: true, // the output of a mock about its faults is ignored
  });
  worker.on("error", () => {}); // the current order reports it
  await once(worker, "message");
  return { worker, mocks: 0 };
}

/** Returns the response of a thread, or how it ended without one. */
async function getResponse(
  { worker }: Thread,
  order: SeededOrder,
  limitSeconds: number,
): Promise<WorkerResult | "timeout" | "crash"> {
  const over = new AbortController();
  const { signal } = over;
  const timer = setTimeout(() => over.abort(), limitSeconds * 1000);
  worker.postMessage(order);
  try {
    const answered = once(worker, "message", { signal }).then(([response]) => response as WorkerResult);
    const workerExit = once(worker, "exit", { signal }).then(() => "crash" as const);
    return await Promise.race([answered, workerExit]);
  } catch {
    return signal.aborted ? "timeout" : "crash";
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}
