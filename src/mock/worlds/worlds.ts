import { type Card, forgetNumbers, openCard } from "../../client-report/calls.js";
import { addTally, openTally, type Tally } from "../../client-report/tally.js";
import { contract } from "../../contract/load.js";
import type { PlanName } from "../../contract/types.js";
import { advance } from "../../service/advance.js";
import { arrangeLists } from "../../service/fixture/arrangement.js";
import { type Fixture, foundWorld } from "../../service/fixture/fixture.js";
import { isSnapshot, type Snapshot, worldOf } from "../../service/fixture/snapshot.js";
import type { Options, World } from "../../service/world/world.js";
import type { Fault } from "../faults/faults.js";
import { type Journal, type JournalListener, openJournal } from "../journal/journal.js";
import { type GreaseWish, greasedOptions, greaseOf } from "../variations/setting.js";
import { type Grease, openGrease } from "../variations/variations.js";
import { type Clock, type ClockMode, runningWall, type Skip, startClock, type Wall } from "./clock.js";
import { worldIn } from "./credential.js";
import { type Log, type LogHooks, openLog } from "./log/log.js";
import type { Introduction } from "./world-info.js";

/** What a world is founded on; the same parts give the same world again, with the wall's time where its clock follows that. Plain JSON. */
export interface Founding {
  fixture: Fixture | Snapshot;
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
  /** What its client did and met since the last reset, calls that a rewind took back included. */
  card: Card;
  faults: Fault[];
  /** How many faults the world has had: the number in the id of the newest one. An id is used once. */
  faultCount: number;
  grease: Grease | null;
  /** What happened to it from outside. */
  log: Log;
  /** The wall's time when it began, in milliseconds since 1970. */
  begun: number;
}

/** Every world of a mock by its id, and how large the journal of a new one is. */
export interface Worlds {
  byId: Map<string, HostedWorld>;
  default: HostedWorld;
  journalSize: number;
  /** Told of every call to any world. */
  onCall: ((hosted: HostedWorld, ...call: Parameters<JournalListener>) => void) | null;
  /** Told of what happens to any world. */
  keeper: WorldsKeeper | null;
  founded: number;
  /** What the clients of deleted worlds did, and those of reset worlds before the reset. */
  pastClients: Tally;
}

/** Somebody who keeps what happens to the worlds of a mock, so that it can be played again. */
export interface WorldsKeeper {
  /** Told of each world at its beginning, before anything happens to it; gives who is to be told of that. */
  found(hosted: Pick<HostedWorld, "id" | "founding" | "begun">): LogHooks;
  /** Told that a world is no more. */
  remove(id: string): void;
}

/** How many worlds one mock keeps, the default one included. */
export const mostWorlds = 2000;

const tickMs = contract.limits.dispatch.tick_seconds * 1000;

/** Opens the registry with its default world. */
export function openWorlds(
  founding: Founding,
  journalSize: number,
  { onCall = null, keeper = null }: Partial<Pick<Worlds, "onCall" | "keeper">> = {},
): Worlds {
  const first = host("default", founding, { journalSize });
  const byId = new Map<string, HostedWorld>();
  const worlds = { byId, default: first, journalSize, onCall, keeper, founded: 0, pastClients: openTally() };
  adoptWorld(worlds, first);
  return worlds;
}

/** Founds one more world beside the others, called as is said or as none is yet; null when there are too many. */
export function createWorld(worlds: Worlds, founding: Founding, id?: string): HostedWorld | null {
  if (worlds.byId.size >= mostWorlds) return null;
  const hosted = host(id ?? freshName(worlds), founding, worlds);
  adoptWorld(worlds, hosted);
  return hosted;
}

function freshName(worlds: Worlds): string {
  do worlds.founded++;
  while (worlds.byId.has(`w${worlds.founded}`));
  return `w${worlds.founded}`;
}

/** Takes a world in among the others: its credentials select it from now on, and whoever is told of worlds is told of it. */
function adoptWorld(worlds: Worlds, hosted: HostedWorld): void {
  const { onCall, keeper } = worlds;
  if (onCall) hosted.journal.listeners.add((entry, number) => onCall(hosted, entry, number));
  if (keeper) hosted.log.hooks = keeper.found(hosted);
  worlds.byId.set(hosted.id, hosted);
}

/** Takes a world off the mock. */
export function removeWorld(worlds: Worlds, hosted: HostedWorld): void {
  if (!worlds.byId.delete(hosted.id)) return;
  keepPastClient(worlds, hosted);
  worlds.keeper?.remove(hosted.id);
}

/** Adds what a world's client did to the total of past clients. The world's journal ends, so its numbers go. */
function keepPastClient({ pastClients }: Worlds, { card }: HostedWorld): void {
  forgetNumbers(card);
  addTally(pastClients, card);
}

/**
 * Founds a world again as it was at first, at a time of the wall; its journal, client report and faults go, and whoever listens to it stays. Its log goes on.
 */
export function resetWorld(worlds: Worlds, hosted: HostedWorld, begun: number): void {
  const { log } = hosted;
  const { listeners } = hosted.journal;
  if (!log.playing) keepPastClient(worlds, hosted);
  Object.assign(hosted, host(hosted.id, hosted.founding, worlds, begun, hosted.clock.wall), { log });
  hosted.journal.listeners = listeners;
}

/** Puts another state in the place of a world's own. Its clock runs on from there. */
export function replaceWorld(hosted: HostedWorld, world: World): void {
  arrangeLists(world);
  hosted.world = world;
  hosted.clock = startClock(world, hosted.clock.mode, hosted.clock.skip, hosted.clock.wall);
}

/** The world that a credential selects: `mock_<world>_…` as a bearer key, `<world>_…` as a cookie; anything else the default one. */
export function selectWorld(worlds: Worlds, authorization: string | undefined, session: string | undefined): HostedWorld {
  const { byId } = worlds;
  // of several mocks none need have the default one
  const home = byId.get(worlds.default.id);
  if (home && byId.size === 1) return home;
  return byId.get(worldIn(authorization, session)) ?? home ?? worlds.default;
}

/** Tells a user the credentials and repositories of a world. */
export function introduce({ id, world }: Pick<HostedWorld, "id" | "world">): Introduction {
  const first = Object.keys(world.workspaces)[0];
  const repos = Object.values(world.repos).filter((repo) => repo.workspace === first && repo.deleted_at === null);
  return {
    id,
    keys: Object.fromEntries(
      Object.values(world.keys).flatMap(({ id, name, token }) => (isRole(id, name) ? [[name, token]] : [])),
    ),
    sessions: Object.fromEntries(Object.values(world.sessions).map((session) => [session.id, `session=${session.token}`])),
    repos: repos.map(({ owner, repo, branch }) => `${owner}/${repo}/${branch}`),
  };
}

/** Whether a key is one that the world began with: any other's id is drawn. */
function isRole(id: string, name: string): boolean {
  return id === `key_${name}`;
}

/** Founds a world at a time of the wall. */
export function host(
  id: string,
  founding: Founding,
  { journalSize }: Pick<Worlds, "journalSize">,
  begun = Date.now(),
  wall: Wall = runningWall,
): HostedWorld {
  const { fixture, seed, mode, skip, plan } = founding;
  const setting = greaseOf(founding.grease, seed);
  const wallMs = wall();
  const parts = { id, seed, options: { ...greasedOptions(setting), ...founding.options }, ...(plan && { plan }) };
  const world = isSnapshot(fixture) ? worldOf(fixture, parts) : foundWorld(datedFixture(fixture, mode, begun), parts);
  // a snapshot is of a time, and goes on from there
  if (mode === "real" && !isSnapshot(fixture)) advance(world, { to: begun });
  const clock = { ...startClock(world, mode, skip, wall), since: { worldMs: world.now, wallMs } };
  const own = {
    clock,
    journal: openJournal(journalSize),
    card: openCard(id),
    faults: [],
    faultCount: 0,
    grease: openGrease(setting),
  };
  return { id, founding, world, ...own, log: openLog({ wall: begun }, {}), begun };
}

/** The fixture that was dated last: the same until the next tick, so that its worlds are quickly founded. */
let dated: { of: Fixture; fixture: Fixture } | undefined;

/**
 * A `real` clock shows the wall's own time, so its world begins at the latest dispatch tick; other clocks begin when the fixture says,
 * so that every run is the same.
 */
function datedFixture(fixture: Fixture, mode: ClockMode, begun: number): Fixture {
  if (mode !== "real") return fixture;
  const clock = new Date(Math.floor(begun / tickMs) * tickMs).toISOString();
  if (dated?.of !== fixture || dated.fixture.clock !== clock) dated = { of: fixture, fixture: { ...fixture, clock } };
  return dated.fixture;
}
