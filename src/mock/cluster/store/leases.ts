import { randomInt, randomUUID } from "node:crypto";
import type { MockContext } from "../../context.js";
import type { LogHooks } from "../../worlds/log/log.js";
import { endStreams } from "../../worlds/tool-sessions.js";
import { type OwnedWorld, ownWorld } from "./owned-world.js";
import type { Redis } from "./redis.js";
import { renew } from "./scripts.js";
import { buildKeys, channelPrefix, type LoadedWorld, type WorldCopy } from "./stored-world.js";

/** A world that a mock is acquiring. */
export interface Acquisition {
  done: Promise<boolean>;
  /** One function for each call that waits for the world. It returns whether the client has disconnected. */
  callers: (() => boolean)[];
  /** Ends the pause before the next request: another mock has released the world. */
  wake(): void;
}

/** A world that this mock owns. `until`: the earliest end of the lease, in milliseconds of `performance.now()`. */
interface Tenure extends OwnedWorld {
  usedAt: number;
  keepUntil: number;
  /** Whether another mock requests it. */
  isRequested: boolean;
}

/** One mock of a cluster, with the worlds that it owns. */
export interface Member {
  context: MockContext;
  redis: Redis;
  /** The mock's name in the store. */
  name: string;
  /** The settings that all mocks of the cluster share, as text. */
  settings: string;
  /** A world without calls. It answers requests that belong to no world. */
  noWorld: MockContext["worlds"]["default"];
  /** The worlds that the mock has in memory. */
  owned: Map<string, Tenure>;
  /** The worlds that the mock released to others. It can acquire them again without loading them completely. */
  copies: Map<string, WorldCopy>;
  /** The worlds that the mock is acquiring. */
  acquiring: Map<string, Acquisition>;
  /** The worlds that requests to this mock create or must delete again. Each has the name of its request in the store. */
  creating: Map<string, string>;
  /** The fencing token of each world that the mock is loading. */
  loading: Map<string, number>;
  refuse: NonNullable<LogHooks["refuse"]>;
}

/**
 * Length of a lease in milliseconds. A mock renews only the leases of worlds in its memory. So the store and the memory of every mock agree
 * after this time.
 */
export const leaseMs = 2000;
const renewalMs = leaseMs / 4;
/**
 * A mock keeps a world for this many times the duration of its load. Otherwise two busy mocks would take the world from each other before
 * either answers a call.
 */
const keepFactor = 3;
const longestKeepMs = 1000;
/** Longest pause in milliseconds before a mock that waits for a world requests it again. */
export const longestPauseMs = 100;
/** A mock that waits for a world and has sent no request for this time is passed over, in milliseconds. */
export const waitingTimeoutMs = 3 * longestPauseMs;
/** A world without a call for this time is released, in milliseconds. */
const idleMs = 60_000;

/** Joins a mock to a cluster. It owns no world yet, not even the default world. */
export function openMember(context: MockContext, redis: Redis, settings: string, refuse: Member["refuse"]): Member {
  const noWorld = context.worlds.default;
  context.worlds.byId.delete(noWorld.id);
  // each mock numbers its refusals outside of all worlds separately
  noWorld.world.serials.request = randomInt(2 ** 30);
  return {
    context,
    redis,
    name: randomUUID(),
    settings,
    noWorld,
    owned: new Map(),
    copies: new Map(),
    acquiring: new Map(),
    creating: new Map(),
    loading: new Map(),
    refuse,
  };
}

/** Renews the leases of a mock and releases the worlds that other mocks request. Stops when the returned function is called. */
export async function keepLeases(member: Member): Promise<() => void> {
  const { redis, name, owned, copies, acquiring } = member;
  // faster than the flag in the store, which each renewal reads
  await redis.listen(channelPrefix + name, (world) => {
    acquiring.get(world)?.wake();
    releaseToOther(member, owned.get(world));
  });
  let isRenewing = false;
  const timer = setInterval(() => {
    for (const world of owned.values()) if (performance.now() - world.usedAt > idleMs) release(world);
    for (const [id, { at }] of copies) if (redis.time() - at > idleMs) copies.delete(id);
    if (isRenewing) return;
    isRenewing = true;
    void renewLeases(member)
      .catch(() => {}) // a lease ends without a renewal
      .finally(() => {
        isRenewing = false;
      });
  }, renewalMs).unref();
  return () => clearInterval(timer);
}

/** Adds a loaded world to the worlds that the mock owns. */
export function addOwned(
  { context: { worlds }, redis, owned, refuse, noWorld }: Member,
  loaded: LoadedWorld,
  fence: number,
  loadMs: number,
): void {
  const { worldEntry } = loaded;
  const { id } = worldEntry;
  const world = ownWorld(redis, loaded, fence, () => {
    owned.delete(id);
    worlds.byId.delete(id);
    endStreams(worldEntry.world);
    worldEntry.journal.listeners.clear();
  });
  worldEntry.log.hooks = { ...world.hooks, refuse };
  const { onCall } = worlds;
  if (onCall) worldEntry.journal.listeners.add((entry, number) => onCall(worldEntry, entry, number));
  const now = performance.now();
  // requests for no world are recorded in the default one
  if (id === noWorld.id) noWorld.journal = worldEntry.journal;
  owned.set(id, { ...world, usedAt: now, keepUntil: now + Math.min(longestKeepMs, keepFactor * loadMs), isRequested: false });
  worlds.byId.set(id, worldEntry);
}

/** Renews all leases at once. Drops the worlds that another mock owns now, and releases the worlds that another mock requests. */
async function renewLeases(member: Member): Promise<void> {
  const { redis, owned, loading } = member;
  const worlds = [...owned.values()];
  const ids = [...worlds.map(({ worldEntry }) => worldEntry.id), ...loading.keys()];
  if (ids.length === 0) return;
  const metas = ids.map((id) => buildKeys(id).meta);
  const [, , ...responses] = await redis.run(
    renew,
    metas,
    leaseMs,
    waitingTimeoutMs,
    ...worlds.map(({ fence }) => fence),
    ...loading.values(),
  );
  for (const [i, world] of worlds.entries()) {
    if (responses[i] === "lost") world.drop();
    else if (responses[i] === "wanted") releaseToOther(member, world);
  }
}

/** Releases a world for a mock that requests it, as soon as this mock has kept it long enough. Keeps a copy. */
function releaseToOther({ copies }: Member, world: Tenure | undefined): void {
  if (!world || world.isRequested) return;
  world.isRequested = true;
  const go = async () => {
    const copy = await world.release(true);
    if (copy) copies.set(world.worldEntry.id, copy);
  };
  setTimeout(() => void go().catch(() => {}), world.keepUntil - performance.now()).unref();
}

/** Releases a world. A failure needs no handling: the mock drops the world, and the lease ends. */
function release(world: OwnedWorld | undefined): void {
  world?.release().catch(() => {});
}
