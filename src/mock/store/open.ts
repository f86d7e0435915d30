import { refuseUnkept } from "../at-hand.js";
import type { Fleet } from "../fleet.js";
import { isProblem, type Problem } from "../problems.js";
import type { Site } from "../site.js";
import { unkept } from "../unkept.js";
import { type HostedWorld, mostWorlds } from "../worlds.js";
import { acquireWorld, writeBeginning } from "./acquire.js";
import { keepLeases, type Member, openMember } from "./leases.js";
import type { OwnedWorld } from "./owned-world.js";
import { openRedis, type Redis } from "./redis.js";
import { keysOf, layout, settingsKey } from "./stored-world.js";

/** Makes a mock one of several that share their worlds by the store at an address; or says why it cannot. */
export async function joinFleet(site: Site, url: string, settings: object): Promise<Fleet | Problem> {
  const redis = await openRedis(url);
  if (isProblem(redis)) return redis;
  try {
    const text = JSON.stringify({ layout, ...settings });
    const problem = await settingsProblem(redis, text);
    if (!problem) {
      const member = openMember(site, redis, text, (request, response) => refuseUnkept(site, request, response));
      return fleetOf(member, await keepLeases(member));
    }
    redis.close();
    return problem;
  } catch (error) {
    redis.close();
    return { problem: `The store refuses: ${(error as Error).message}.`, unreachable: true };
  }
}

/** Mocks that were started otherwise would answer otherwise: the log gives the same world only on the same grounds. */
async function settingsProblem(redis: Redis, own: string): Promise<Problem | null> {
  await redis.send("SET", settingsKey, own, "NX");
  const theirs = String(await redis.send("GET", settingsKey));
  if (theirs === own) return null;
  return {
    problem: `The worlds in this store are of mocks that were started otherwise, or of another version: they have ${brief(theirs)}, and this one ${brief(own)}. Start it alike, or take another database.`,
  };
}

function brief(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function fleetOf(member: Member, stopRenewals: () => void): Fleet {
  const { redis, lobby, owned } = member;
  const removed = new WeakSet<HostedWorld>();
  const { names } = keysOf("");
  const ownedOf = (hosted: HostedWorld): OwnedWorld => {
    const world = owned.get(hosted.id);
    if (world?.hosted !== hosted) throw unkept(`this mock does not own the world '${hosted.id}' any more`);
    return world;
  };
  const fleet: Fleet = {
    nameOf(named) {
      if (named === "" || named === lobby.id) return lobby.id;
      if (owned.has(named)) return named;
      if (isRoleOf(lobby, named)) return lobby.id;
      return redis.send("EXISTS", keysOf(named).meta).then((count) => (count === 1 ? named : lobby.id));
    },
    inHand(name) {
      const world = owned.get(name);
      if (!world || world.pause()) return undefined;
      world.usedAt = performance.now();
      return world.hosted;
    },
    take: (name, isGone) => acquireWorld(member, name, isGone),
    async found(founding, id) {
      if (((await redis.send("SCARD", names)) as number) >= mostWorlds)
        return { problem: `There are ${mostWorlds} worlds already; delete some.`, status: 409 };
      const next = async () => id ?? `w${await redis.send("INCR", `${names}:named`)}`;
      let name = await next();
      while (!(await writeBeginning(member, name, founding))) {
        if (id !== undefined) return { problem: `There is a world '${id}' already.`, field: "id", status: 409 };
        name = await next();
      }
      await acquireWorld(member, name, () => false);
      const hosted = fleet.inHand(name);
      if (!hosted) throw unkept(`another mock acquired the world '${name}'`);
      return hosted;
    },
    async confirm(hosted) {
      if (!removed.has(hosted)) await ownedOf(hosted).confirm();
    },
    async remove(hosted) {
      await ownedOf(hosted).remove();
      removed.add(hosted);
    },
    async list() {
      const all = (await redis.send("SMEMBERS", names)) as string[];
      return [...new Set([lobby.id, ...all.sort()])];
    },
    async close() {
      stopRenewals();
      await Promise.all([...owned.values()].map((world) => world.release().catch(() => {})));
      redis.close();
    },
  };
  return fleet;
}

/** Whether a key or cookie of the default world begins like that: no other world can be called so. */
function isRoleOf({ world }: HostedWorld, named: string): boolean {
  const begins =
    (prefix: string) =>
    ({ token }: { token: string }) =>
      token.startsWith(prefix);
  return Object.values(world.keys).some(begins(`mock_${named}_`)) || Object.values(world.sessions).some(begins(`${named}_`));
}
