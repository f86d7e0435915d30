import { promisify } from "node:util";
import { inflate } from "node:zlib";
import type { MockContext } from "../../context.js";
import { beginWorld, replayEntry, type WorldStart, wake } from "../../replay/replay-log.js";
import { loadFixture, nameOfFixture } from "../../worlds/fixtures.js";
import { appendUnreplayed, beginSegment } from "../../worlds/log/append.js";
import { returnTo } from "../../worlds/log/checkpoint.js";
import type { LogEntry } from "../../worlds/log/entry.js";
import { type Checkpoint, openLog } from "../../worlds/log/log.js";
import type { WorldConfiguration, WorldEntry } from "../../worlds/worlds.js";
import type { Redis } from "./redis.js";

/** The state of a world after the entry of a number. */
export interface StoredState {
  number: number;
  begun: number;
  state: Checkpoint;
}

/** The entries in the store between two states. */
export interface StoredSegment {
  /** Number of the last entry before them. */
  after: number;
  bytes: number;
}

/** A world that was read from the store, with the stored part of its log. */
export interface LoadedWorld {
  worldEntry: WorldEntry;
  segments: StoredSegment[];
  /** Length of the newest state. */
  stateBytes: number;
}

type StoredWorldStart = Omit<WorldStart, "configuration"> & {
  configuration: Omit<WorldConfiguration, "fixture"> & { fixture: WorldConfiguration["fixture"] | string };
};

const prefix = "counterpart:";
const pageSize = 1000;
/** After this many milliseconds, a load lets other work proceed. */
const mostBusyMs = 20;
const expand = promisify(inflate);

/** The key of the settings that all mocks of the cluster share. */
export const settingsKey = `${prefix}settings`;
/** The layout of the data in the store. A mock refuses a store with another one. */
export const layout = 4;

/** Returns the channel on which a mock receives the names of worlds to release. */
export function releaseChannel(mock: string): string {
  return `${prefix}mock:${mock}`;
}

/** Returns the keys of a world: its hash, the list of its log, the hash of its states by number, and the set of all names. */
export function keysOf(id: string): { meta: string; log: string; states: string; names: string } {
  const own = `${prefix}world:{${id}}`;
  return { meta: own, log: `${own}:log`, states: `${own}:states`, names: `${prefix}worlds` };
}

/** Returns the configuration of a world as text, with fixtures of the package by name. */
export function worldStartText({ id, configuration, begun }: WorldStart): string {
  const stored: StoredWorldStart = {
    id,
    configuration: { ...configuration, fixture: nameOfFixture(configuration.fixture) ?? configuration.fixture },
    begun,
  };
  return JSON.stringify(stored);
}

/**
 * Loads a world from the store: replays the entries after the newest state, and keeps the earlier entries for a rewind. `at` is the store's
 * time of the last entry. The mock must be the owner.
 */
export async function loadWorld(context: MockContext, redis: Redis, id: string, at: number): Promise<LoadedWorld> {
  const { meta, log, states } = keysOf(id);
  const [[beginning, start], stored] = (await Promise.all([
    redis.send("HMGET", meta, "beginning", "first"),
    redis.send("HKEYS", states),
  ])) as [[string, string], string[]];
  const worldEntry = beginWorld(context, await readBeginning(beginning));
  const first = Number(start);
  const numbers = stored.map(Number).toSorted((a, b) => a - b);
  const newest = numbers.at(-1) ?? 0;
  const segments = [...new Set([first, ...numbers])].map((after): StoredSegment => ({ after, bytes: 0 }));
  let stateBytes = 0;
  const readState = async (number: number): Promise<StoredState> => {
    const text = (await redis.send("HGET", states, number)) as string;
    stateBytes = text.length;
    const unpacked = await expand(Buffer.from(text, "base64")).catch(() => "");
    return parsePart<StoredState>(`state ${number}`, String(unpacked));
  };
  const continueFrom = ({ begun, state }: StoredState): void => {
    returnTo(worldEntry, state);
    worldEntry.begun = begun;
  };
  const oldest = first > 0 ? await readState(first) : null;
  worldEntry.log = openLog(oldest?.state ?? { wall: worldEntry.begun }, {}, first);
  if (oldest && newest === first) continueFrom(oldest);
  let yieldedAt = performance.now();
  for (let index = 0; ; index += pageSize) {
    const page = (await redis.send("LRANGE", log, index, index + pageSize - 1)) as string[];
    for (const [place, text] of page.entries()) {
      const entry = parsePart<LogEntry>(`entry ${first + index + place + 1} of its log`, text);
      segments.findLast(({ after }) => after < entry.number)!.bytes += text.length;
      if (performance.now() - yieldedAt > mostBusyMs) {
        await new Promise(setImmediate); // the mock renews its leases and answers calls of other worlds
        yieldedAt = performance.now();
      }
      if (entry.number > newest) await replayEntry(context, worldEntry, entry);
      else appendUnreplayed(worldEntry, entry);
      if (entry.number !== newest) continue;
      const { state, ...rest } = await readState(newest);
      continueFrom({ state, ...rest });
      beginSegment(worldEntry.log, state);
    }
    if (page.length < pageSize) break;
  }
  wake(worldEntry);
  const { clock } = worldEntry;
  const ago = redis.time() - at;
  // the clock continues while no mock owns the world
  clock.since.wallMs -= ago;
  if (clock.wait) clock.wait.wallMs -= ago;
  return { worldEntry, segments, stateBytes };
}

async function readBeginning(text: string): Promise<WorldStart> {
  const { configuration, ...rest } = parsePart<StoredWorldStart>("its configuration", text);
  if (typeof configuration.fixture !== "string")
    return { ...rest, configuration: { ...configuration, fixture: configuration.fixture } };
  const read = await loadFixture(configuration.fixture);
  if ("mistakes" in read) throw new Error(read.mistakes.join(" "));
  return { ...rest, configuration: { ...configuration, fixture: read.fixture } };
}

/** Parses a text of the store. The error names the part of the world that it holds. */
function parsePart<Part>(part: string, text: string): Part {
  try {
    return JSON.parse(text) as Part;
  } catch {
    throw new Error(`${part} is not JSON`);
  }
}
