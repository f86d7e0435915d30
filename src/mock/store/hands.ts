import { randomInt, randomUUID } from "node:crypto";
import type { LogHooks } from "../log/log.js";
import { endStreams } from "../sessions.js";
import type { Site } from "../site.js";
import type { HostedWorld } from "../worlds.js";
import { type Holding, hold } from "./holding.js";
import { mockPrefix } from "./kept.js";
import type { Redis } from "./redis.js";
import { beat } from "./scripts.js";

/** One mock of several, and the worlds that it has now. */
export interface Hands {
  site: Site;
  redis: Redis;
  /** What the mock is called in the store. */
  me: string;
  /** Like the default world at its beginning; it is never called, and refuses what is for no world. */
  lobby: HostedWorld;
  held: Map<string, Holding & { usedAt: number }>;
  /** Worlds that are being taken over. */
  taking: Map<string, Promise<boolean>>;
  refuse: NonNullable<LogHooks["refuse"]>;
}

/** A mock that says nothing for so long counts as dead. */
const lifeMs = 2000;
/** A world that nobody calls for so long is let go, so that memory holds only what is in use. */
const idleMs = 60_000;

/** Makes a mock one that has no world yet, not even the default one. */
export function openHands(site: Site, redis: Redis, refuse: Hands["refuse"]): Hands {
  const lobby = site.worlds.default;
  site.worlds.byId.delete(lobby.id);
  // refusals outside every world are numbered by each mock for itself
  lobby.world.serials.request = randomInt(2 ** 30);
  return { site, redis, me: randomUUID(), lobby, held: new Map(), taking: new Map(), refuse };
}

/** Tells the others that the mock is alive, and hears which of its worlds they need; until it is stopped. */
export async function beginBeating({ redis, me, held }: Hands): Promise<() => void> {
  const own = mockPrefix + me;
  const live = () => redis.run(beat, [own], lifeMs);
  await live();
  await redis.listen(
    own,
    (name) =>
      void held
        .get(name)
        ?.letGo()
        .catch(() => {}),
  );
  const heart = setInterval(() => {
    live().catch(() => {}); // whoever calls meanwhile is told
    const now = performance.now();
    for (const holding of held.values()) if (now - holding.usedAt > idleMs) holding.letGo().catch(() => {});
  }, lifeMs / 4).unref();
  return () => clearInterval(heart);
}

/** Takes a world that was loaded among those that it has. */
export function adopt({ site: { worlds }, redis, held, refuse }: Hands, hosted: HostedWorld, fence: number): void {
  const { id } = hosted;
  const holding = hold(redis, hosted, fence, () => {
    held.delete(id);
    worlds.byId.delete(id);
    endStreams(hosted.world);
    hosted.journal.listeners.clear();
  });
  hosted.log.hooks = { ...holding.hooks, refuse };
  const { onCall } = worlds;
  if (onCall) hosted.journal.listeners.add((entry, number) => onCall(hosted, entry, number));
  held.set(id, { ...holding, usedAt: performance.now() });
  worlds.byId.set(id, hosted);
}
