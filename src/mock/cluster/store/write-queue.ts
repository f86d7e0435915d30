import { createNotPersistedError } from "../not-persisted.js";
import type { Redis } from "./redis.js";
import { release, type Script } from "./scripts.js";
import { buildKeys, channelPrefix } from "./stored-world.js";

/** The writes of one world in order. A failed write closes the queue, because memory and store differ then. */
export interface WriteQueue {
  redis: Redis;
  world: string;
  fence: number;
  isOpen: boolean;
  /** The number of the newest write to the store. */
  number: number;
  waiting: number;
  /** The last queued work. */
  newest: Promise<void>;
  /** Resolves when every queued write is done. */
  tail: Promise<unknown>;
  /** Called once, when the queue closes. */
  onEnd: () => void;
}

/** Opens the queue of a world that this mock owns. */
export function openQueue(of: Pick<WriteQueue, "redis" | "world" | "fence" | "onEnd">): WriteQueue {
  const done = Promise.resolve();
  return { ...of, isOpen: true, number: 0, waiting: 0, newest: done, tail: done };
}

/** Performs work after all earlier work. */
export function queueWrite(queue: WriteQueue, work: () => Promise<void>): Promise<void> {
  queue.waiting++;
  const done = queue.tail
    .then(() => (queue.isOpen ? work() : Promise.reject(createDroppedError(queue))))
    .finally(() => {
      queue.waiting--;
    });
  queue.newest = done;
  queue.tail = done.catch(() => closeQueue(queue));
  return done;
}

/** Writes to the world. If the mock is no longer the owner, or the store does not answer, rejects and closes the queue. */
export function enqueueWrite(queue: WriteQueue, script: Script, ...more: (string | number)[]): Promise<void> {
  return continueQueue(queue, script, ++queue.number, ...more);
}

/** Runs a script on the world, as `enqueueWrite` does. */
export async function continueQueue(queue: WriteQueue, script: Script, ...more: (string | number)[]): Promise<void> {
  const { meta, log, states, names } = buildKeys(queue.world);
  try {
    const [outcome] = await queue.redis.run(script, [meta, log, states, names], queue.fence, ...more);
    if (outcome !== "kept")
      throw createNotPersistedError(`this mock does not own the world '${queue.world}' any more: ${outcome}`);
  } catch (error) {
    if (queue.isOpen) {
      closeQueue(queue);
      void enqueueWrite(queue, release, queue.world, channelPrefix).catch(() => {}); // other mocks need not wait for the end of the lease
    }
    throw error;
  }
}

/** Closes the queue. It rejects the waiting writes and all later ones. */
export function closeQueue(queue: WriteQueue): void {
  if (queue.isOpen) queue.onEnd();
  queue.isOpen = false;
}

/** Returns the reason why the queue is closed. */
export function createDroppedError({ world }: WriteQueue): Error {
  return createNotPersistedError(`this mock does not own the world '${world}' any more`);
}
