import { setTimeout as wait } from "node:timers/promises";
import { unkept } from "../unkept.js";
import type { Founding } from "../worlds.js";
import { adopt, type Hands } from "./hands.js";
import { keepBeginning, keysOf, loadWorld, mockPrefix } from "./kept.js";
import { found, take } from "./scripts.js";

/** How long a world is asked for that another mock has. */
const patienceMs = 4000;

/** Takes a world over, as soon as nobody else has it; false when there is none. Rejects when it cannot be had now. */
export async function takeWorld(hands: Hands, name: string): Promise<boolean> {
  const { held, taking } = hands;
  await held.get(name)?.pause();
  if (held.has(name)) return true;
  const under = taking.get(name) ?? takeOver(hands, name).finally(() => taking.delete(name));
  taking.set(name, under);
  return under;
}

/** Writes down how a world begins; false when there is one of that name. */
export async function writeBeginning({ redis, me }: Hands, id: string, founding: Founding): Promise<boolean> {
  const { meta, names } = keysOf(id);
  const [outcome] = await redis.run(found, [meta], me, keepBeginning({ id, founding, begun: Date.now() }));
  if (outcome === "late") throw unkept("the store does not answer");
  await redis.send("SADD", names, id);
  return outcome === "mine";
}

async function takeOver(hands: Hands, name: string): Promise<boolean> {
  const { site, redis, me, lobby } = hands;
  const until = performance.now() + patienceMs;
  for (let pauseMs = 5; performance.now() < until; pauseMs = Math.min(100, pauseMs * 2)) {
    const [outcome, , ...more] = await redis.run(take, [keysOf(name).meta], me, mockPrefix);
    if (outcome === "mine") {
      const [fence, at] = more.map(Number) as [number, number];
      adopt(hands, await loadWorld(site, redis, name, at), fence);
      return true;
    }
    if (outcome === "absent") {
      if (name !== lobby.id) return false;
      await writeBeginning(hands, name, lobby.founding);
    } else if (outcome === "held") {
      await redis.send("PUBLISH", mockPrefix + String(more[0]), name);
      await wait(pauseMs);
    }
  }
  throw unkept(`the world '${name}' is in other hands`);
}
