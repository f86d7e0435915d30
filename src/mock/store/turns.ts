import { unkept } from "../unkept.js";
import { keysOf } from "./kept.js";
import type { Redis } from "./redis.js";
import type { Script } from "./scripts.js";

/** The writes of one world, one after the other: behind one that failed none is tried, as memory no longer is what is kept. */
export interface Turns {
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
export function inTurn(turns: Turns, work: () => Promise<void>): Promise<void> {
  turns.waiting++;
  const done = turns.tail
    .then(() => (turns.isOpen ? work() : Promise.reject(letGo(turns))))
    .finally(() => {
      turns.waiting--;
    });
  turns.tail = done.catch(() => endTurns(turns));
  return done;
}

/** Lets one of the scripts act on the world; rejects when it is not in these hands any more, and that is the end. */
export async function act(turns: Turns, script: Script, ...more: (string | number)[]): Promise<void> {
  const { meta, log, base, names } = keysOf(turns.world);
  try {
    const [outcome] = await turns.redis.run(script, [meta, log, base, names], turns.fence, ...more);
    if (outcome !== "kept") throw unkept(`the world '${turns.world}' is not in these hands any more: ${outcome}`);
  } catch (error) {
    endTurns(turns);
    throw error;
  }
}

/** Ends them: what waits, and what comes, is refused. */
export function endTurns(turns: Turns): void {
  if (turns.isOpen) turns.onEnd();
  turns.isOpen = false;
}

/** Why nothing is written any more. */
export function letGo({ world }: Turns): Error {
  return unkept(`the world '${world}' was let go`);
}
