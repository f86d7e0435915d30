import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { catchUp } from "../clock.js";
import { takeCheckpoint } from "../log/checkpoint.js";
import type { LogEntry } from "../log/entry.js";
import type { LogHooks } from "../log/log.js";
import { maskEntry } from "../masking.js";
import type { HostedWorld } from "../worlds.js";
import type { KeptState } from "./kept.js";
import type { Redis } from "./redis.js";
import { append, confirm, rebase, release, remove } from "./scripts.js";
import { act, closeQueue, letGo, queueWrite, type WriteQueue } from "./write-queue.js";

/** A world in these hands: what happens to it is written to the store, in its order and by nobody else. */
export interface Holding {
  hosted: HostedWorld;
  hooks: LogHooks;
  /** When it is free to be called again; null when it is. */
  pause(): Promise<void> | null;
  confirm(): Promise<void>;
  remove(): Promise<void>;
  /** Lets others have it, when all that happened is kept. */
  letGo(): Promise<void>;
}

/** Entries that are written together. */
interface Batch {
  texts: string[];
  /** When the last of them took effect. */
  at: number;
  done: Promise<void>;
}

/** How much was written since a state took the place of what came before, and how long that one was. */
interface Growth {
  entries: number;
  bytes: number;
  base: number;
}

/** So many entries, or bytes of them, are written before a state takes their place: more when the state is larger. */
const [mostEntries, leastBytes] = [2000, 1_048_576];
const compress = promisify(deflate);

/** Holds a world that was taken over. `onEnd` is told when it is no longer in these hands, for whatever reason. */
export function hold(redis: Redis, hosted: HostedWorld, fence: number, onEnd: () => void): Holding {
  const queue: WriteQueue = { redis, world: hosted.id, fence, isOpen: true, waiting: 0, tail: Promise.resolve(), onEnd };
  const growth: Growth = { entries: hosted.log.total - hosted.log.segments[0]!.after, bytes: 0, base: 0 };
  let paused: Promise<void> | null = null;
  let batch: Batch | null = null;

  const write = (entry: LogEntry): Promise<void> => {
    const text = JSON.stringify(maskEntry(entry));
    growth.entries++;
    growth.bytes += text.length;
    batch ??= writeTogether(queue, entry.number - 1, () => {
      batch = null;
    });
    batch.texts.push(text);
    batch.at = redis.time();
    if (!paused && isDue(growth)) void settle(() => writeState(queue, hosted, growth)).catch(() => {});
    return batch.done;
  };
  // nothing begins meanwhile, and all that had begun is kept and answered
  const settle = async (work: () => Promise<void>): Promise<void> => {
    while (paused) await paused;
    let resume = () => {};
    paused = new Promise((resolve) => {
      resume = resolve;
    });
    try {
      while (queue.waiting > 0) {
        await queue.tail;
        await new Promise(setImmediate);
      }
      await work();
    } finally {
      paused = null;
      resume();
    }
  };
  return {
    hosted,
    hooks: {
      onAppend: (entry) => (queue.isOpen ? write(entry) : Promise.reject(letGo(queue))),
      onRewind: () => void writeState(queue, hosted, growth).catch(() => {}),
    },
    pause: () => paused,
    confirm: () => (queue.waiting > 0 ? queueWrite(queue, async () => {}) : act(queue, confirm)),
    remove: () => queueWrite(queue, () => act(queue, remove, hosted.id)).then(() => closeQueue(queue)),
    letGo: () => settle(() => act(queue, release).finally(() => closeQueue(queue))),
  };
}

/** Begins a batch behind an entry; it is closed when its turn comes. */
function writeTogether(queue: WriteQueue, after: number, close: () => void): Batch {
  const batch: Batch = { texts: [], at: 0, done: Promise.resolve() };
  batch.done = queueWrite(queue, () => {
    close();
    return act(queue, append, batch.at, after, ...batch.texts);
  });
  return batch;
}

function isDue({ entries, bytes, base }: Growth): boolean {
  return (entries >= mostEntries || bytes >= leastBytes) && bytes >= 2 * base;
}

/** Writes the state in the place of the log, but not while a call is held back: it would strike on a state that does not know it. */
async function writeState(queue: WriteQueue, hosted: HostedWorld, growth: Growth): Promise<void> {
  const { log, begun, clock } = hosted;
  if (log.waiting > 0) return;
  catchUp(clock);
  const at = queue.redis.time();
  const state: KeptState = { number: log.total, begun, state: takeCheckpoint(hosted) };
  await queueWrite(queue, async () => {
    const text = (await compress(JSON.stringify(state), { level: 1 })).toString("base64");
    Object.assign(growth, { entries: 0, bytes: 0, base: text.length });
    await act(queue, rebase, at, state.number, text);
  });
}
