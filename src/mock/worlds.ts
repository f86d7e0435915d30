import { type Card, openCard } from "../card/card.js";
import { contract } from "../contract/load.js";
import type { PlanName } from "../contract/types.js";
import { advance } from "../service/advance.js";
import { type Fixture, foundWorld } from "../service/fixture.js";
import type { Options, World } from "../service/world.js";
import { type Clock, type ClockMode, type Skip, startClock } from "./clock.js";
import type { Fault } from "./faults.js";
import { type Grease, openGrease } from "./grease/grease.js";
import { type GreaseWish, greasedOptions, greaseOf } from "./grease/wish.js";
import type { Introduction } from "./introduction.js";
import { type Journal, type JournalListener, openJournal } from "./journal.js";

/** What a world is founded on; the same parts give the same world again. */
export interface Founding {
  fixture: Fixture;
  seed: number;
  mode: ClockMode;
  skip: Skip;
  options: Partial<Options>;
  plan?: PlanName;
  grease: GreaseWish;
}

/** One world on the air, with everything that is its own. */
export interface HostedWorld {
  id: string;
  founding: Founding;
  world: World;
  clock: Clock;
  journal: Journal;
  /** What its client did and met, since the world was founded. */
  card: Card;
  faults: Fault[];
  grease: Grease | null;
}

/** Every world of a mock by its id, and how large the journal of a new one is. */
export interface Worlds {
  byId: Map<string, HostedWorld>;
  default: HostedWorld;
  journalSize: number;
  /** Told of every call to any world. */
  onCall: ((hosted: HostedWorld, ...call: Parameters<JournalListener>) => void) | null;
  founded: number;
}

/** How many worlds one mock keeps, the default one included. */
export const mostWorlds = 2000;

const tickMs = contract.limits.dispatch.tick_seconds * 1000;

/** Opens the registry with its default world. */
export function openWorlds(founding: Founding, journalSize: number, onCall: Worlds["onCall"] = null): Worlds {
  const first = host("default", founding, journalSize);
  listen(first, onCall);
  return { byId: new Map([[first.id, first]]), default: first, journalSize, onCall, founded: 0 };
}

/** Founds one more world beside the others; null when there are too many. */
export function createWorld(worlds: Worlds, founding: Founding): HostedWorld | null {
  if (worlds.byId.size >= mostWorlds) return null;
  worlds.founded++;
  const hosted = host(`w${worlds.founded}`, founding, worlds.journalSize);
  listen(hosted, worlds.onCall);
  worlds.byId.set(hosted.id, hosted);
  return hosted;
}

/** Founds a world again as it was at first; its journal, card and faults go, and whoever listens to it stays. */
export function resetWorld(worlds: Worlds, hosted: HostedWorld): void {
  const { listeners } = hosted.journal;
  Object.assign(hosted, host(hosted.id, hosted.founding, worlds.journalSize));
  hosted.journal.listeners = listeners;
}

/** Puts another state in the place of a world's own. Its clock runs on from there. */
export function replaceWorld(hosted: HostedWorld, world: World): void {
  hosted.world = world;
  hosted.clock = startClock(world, hosted.clock.mode, hosted.clock.skip);
}

/** The world that a credential selects: `mock_<world>_…` as a bearer key, `<world>_…` as a cookie; anything else the default one. */
export function selectWorld(worlds: Worlds, authorization: string | undefined, session: string | undefined): HostedWorld {
  if (worlds.byId.size === 1) return worlds.default;
  const name = authorization === undefined ? session : afterPrefix(authorization);
  const id = name?.slice(0, Math.max(0, name.indexOf("_")));
  return (id && worlds.byId.get(id)) || worlds.default;
}

/** Tells a user the credentials and repositories of a world. */
export function introduce({ id, founding, world }: HostedWorld): Introduction {
  const first = Object.keys(world.workspaces)[0];
  const repos = Object.values(world.repos).filter((repo) => repo.workspace === first && repo.deleted_at === null);
  return {
    id,
    keys: Object.fromEntries(Object.keys(founding.fixture.roles).flatMap((role) => roleKey(world, role))),
    sessions: Object.fromEntries(Object.values(world.sessions).map((session) => [session.id, `session=${session.token}`])),
    repos: repos.map(({ owner, repo, branch }) => `${owner}/${repo}/${branch}`),
  };
}

function roleKey(world: World, role: string): [string, string][] {
  const key = world.keys[`key_${role}`];
  return key ? [[role, key.token]] : [];
}

function listen(hosted: HostedWorld, onCall: Worlds["onCall"]): void {
  if (onCall) hosted.journal.listeners.add((entry, number) => onCall(hosted, entry, number));
}

function host(id: string, founding: Founding, journalSize: number): HostedWorld {
  const { seed, mode, skip, plan } = founding;
  const setting = greaseOf(founding.grease, seed);
  const options = { ...greasedOptions(setting), ...founding.options };
  const world = foundWorld(datedFixture(founding), { id, seed, options, ...(plan && { plan }) });
  if (mode === "real") advance(world, { to: Date.now() });
  const clock = startClock(world, mode, skip);
  const own = { clock, journal: openJournal(journalSize), card: openCard(), faults: [], grease: openGrease(setting) };
  return { id, founding, world, ...own };
}

/** The fixture that was dated last: the same until the next tick, so that its worlds are quickly founded. */
let dated: { of: Fixture; fixture: Fixture } | undefined;

/**
 * A `real` clock shows the wall's own time, so its world begins at the latest dispatch tick; other clocks begin when the fixture says,
 * so that every run is the same.
 */
function datedFixture({ fixture, mode }: Founding): Fixture {
  if (mode !== "real") return fixture;
  const clock = new Date(Math.floor(Date.now() / tickMs) * tickMs).toISOString();
  if (dated?.of !== fixture || dated.fixture.clock !== clock) dated = { of: fixture, fixture: { ...fixture, clock } };
  return dated.fixture;
}

function afterPrefix(authorization: string): string | undefined {
  const start = authorization.lastIndexOf(" mock_");
  return start < 0 ? undefined : authorization.slice(start + " mock_".length);
}
