import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { takeCheckpoint } from "../log/checkpoint.js";
import type { LogEntry } from "../log/entry.js";
import type { LogHooks } from "../log/log.js";
import { maskEntry } from "../log/masking.js";
import type { HostedWorld } from "../worlds.js";
import { type KeptState, keysOf } from "./kept.js";
import type { Redis } from "./redis.js";
import { append, confirm, rebase, release, remove, type Script } from "./scripts.js";
import { unkept } from "./unkept.js";

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

/** So many entries, or bytes of them, are written before a state takes their place: more when the state is larger. */
const [mostEntries, leastBytes] = [2000, 1_048_576];
const compress = promisify(deflate);

/** Holds a world that was taken over. `onEnd` is told when it is no longer in these hands, for whatever reason. */
export function hold(redis: Redis, hosted: HostedWorld, fence: number, onEnd: () => void): Holding {
  const { id } = hosted;
  const keys = keysOf(id);
  let isOpen = true;
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let paused: Promise<void> | null = null;
  let batch: { texts: string[]; done: Promise<void> } | null = null;
  const since = { entries: hosted.log.total - hosted.log.segments[0]!.after, bytes: 0, base: 0 };

  const end = () => {
    if (isOpen) onEnd();
    isOpen = false;
  };
  const ask = async (script: Script, ...more: (string | number)[]) => {
    const names = [keys.meta, keys.log, keys.base, keys.names];
    const [outcome] = await redis.run(script, names, fence, ...more);
    if (outcome !== "kept") throw unkept(`the world '${id}' is not in these hands any more: ${outcome}`);
  };
  // one after the other; behind one that failed none is tried, as what is in memory is no longer what is kept
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    waiting++;
    const done = tail
      .then(() => (isOpen ? work() : Promise.reject(unkept(`the world '${id}' was let go`))))
      .finally(() => waiting--);
    tail = done.catch(end);
    return done;
  };
  const write = (entry: LogEntry): Promise<void> => {
    const text = JSON.stringify(maskEntry(entry));
    since.entries++;
    since.bytes += text.length;
    if (!batch) {
      const mine = { texts: [] as string[], done: Promise.resolve() };
      batch = mine;
      mine.done = inTurn(() => {
        batch = null;
        return ask(append, entry.number - 1, ...mine.texts);
      });
      if (!paused && isDue()) void settle(writeBase).catch(() => {});
    }
    batch.texts.push(text);
    return batch.done;
  };
  const isDue = () => (since.entries >= mostEntries || since.bytes >= leastBytes) && since.bytes >= 2 * since.base;
  const writeBase = async () => {
    const { log, begun } = hosted;
    // one that is held back would strike on a state that does not know it
    if (log.waiting > 0) return;
    const state: KeptState = { number: log.total, begun, state: takeCheckpoint(hosted) };
    await inTurn(async () => {
      const text = (await compress(JSON.stringify(state), { level: 1 })).toString("base64");
      Object.assign(since, { entries: 0, bytes: 0, base: text.length });
      await ask(rebase, state.number, text);
    });
  };
  // nothing begins meanwhile, and all that had begun is kept and answered
  const settle = async (work: () => Promise<void>): Promise<void> => {
    while (paused) await paused;
    let resume = () => {};
    paused = new Promise((resolve) => (resume = resolve));
    try {
      while (waiting > 0) {
        await tail;
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
      onAppend: (entry) => (isOpen ? write(entry) : Promise.reject(unkept(`the world '${id}' was let go`))),
      onRewind: () => void writeBase().catch(() => {}),
    },
    pause: () => paused,
    confirm: async () => {
      if (waiting > 0) await inTurn(async () => {});
      else
        await ask(confirm).catch((error: unknown) => {
          end();
          throw error;
        });
    },
    remove: () => inTurn(() => ask(remove, id)).then(end),
    letGo: () =>
      settle(async () => {
        await ask(release).finally(end);
      }),
  };
}
