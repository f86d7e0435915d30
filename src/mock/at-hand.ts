import { refuse } from "../service/call.js";
import { sendReply } from "./answer.js";
import { catchUp } from "./clock.js";
import { worldIn } from "./credential.js";
import type { Fleet } from "./fleet.js";
import { recordOutside } from "./journal-outside.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";
import { refuseOutside } from "./outside-refusal.js";
import type { WorldList } from "./siblings.js";
import type { Site } from "./site.js";
import { unkept } from "./unkept.js";
import type { HostedWorld } from "./worlds.js";

/** A world can be called away while it is being taken over, but hardly so often. */
const mostTries = 20;

/** Goes on with a call when its world is at hand: at once, unless the mock is one of several. What cannot be had now is answered 503. */
export function whenAtHand(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  session: string | undefined,
  go: () => void,
): void {
  if (!site.fleet) go();
  else
    void enter(site.fleet, worldIn(request.headers.authorization, session), response, go).catch(() =>
      refuseUnkept(site, request, response),
    );
}

async function enter(fleet: Fleet, named: string, response: ServerResponse, go: () => void): Promise<void> {
  for (let i = 0; i < mostTries; i++) {
    const name = await fleet.nameOf(named);
    if (fleet.inHand(name)) return go();
    await fleet.take(name, () => response.destroyed);
  }
  throw unkept("the world is called away again and again");
}

/** The world of a name, taken over where it is not at hand; undefined when there is none. Rejects when that cannot be had now. */
export async function findWorld(fleet: Fleet, name: string, isGone: () => boolean): Promise<HostedWorld | undefined> {
  for (let i = 0; i < mostTries; i++) {
    const hosted = fleet.inHand(name);
    if (hosted) return hosted;
    if (!(await fleet.take(name, isGone))) return undefined;
  }
  throw unkept("the world is called away again and again");
}

/** Lists all worlds of the mock, in every worker and in the store. */
export async function listWorlds({ fleet, siblings, worlds }: Site): Promise<WorldList> {
  if (siblings) return siblings.list();
  return { worlds: fleet ? await fleet.list() : [...worlds.byId.keys()] };
}

/** Answers a call of which nothing was done, or could be kept. */
export function refuseUnkept({ worlds }: Pick<Site, "worlds">, request: IncomingMessage, response: ServerResponse): void {
  const { world, clock } = worlds.default;
  catchUp(clock);
  const { refusal } = refuse("service_unavailable", { retryAfter: 1 });
  if (response.headersSent || response.destroyed) response.destroy();
  else {
    const reply = refuseOutside(world, refusal);
    const text = sendReply(request, response, reply, world.now);
    recordOutside(worlds.default, request, { ...reply, text });
  }
}
