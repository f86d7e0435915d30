import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type Fleet, refuseUnkept } from "../fleet.js";
import { isProblem, type Problem } from "../problems.js";
import { endStreams } from "../sessions.js";
import type { Site } from "../site.js";
import { type HostedWorld, mostWorlds } from "../worlds.js";
import { type Holding, hold } from "./holding.js";
import { keepBeginning, keysOf, loadWorld, mockPrefix, settingsKey } from "./kept.js";
import { openRedis, type Redis } from "./redis.js";
import { beat, found, take } from "./scripts.js";
import { unkept } from "./unkept.js";

/** A mock that says nothing for so long counts as dead. */
const lifeMs = 2000;
/** How long a world is asked for that another mock has. */
const patienceMs = 4000;
/** A world that nobody calls for so long is let go, so that memory holds only what is in use. */
const idleMs = 60_000;

/** Makes a mock one of several that share their worlds by the store at an address; or says why it cannot. */
export async function joinFleet(site: Site, url: string, settings: object): Promise<Fleet | Problem> {
  const redis = await openRedis(url);
  if (isProblem(redis)) return redis;
  const problem = await settingsProblem(redis, JSON.stringify(settings)).catch(
    (error: Error): Problem => ({ problem: `The store refuses: ${error.message}.`, unreachable: true }),
  );
  if (!problem) return fleetOf(site, redis);
  redis.close();
  return problem;
}

/** Mocks that were started otherwise would answer otherwise: the log gives the same world only on the same grounds. */
async function settingsProblem(redis: Redis, own: string): Promise<Problem | null> {
  const theirs = (await redis.send("SET", settingsKey, own, "NX", "GET")) ?? own;
  if (theirs === own) return null;
  return {
    problem: `The worlds in this store are of mocks that were started otherwise, or of another version: they have ${brief(String(theirs))}, and this one ${brief(own)}. Start it alike, or take another database.`,
  };
}

function brief(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

async function fleetOf(site: Site, redis: Redis): Promise<Fleet> {
  const me = randomUUID();
  const { worlds } = site;
  const lobby = worlds.default;
  const hands = new Map<string, Holding & { usedAt: number }>();
  const taking = new Map<string, Promise<boolean>>();
  const removed = new WeakSet<HostedWorld>();
  worlds.byId.delete(lobby.id);
  // refusals outside every world are numbered by each mock for itself
  lobby.world.serials.request = randomInt(2 ** 30);

  const live = () => redis.run(beat, [mockPrefix + me], lifeMs);
  const heart = setInterval(() => {
    live().catch(() => {}); // whoever calls meanwhile is told
    const now = performance.now();
    for (const holding of hands.values()) if (now - holding.usedAt > idleMs) holding.letGo().catch(() => {});
  }, lifeMs / 4).unref();
  await live();
  await redis.listen(
    mockPrefix + me,
    (name) =>
      void hands
        .get(name)
        ?.letGo()
        .catch(() => {}),
  );

  const adopt = (hosted: HostedWorld, fence: number) => {
    const { id } = hosted;
    const holding = hold(redis, hosted, fence, () => {
      hands.delete(id);
      worlds.byId.delete(id);
      endStreams(hosted.world);
    });
    hosted.log.hooks = { ...holding.hooks, refuse: (request, response) => refuseUnkept(site, request, response) };
    if (worlds.onCall) hosted.journal.listeners.add((entry, number) => worlds.onCall?.(hosted, entry, number));
    hands.set(id, { ...holding, usedAt: performance.now() });
    worlds.byId.set(id, hosted);
  };
  const takeOver = async (name: string): Promise<boolean> => {
    const until = performance.now() + patienceMs;
    for (let pauseMs = 5; performance.now() < until; pauseMs = Math.min(100, pauseMs * 2)) {
      const [outcome, now, ...more] = await redis.run(take, [keysOf(name).meta], me, mockPrefix);
      if (outcome === "mine") {
        const [fence, at] = more.map(Number) as [number, number];
        const took = performance.now();
        adopt(await loadWorld(site, redis, name, () => now - at + performance.now() - took), fence);
        return true;
      }
      if (outcome === "absent") {
        if (name !== lobby.id) return false;
        await write(name, lobby.founding);
      } else if (outcome === "held") {
        await redis.send("PUBLISH", mockPrefix + String(more[0]), name);
        await wait(pauseMs);
      }
    }
    throw unkept(`the world '${name}' is in other hands`);
  };
  const write = async (id: string, founding: HostedWorld["founding"]) => {
    const { meta, names } = keysOf(id);
    const [outcome] = await redis.run(found, [meta], me, keepBeginning({ id, founding, begun: Date.now() }));
    if (outcome === "late") throw unkept("the store does not answer");
    await redis.send("SADD", names, id);
    return outcome === "mine";
  };
  const holdingOf = (hosted: HostedWorld): Holding => {
    const holding = hands.get(hosted.id);
    if (holding?.hosted !== hosted) throw unkept(`the world '${hosted.id}' is not in these hands any more`);
    return holding;
  };
  const fleet: Fleet = {
    nameOf(named) {
      if (named === "" || named === lobby.id || isRoleOf(lobby, named)) return lobby.id;
      if (hands.has(named)) return named;
      return redis.send("EXISTS", keysOf(named).meta).then((count) => (count === 1 ? named : lobby.id));
    },
    inHand(name) {
      const holding = hands.get(name);
      if (!holding || holding.pause()) return undefined;
      holding.usedAt = performance.now();
      return holding.hosted;
    },
    async take(name) {
      const paused = hands.get(name)?.pause();
      if (paused) await paused;
      if (hands.has(name)) return true;
      const under = taking.get(name) ?? takeOver(name).finally(() => taking.delete(name));
      taking.set(name, under);
      return under;
    },
    async found(founding, id) {
      const names = keysOf("").names;
      const room = (await redis.send("SCARD", names)) as number;
      if (room >= mostWorlds) return { problem: `There are ${mostWorlds} worlds already; delete some.`, status: 409 };
      let name = id ?? "";
      do if (id === undefined) name = `w${await redis.send("INCR", `${names}:named`)}`;
      while (!(await write(name, founding)) && id === undefined);
      if (!(await fleet.take(name))) throw unkept(`the world '${name}' is gone again`);
      return fleet.inHand(name) ?? Promise.reject(unkept(`the world '${name}' was called away`));
    },
    async confirm(hosted) {
      if (!removed.has(hosted)) await holdingOf(hosted).confirm();
    },
    async remove(hosted) {
      await holdingOf(hosted).remove();
      removed.add(hosted);
    },
    async list() {
      const all = (await redis.send("SMEMBERS", keysOf("").names)) as string[];
      return [...new Set([lobby.id, ...all.sort()])];
    },
    async close() {
      clearInterval(heart);
      await Promise.all([...hands.values()].map((holding) => holding.letGo().catch(() => {})));
      await redis.send("DEL", mockPrefix + me).catch(() => {});
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
