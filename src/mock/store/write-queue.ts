import { unkept } from "../unkept.js";
import { keysOf } from "./kept.js";
import type { Redis } from "./redis.js";
import type { Script } from "./scripts.js";

/** The writes of one world, one after the other: behind one that failed none is tried, as memory no longer is what is kept. */
export interface WriteQueue {
  redis: Redis;
  world: string;
  fence: number;
  isOpen: boolean;
  waiting: number;
  /** Done when all is done that waits now. */
  tail: Promise<unknown>;
  /** Told when it is over. */
  onEnd: () => void;
}

/** Does something when its turn comes. */
export function queueWrite(queue: WriteQueue, work: () => Promise<void>): Promise<void> {
  queue.waiting++;
  const done = queue.tail
    .then(() => (queue.isOpen ? work() : Promise.reject(letGo(queue))))
    .finally(() => {
      queue.waiting--;
    });
  queue.tail = done.catch(() => closeQueue(queue));
  return done;
}

/** Lets one of the scripts act on the world; rejects when it is not in these hands any more, and that is the end. */
export async function act(queue: WriteQueue, script: Script, ...more: (string | number)[]): Promise<void> {
  const { meta, log, base, names } = keysOf(queue.world);
  try {
    const [outcome] = await queue.redis.run(script, [meta, log, base, names], queue.fence, ...more);
    if (outcome !== "kept") throw unkept(`the world '${queue.world}' is not in these hands any more: ${outcome}`);
  } catch (error) {
    closeQueue(queue);
    throw error;
  }
}

/** Closes it: what waits, and what comes, is refused. */
export function closeQueue(queue: WriteQueue): void {
  if (queue.isOpen) queue.onEnd();
  queue.isOpen = false;
}

/** Why nothing is written any more. */
export function letGo({ world }: WriteQueue): Error {
  return unkept(`the world '${world}' was let go`);
}
