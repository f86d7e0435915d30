import { promisify } from "node:util";
import { inflate } from "node:zlib";
import type { MockContext } from "../../context.js";
import { beginWorld, replayEntry, type WorldStart, wakeClock } from "../../replay/replay-log.js";
import { loadFixture, readFixtureName } from "../../worlds/fixtures.js";
import { appendUnreplayed, beginSegment } from "../../worlds/log/append.js";
import { returnTo } from "../../worlds/log/checkpoint.js";
import type { LogEntry } from "../../worlds/log/entry.js";
import { type Checkpoint, openLog, type Segment } from "../../worlds/log/log.js";
import type { WorldConfiguration, WorldEntry } from "../../worlds/worlds.js";
import type { Redis } from "./redis.js";

/** The state of a world after the entry of a number. */
export interface StoredState {
  number: number;
  begun: number;
  state: Checkpoint;
}

/** The state and the log of a world when a mock released it to another one. The mock continues from there when it acquires the world again. */
export interface WorldCopy extends Omit<LoadedWorld, "worldEntry"> {
  /** The fencing token of the lease that ended. */
  fence: number;
  state: StoredState;
  /** The store's time of the state. */
  at: number;
  log: Segment[];
  tally: WorldEntry["tally"];
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
const maxBusyMs = 20;
const expand = promisify(inflate);

/** The key of the settings that all mocks of the cluster share. */
export const settingsKey = `${prefix}settings`;
/** The layout of the data in the store. A mock refuses a store with another one. */
export const layout = 5;

/**
 * The beginning of the name of a mock's channel; the mock's name follows. The mock receives the names of worlds there: worlds that another
 * mock requests from it, and worlds that another mock has released while it waits for them.
 */
export const channelPrefix = `${prefix}mock:`;

/** Returns the keys of a world: its hash, the list of its log, the hash of its states by number, and the set of all names. */
export function buildKeys(id: string): { meta: string; log: string; states: string; names: string } {
  const own = `${prefix}world:{${id}}`;
  return { meta: own, log: `${own}:log`, states: `${own}:states`, names: `${prefix}worlds` };
}

/** Returns the configuration of a world as text, with fixtures of the package by name. */
export function formatWorldStart({ id, configuration, begun }: WorldStart): string {
  const stored: StoredWorldStart = {
    id,
    configuration: { ...configuration, fixture: readFixtureName(configuration.fixture) ?? configuration.fixture },
    begun,
  };
  return JSON.stringify(stored);
}

/**
 * Loads a world from the store: replays the entries after the newest state, and keeps the earlier entries for a rewind. With `copy`, replays the
 * entries after the copy and reads no others. `at` is the store's time of the last entry. The mock must be the owner.
 */
export async function loadWorld(
  context: MockContext,
  redis: Redis,
  id: string,
  at: number,
  copy: WorldCopy | null,
): Promise<LoadedWorld> {
  const { meta, log, states } = buildKeys(id);
  const [[beginning, start], stored] = (await Promise.all([
    redis.send("HMGET", meta, "beginning", "first"),
    redis.send("HKEYS", states),
  ])) as [[string, string], string[]];
  const first = Number(start);
  const worldCopy = copy && copy.state.number >= first ? copy : null;
  const worldEntry = beginWorld(context, await readBeginning(beginning));
  const numbers = stored.map(Number).toSorted((a, b) => a - b);
  const newest = worldCopy?.state.number ?? numbers.at(-1) ?? 0;
  const bytesOf = new Map(worldCopy?.segments.map(({ after, bytes }) => [after, bytes]));
  const segments = [...new Set([first, ...numbers])].map((after): StoredSegment => ({ after, bytes: bytesOf.get(after) ?? 0 }));
  let stateBytes = worldCopy?.stateBytes ?? 0;
  const readState = async (number: number): Promise<StoredState> => {
    const text = (await redis.send("HGET", states, number)) as string;
    stateBytes = text.length;
    const unpacked = await expand(Buffer.from(text, "base64")).catch(() => "");
    return parsePart<StoredState>(`state ${number}`, String(unpacked));
  };
  if (worldCopy) {
    worldEntry.tally = worldCopy.tally;
    continueFrom(worldEntry, worldCopy.state);
    Object.assign(worldEntry.log, { segments: worldCopy.log, total: newest });
  } else {
    const oldest = first > 0 ? await readState(first) : null;
    worldEntry.log = openLog(oldest?.state ?? { wall: worldEntry.begun }, {}, first);
    if (oldest && newest === first) continueFrom(worldEntry, oldest);
  }
  for await (const { text, number } of readEntries(redis, log, worldCopy ? newest - first : 0, first)) {
    const entry = parsePart<LogEntry>(`entry ${number} of its log`, text);
    // the clocks of two mocks can differ by some milliseconds: the other mock has not performed this entry on the state of the copy
    if (worldCopy && entry.number === newest + 1 && entry.at < worldEntry.world.now)
      return loadWorld(context, redis, id, at, null);
    segments.findLast(({ after }) => after < entry.number)!.bytes += text.length;
    if (entry.number > newest) await replayEntry(context, worldEntry, entry);
    else appendUnreplayed(worldEntry, entry);
    if (entry.number !== newest) continue;
    const state = await readState(newest);
    continueFrom(worldEntry, state);
    beginSegment(worldEntry.log, state.state);
  }
  const isUnchanged = worldCopy && worldEntry.log.total === newest;
  startClockAgain(worldEntry, redis.time() - (isUnchanged ? worldCopy.at : at));
  return { worldEntry, segments, stateBytes };
}

function continueFrom(worldEntry: WorldEntry, { begun, state }: StoredState): void {
  returnTo(worldEntry, state);
  worldEntry.begun = begun;
}

/** Lets the clock of a loaded world continue. It ran for some milliseconds while no mock owned the world. */
function startClockAgain(worldEntry: WorldEntry, ago: number): void {
  wakeClock(worldEntry);
  const { clock } = worldEntry;
  clock.since.wallMs -= ago;
  if (clock.wait) clock.wait.wallMs -= ago;
}

/** Reads the entries of a log page by page from an index. Lets other work proceed: the mock renews its leases and answers calls of other worlds. */
async function* readEntries(
  redis: Redis,
  log: string,
  from: number,
  first: number,
): AsyncGenerator<{ text: string; number: number }> {
  let yieldedAt = performance.now();
  for (let index = from; ; index += pageSize) {
    const page = (await redis.send("LRANGE", log, index, index + pageSize - 1)) as string[];
    for (const [place, text] of page.entries()) {
      if (performance.now() - yieldedAt > maxBusyMs) {
        await new Promise(setImmediate);
        yieldedAt = performance.now();
      }
      yield { text, number: first + index + place + 1 };
    }
    if (page.length < pageSize) return;
  }
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
