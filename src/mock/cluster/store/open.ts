import { isProblem, type Problem } from "../../../common/problem.js";
import type { MockContext } from "../../context.js";
import { maxWorlds, type WorldConfiguration, type WorldEntry } from "../../worlds/worlds.js";
import type { Cluster } from "../cluster.js";
import { createNotPersistedError } from "../not-persisted.js";
import { refuseNotPersisted } from "../ownership.js";
import { abandonWorld, acquireWorld, discardWorld, writeWorldStart } from "./acquire.js";
import { keepLeases, type Member, openMember } from "./leases.js";
import type { OwnedWorld } from "./owned-world.js";
import { openRedis, type Redis } from "./redis.js";
import { buildKeys, layout, settingsKey } from "./stored-world.js";

/** Connects a mock to the mocks that share their worlds through a store. Returns a problem if it cannot. */
export async function joinCluster(context: MockContext, url: string, settings: object): Promise<Cluster | Problem> {
  const redis = await openRedis(url);
  if (isProblem(redis)) return redis;
  try {
    const text = JSON.stringify({ layout, ...settings });
    const problem = await findSettingsProblem(redis, text);
    if (!problem) {
      const member = openMember(context, redis, text, (...call) => refuseNotPersisted(context, ...call));
      return createCluster(member, await keepLeases(member));
    }
    redis.close();
    return problem;
  } catch (error) {
    redis.close();
    return { problem: `The store refuses: ${(error as Error).message}.`, unreachable: true };
  }
}

/** Mocks with other options would give other responses: the log recreates a world only with the same options. */
async function findSettingsProblem(redis: Redis, own: string): Promise<Problem | null> {
  await redis.send("SET", settingsKey, own, "NX");
  const theirs = String(await redis.send("GET", settingsKey));
  if (theirs === own) return null;
  return {
    problem: `The mocks of this store have other options or another version: they have ${truncate(theirs)}, and this mock has ${truncate(own)}. Use the same options, or another database.`,
  };
}

function truncate(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function createCluster(member: Member, stopRenewals: () => void): Cluster {
  const { redis, noWorld, owned } = member;
  const removed = new WeakSet<WorldEntry>();
  const { names } = buildKeys("");
  const toOwnedWorld = (worldEntry: WorldEntry): OwnedWorld => {
    const world = owned.get(worldEntry.id);
    if (world?.worldEntry !== worldEntry)
      throw createNotPersistedError(`this mock does not own the world '${worldEntry.id}' any more`);
    return world;
  };
  const cluster: Cluster = {
    nameOf(named) {
      if (named === "" || named === noWorld.id) return noWorld.id;
      if (owned.has(named)) return named;
      if (hasRole(noWorld, named)) return noWorld.id;
      return redis.send("SISMEMBER", names, named).then((count) => (count === 1 ? named : noWorld.id));
    },
    owned(name) {
      const world = owned.get(name);
      if (!world || world.pause()) return undefined;
      world.usedAt = performance.now();
      return world.worldEntry;
    },
    acquire: (name, isGone) => acquireWorld(member, name, isGone),
    create: (configuration, id) => createStored(member, configuration, id),
    async confirm(worldEntry) {
      if (!removed.has(worldEntry)) await toOwnedWorld(worldEntry).confirm();
    },
    async remove(worldEntry) {
      await toOwnedWorld(worldEntry).remove();
      removed.add(worldEntry);
    },
    discard: (name) => discardWorld(member, name),
    async list() {
      const all = (await redis.send("SMEMBERS", names)) as string[];
      return [...new Set([noWorld.id, ...all.sort()])];
    },
    async close() {
      stopRenewals();
      await Promise.all([...owned.values()].map((world) => world.release().catch(() => {})));
      redis.close();
    },
  };
  return cluster;
}

/** Creates a world with this id, or with the next free id. If it rejects, the world is deleted as soon as the store answers. */
async function createStored(
  member: Member,
  configuration: WorldConfiguration,
  id: string | undefined,
): Promise<WorldEntry | (Problem & { status: number })> {
  const { redis, owned, creating } = member;
  const { names } = buildKeys("");
  if (((await redis.send("SCARD", names)) as number) >= maxWorlds)
    return { problem: `There are ${maxWorlds} worlds already; delete some.`, status: 409 };
  const next = async () => id ?? `w${await redis.send("INCR", `${names}:named`)}`;
  let name = await next();
  if (creating.has(name)) throw createNotPersistedError(`the world '${name}' is not deleted yet`);
  while (!(await writeWorldStart(member, name, configuration))) {
    if (id !== undefined) return { problem: `There is a world '${id}' already.`, field: "id", status: 409 };
    name = await next();
  }
  try {
    await acquireWorld(member, name, () => false);
    const world = owned.get(name);
    if (!world) throw createNotPersistedError(`the world '${name}' could not be acquired`);
    creating.delete(name);
    return world.worldEntry;
  } catch (error) {
    void abandonWorld(member, name);
    throw error;
  }
}

/** Returns whether a key or cookie of the default world begins with this name. Such a name is not allowed for another world. */
function hasRole({ world }: WorldEntry, named: string): boolean {
  const begins =
    (prefix: string) =>
    ({ token }: { token: string }) =>
      token.startsWith(prefix);
  return Object.values(world.keys).some(begins(`mock_${named}_`)) || Object.values(world.sessions).some(begins(`${named}_`));
}
