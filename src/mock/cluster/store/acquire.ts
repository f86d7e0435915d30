import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { WorldConfiguration } from "../../worlds/worlds.js";
import { createNotPersistedError, createUnreadableError, isNotPersisted } from "../not-persisted.js";
import { type Acquisition, addOwned, leaseMs, longestPauseMs, type Member, waitingTimeoutMs } from "./leases.js";
import type { ScriptResult } from "./redis.js";
import { abandon, acquire, confirm, create, release, remove } from "./scripts.js";
import { buildKeys, channelPrefix, formatWorldStart, loadWorld, settingsKey, type WorldCopy } from "./stored-world.js";

/** How long a mock tries to acquire a world that another mock owns. This is longer than a lease without renewal. */
const patienceMs = 4000;

/**
 * Acquires a world as soon as no other mock owns it. Returns false if the world does not exist. Rejects if another mock keeps the world, or
 * if all waiting clients disconnected.
 */
export async function acquireWorld(member: Member, name: string, isGone: () => boolean): Promise<boolean> {
  const { owned, acquiring } = member;
  await owned.get(name)?.pause();
  if (owned.has(name)) return true;
  const current = acquiring.get(name) ?? startAcquiring(member, name);
  current.callers.push(isGone);
  return current.done;
}

function startAcquiring(member: Member, name: string): Acquisition {
  const acquisition: Acquisition = { callers: [], wake: () => {}, done: Promise.resolve(false) };
  acquisition.done = Promise.resolve()
    .then(() => acquireAndLoad(member, name, acquisition))
    .finally(() => member.acquiring.delete(name));
  member.acquiring.set(name, acquisition);
  return acquisition;
}

/**
 * Writes the configuration of a world to the store. Returns false if the name is in use. The world expires with the lease, unless this mock
 * acquires it.
 */
export async function writeWorldStart(
  { redis, name, settings, creating }: Member,
  id: string,
  configuration: WorldConfiguration,
): Promise<boolean> {
  const { meta } = buildKeys(id);
  const text = formatWorldStart({ id, configuration, begun: Date.now() });
  const attempt = randomUUID();
  const until = performance.now() + patienceMs;
  for (;;) {
    const [outcome] = await redis.run(create, [meta, settingsKey], name, leaseMs, text, settings, attempt);
    if (outcome === "otherwise") throw createSettingsError();
    if (outcome === "mine") creating.set(id, attempt);
    if (outcome === "mine" || outcome === "taken") return outcome === "mine";
    if (outcome === "late" || performance.now() > until) throw createNotPersistedError("the store does not answer");
    await wait(longestPauseMs); // another request is creating a world of that name
  }
}

function createSettingsError(): Error {
  return createNotPersistedError("the store has the settings of mocks with other options");
}

/** Deletes a world as soon as the store answers. The request that created it failed, so its client does not know the world. */
export async function abandonWorld({ redis, creating }: Member, id: string): Promise<void> {
  const attempt = creating.get(id);
  const { meta, log, states, names } = buildKeys(id);
  while (attempt !== undefined && !redis.isClosed()) {
    const [outcome] = await redis.run(abandon, [meta, log, states, names], attempt, id).catch(() => [null]);
    if (outcome === "kept") break;
    await wait(longestPauseMs);
  }
  creating.delete(id);
}

async function acquireAndLoad(member: Member, world: string, acquisition: Acquisition): Promise<boolean> {
  const { context, redis, noWorld, loading } = member;
  const { meta, log, states, names } = buildKeys(world);
  const until = performance.now() + patienceMs;
  for (let pauseMs = 5; performance.now() < until; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    // no client of this mock waits for the world, but clients of another mock may
    if (acquisition.callers.every((isGone) => isGone()))
      throw createNotPersistedError(`every client that called the world '${world}' has gone`);
    const [outcome, , ...more] = await tryToAcquire(member, world);
    if (outcome === "otherwise") throw createSettingsError();
    if (outcome === "mine") {
      const [fence, at] = more.slice(0, 2).map(Number) as [number, number];
      const begun = performance.now();
      loading.set(world, fence);
      const loaded = await loadWorld(context, redis, world, at, takeCopy(member, world, String(more[2])))
        .catch((error: unknown) => ({ error }))
        .finally(() => loading.delete(world));
      const giveUp = (error: unknown): never => {
        void redis.run(release, [meta], fence, 1, world, channelPrefix).catch(() => {}); // the lease ends at the latest
        throw error;
      };
      const [state] = await redis.run(confirm, [meta, log, states, names], fence, world).catch(giveUp);
      if (state !== "kept") continue; // meanwhile another mock acquired the world, and may have written to it
      if ("error" in loaded)
        return giveUp(isNotPersisted(loaded.error) ? loaded.error : createUnreadableError(world, formatSettings(loaded.error)));
      addOwned(member, loaded, fence, performance.now() - begun);
      return true;
    }
    if (outcome === "absent") {
      if (world !== noWorld.id) return false;
      await writeWorldStart(member, world, noWorld.configuration);
    } else if (outcome === "held") {
      const woken = new Promise<void>((resolve) => {
        acquisition.wake = resolve;
      });
      if (more[0] !== "") await redis.send("PUBLISH", channelPrefix + String(more[0]), world);
      await Promise.race([woken, wait(pauseMs)]);
    }
  }
  throw createNotPersistedError(`another mock owns the world '${world}'`);
}

/** Returns the copy of a world if the log in the store still continues it. */
function takeCopy({ copies }: Member, world: string, releases: string): WorldCopy | null {
  const copy = copies.get(world);
  copies.delete(world);
  const known = Object.values(JSON.parse(releases) as [fence: string, last: number][]);
  return copy && known.some(([fence, last]) => fence === String(copy.fence) && last === copy.state.number) ? copy : null;
}

/** Deletes a world whose data cannot be read. Rejects while another mock owns it. */
export async function discardWorld(member: Member, world: string): Promise<void> {
  const { meta, log, states, names } = buildKeys(world);
  const [outcome, , fence = 0] = await tryToAcquire(member, world);
  if (outcome === "absent") return;
  const isOwner = outcome === "mine";
  const [removed] = isOwner ? await member.redis.run(remove, [meta, log, states, names], fence, 1, world) : ["held"];
  if (removed !== "kept") throw createNotPersistedError(`another mock owns the world '${world}'`);
}

/** Makes this mock the owner of a world if no other mock owns it. */
function tryToAcquire({ redis, name, creating, settings }: Member, world: string): Promise<ScriptResult> {
  return redis.run(
    acquire,
    [buildKeys(world).meta, settingsKey],
    name,
    leaseMs,
    waitingTimeoutMs,
    creating.get(world) ?? "",
    settings,
  );
}

function formatSettings(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
