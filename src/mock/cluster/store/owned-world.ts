import { promisify } from "node:util";
import { deflate } from "node:zlib";
import { catchUp } from "../../worlds/clock.js";
import { maxBytes, minKept } from "../../worlds/log/append.js";
import { takeCheckpoint } from "../../worlds/log/checkpoint.js";
import type { LogEntry } from "../../worlds/log/entry.js";
import type { LogHooks } from "../../worlds/log/log.js";
import { maskEntry } from "../../worlds/log/masking.js";
import type { WorldEntry } from "../../worlds/worlds.js";
import type { Redis } from "./redis.js";
import { append, confirm, release, remove, save } from "./scripts.js";
import { channelPrefix, type LoadedWorld, type StoredSegment, type StoredState, type WorldCopy } from "./stored-world.js";
import {
  closeQueue,
  continueQueue,
  createDroppedError,
  enqueueWrite,
  openQueue,
  queueWrite,
  type WriteQueue,
} from "./write-queue.js";

/** A world that this mock owns. The mock writes the changes of the world to the store in order. */
export interface OwnedWorld {
  worldEntry: WorldEntry;
  /** The fencing token of the lease: the store refuses writes with an older one. */
  fence: number;
  hooks: LogHooks;
  /** Resolves when the world accepts calls again; null if it accepts calls now. */
  pause(): Promise<void> | null;
  /** Resolves when all changes are written and the mock is still the owner. */
  confirm(): Promise<void>;
  remove(): Promise<void>;
  /** Lets other mocks acquire the world after all changes are written. Returns a copy with `keepsCopy`, unless a fault delays a call. */
  release(keepsCopy?: boolean): Promise<WorldCopy | null>;
  /** Removes the world from memory at once. Refuses calls that have no response yet. */
  drop(): void;
}

/** Entries that are written together. */
interface Batch {
  texts: string[];
  /** Time of the store at which the last entry took effect. */
  at: number;
  done: Promise<void>;
}

/** The part of a world's log that is in the store. */
interface StoredLog {
  /** Segments, oldest first. */
  segments: StoredSegment[];
  /** Length of the newest state. */
  stateBytes: number;
}

/** The mock writes a state after this many entries or bytes of entries. It writes a larger state less often. */
const [maxEntries, minBytes] = [2000, 1_048_576];
const compress = promisify(deflate);

/** Makes a mock the owner of a loaded world. Calls `onEnd` once, when the mock is no longer the owner. */
export function ownWorld(redis: Redis, { worldEntry, ...stored }: LoadedWorld, fence: number, onEnd: () => void): OwnedWorld {
  const queue = openQueue({ redis, world: worldEntry.id, fence, onEnd });
  let paused: Promise<void> | null = null;
  let batch: Batch | null = null;
  let released: Promise<WorldCopy | null> | null = null;

  const write = (entry: LogEntry): Promise<void> => {
    const text = JSON.stringify(maskEntry(entry));
    stored.segments.at(-1)!.bytes += text.length;
    batch ??= writeTogether(queue, entry.number - 1, (written) => {
      if (batch === written) batch = null;
    });
    batch.texts.push(text);
    batch.at = redis.time();
    if (!paused && isDue(stored, entry.number)) void settle(() => saveState(queue, worldEntry, stored)).catch(() => {});
    return batch.done;
  };
  // holds new calls, and works after all earlier calls are written and answered
  const settle = async <T>(work: () => Promise<T>): Promise<T> => {
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
      return await work();
    } finally {
      paused = null;
      resume();
    }
  };
  return {
    worldEntry,
    fence,
    hooks: {
      onAppend: (entry) => (queue.isOpen ? write(entry) : Promise.reject(createDroppedError(queue))),
      onRewind: () => {
        batch = null; // later entries are written after the rewind
        void saveRewind(queue, worldEntry, stored).catch(() => {});
      },
    },
    pause: () => paused,
    // a waiting write also confirms the ownership; if this caller changed the world, that is its own write
    confirm: () => (queue.waiting > 0 ? queue.newest : queueWrite(queue, () => continueQueue(queue, confirm, worldEntry.id))),
    remove: () => queueWrite(queue, () => enqueueWrite(queue, remove, worldEntry.id)).then(() => closeQueue(queue)),
    release: (keepsCopy = false) => {
      released ??= settle(async () => {
        const copy = keepsCopy ? copyState(queue, worldEntry, stored) : null;
        await enqueueWrite(queue, release, worldEntry.id, channelPrefix).finally(() => closeQueue(queue));
        return copy;
      });
      return released;
    },
    drop: () => closeQueue(queue),
  };
}

/** Begins a batch after an entry. The batch is closed when it is written. */
function writeTogether(queue: WriteQueue, after: number, close: (batch: Batch) => void): Batch {
  const batch: Batch = { texts: [], at: 0, done: Promise.resolve() };
  batch.done = queueWrite(queue, () => {
    close(batch);
    return enqueueWrite(queue, append, batch.at, after, ...batch.texts);
  });
  return batch;
}

function isDue({ segments, stateBytes }: StoredLog, total: number): boolean {
  const { after, bytes } = segments.at(-1)!;
  return (total - after >= maxEntries || bytes >= minBytes) && bytes >= 2 * stateBytes;
}

/**
 * Writes the state and deletes the oldest entries. The next load starts from this state. A delayed call postpones this, because the state does not
 * contain it.
 */
async function saveState(queue: WriteQueue, worldEntry: WorldEntry, stored: StoredLog): Promise<void> {
  const { segments } = stored;
  const now = readState(queue, worldEntry);
  if (!now) return;
  const { at, state } = now;
  segments.push({ after: state.number, bytes: 0 });
  while (isTooMuch(segments, state.number)) segments.shift();
  const first = segments[0]!.after;
  await queueWrite(queue, async () => {
    const text = (await compress(JSON.stringify(state), { level: 1 })).toString("base64");
    stored.stateBytes = text.length;
    await enqueueWrite(queue, save, at, state.number, first, text);
  });
}

/** Returns the state of a world and the store's time of it; null while a fault delays a call, because the state does not contain that call. */
function readState({ redis }: WriteQueue, worldEntry: WorldEntry): { state: StoredState; at: number } | null {
  const { log, begun, clock } = worldEntry;
  if (log.waiting > 0) return null;
  catchUp(clock);
  return { at: redis.time(), state: { number: log.total, begun, state: takeCheckpoint(worldEntry) } };
}

function copyState(queue: WriteQueue, worldEntry: WorldEntry, { segments, stateBytes }: StoredLog): WorldCopy | null {
  const now = readState(queue, worldEntry);
  // a call that began before the release can still add an entry, which the store refuses
  const log = worldEntry.log.segments.map((segment) => ({ ...segment, entries: [...segment.entries] }));
  return (
    now && {
      ...now,
      fence: queue.fence,
      segments: segments.map((segment) => ({ ...segment })),
      stateBytes,
      log,
      tally: worldEntry.tally,
    }
  );
}

/** Deletes the rewound entries. If the store does not contain the new end, writes the state instead of the whole log. */
async function saveRewind(queue: WriteQueue, worldEntry: WorldEntry, stored: StoredLog): Promise<void> {
  const { segments } = stored;
  const last = worldEntry.log.total;
  while (segments.length > 0 && segments.at(-1)!.after > last) segments.pop();
  const [oldest] = segments;
  if (!oldest) return saveState(queue, worldEntry, stored);
  const at = queue.redis.time();
  await queueWrite(queue, () => enqueueWrite(queue, save, at, last, oldest.after));
}

/** Returns whether the oldest segment can be deleted: the documented number of entries remains, or all entries together are too large. */
function isTooMuch(segments: readonly StoredSegment[], total: number): boolean {
  const next = segments[1];
  return next !== undefined && (total - next.after >= minKept || segments.reduce((sum, { bytes }) => sum + bytes, 0) >= maxBytes);
}
