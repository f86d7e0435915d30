import { type ClientTally, forgetNumbers, openClientTally } from "../../client-report/calls.js";
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
import { type VariationsOption, variationSettingOf, variedOptions } from "../variations/setting.js";
import { openVariations, type Variations } from "../variations/variations.js";
import { type Clock, type ClockMode, runningWall, type Skip, startClock, type Wall } from "./clock.js";
import { worldIn } from "./credential.js";
import { type Log, type LogHooks, openLog } from "./log/log.js";
import type { WorldInfo } from "./world-info.js";

/** What a world is founded on; the same parts give the same world again, with the wall's time where its clock follows that. Plain JSON. */
export interface WorldConfiguration {
  fixture: Fixture | Snapshot;
  seed: number;
  clock: ClockMode;
  skip: Skip;
  options: Partial<Options>;
  plan?: PlanName;
  variations: VariationsOption;
}

/** One world on the air, with everything that is its own. */
export interface WorldEntry {
  id: string;
  configuration: WorldConfiguration;
  world: World;
  clock: Clock;
  journal: Journal;
  /** What its client did and met since the last reset, calls that a rewind took back included. */
  tally: ClientTally;
  faults: Fault[];
  /** How many faults the world has had: the number in the id of the newest one. An id is used once. */
  faultCount: number;
  variations: Variations | null;
  /** What happened to it from outside. */
  log: Log;
  /** The wall's time when it began, in milliseconds since 1970. */
  begun: number;
}

/** Every world of a mock by its id, and how large the journal of a new one is. */
export interface Worlds {
  byId: Map<string, WorldEntry>;
  default: WorldEntry;
  journalSize: number;
  /** Told of every call to any world. */
  onCall: ((worldEntry: WorldEntry, ...call: Parameters<JournalListener>) => void) | null;
  /** Told of what happens to any world. */
  recorder: WorldsRecorder | null;
  created: number;
  /** What the clients of deleted worlds did, and those of reset worlds before the reset. */
  pastClients: Tally;
}

/** Somebody who keeps what happens to the worlds of a mock, so that it can be played again. */
export interface WorldsRecorder {
  /** Told of each world at its beginning, before anything happens to it; gives who is to be told of that. */
  open(worldEntry: Pick<WorldEntry, "id" | "configuration" | "begun">): LogHooks;
  /** Told that a world is no more. */
  remove(id: string): void;
}

/** How many worlds one mock keeps, the default one included. */
export const mostWorlds = 2000;

const tickMs = contract.limits.dispatch.tick_seconds * 1000;

/** Opens the registry with its default world. */
export function openWorlds(
  configuration: WorldConfiguration,
  journalSize: number,
  { onCall = null, recorder = null }: Partial<Pick<Worlds, "onCall" | "recorder">> = {},
): Worlds {
  const first = openWorldEntry("default", configuration, { journalSize });
  const byId = new Map<string, WorldEntry>();
  const worlds = { byId, default: first, journalSize, onCall, recorder, created: 0, pastClients: openTally() };
  addToWorlds(worlds, first);
  return worlds;
}

/** Founds one more world beside the others, called as is said or as none is yet; null when there are too many. */
export function createWorld(worlds: Worlds, configuration: WorldConfiguration, id?: string): WorldEntry | null {
  if (worlds.byId.size >= mostWorlds) return null;
  const worldEntry = openWorldEntry(id ?? freshName(worlds), configuration, worlds);
  addToWorlds(worlds, worldEntry);
  return worldEntry;
}

function freshName(worlds: Worlds): string {
  do worlds.created++;
  while (worlds.byId.has(`w${worlds.created}`));
  return `w${worlds.created}`;
}

/** Takes a world in among the others: its credentials select it from now on, and whoever is told of worlds is told of it. */
function addToWorlds(worlds: Worlds, worldEntry: WorldEntry): void {
  const { onCall, recorder } = worlds;
  if (onCall) worldEntry.journal.listeners.add((entry, number) => onCall(worldEntry, entry, number));
  if (recorder) worldEntry.log.hooks = recorder.open(worldEntry);
  worlds.byId.set(worldEntry.id, worldEntry);
}

/** Takes a world off the mock. */
export function removeWorld(worlds: Worlds, worldEntry: WorldEntry): void {
  if (!worlds.byId.delete(worldEntry.id)) return;
  keepPastClient(worlds, worldEntry);
  worlds.recorder?.remove(worldEntry.id);
}

/** Adds what a world's client did to the total of past clients. The world's journal ends, so its numbers go. */
function keepPastClient({ pastClients }: Worlds, { tally }: WorldEntry): void {
  forgetNumbers(tally);
  addTally(pastClients, tally);
}

/**
 * Founds a world again as it was at first, at a time of the wall; its journal, client report and faults go, and whoever listens to it stays. Its log goes on.
 */
export function resetWorld(worlds: Worlds, worldEntry: WorldEntry, begun: number): void {
  const { log } = worldEntry;
  const { listeners } = worldEntry.journal;
  if (!log.playing) keepPastClient(worlds, worldEntry);
  Object.assign(worldEntry, openWorldEntry(worldEntry.id, worldEntry.configuration, worlds, begun, worldEntry.clock.wall), {
    log,
  });
  worldEntry.journal.listeners = listeners;
}

/** Puts another state in the place of a world's own. Its clock runs on from there. */
export function replaceWorld(worldEntry: WorldEntry, world: World): void {
  arrangeLists(world);
  worldEntry.world = world;
  worldEntry.clock = startClock(world, worldEntry.clock.mode, worldEntry.clock.skip, worldEntry.clock.wall);
}

/** The world that a credential selects: `mock_<world>_…` as a bearer key, `<world>_…` as a cookie; anything else the default one. */
export function selectWorld(worlds: Worlds, authorization: string | undefined, session: string | undefined): WorldEntry {
  const { byId } = worlds;
  // of several mocks none need have the default one
  const home = byId.get(worlds.default.id);
  if (home && byId.size === 1) return home;
  return byId.get(worldIn(authorization, session)) ?? home ?? worlds.default;
}

/** Tells a user the credentials and repositories of a world. */
export function worldInfoOf({ id, world }: Pick<WorldEntry, "id" | "world">): WorldInfo {
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
export function openWorldEntry(
  id: string,
  configuration: WorldConfiguration,
  { journalSize }: Pick<Worlds, "journalSize">,
  begun = Date.now(),
  wall: Wall = runningWall,
): WorldEntry {
  const { fixture, seed, clock: mode, skip, plan } = configuration;
  const setting = variationSettingOf(configuration.variations, seed);
  const wallMs = wall();
  const parts = { id, seed, options: { ...variedOptions(setting), ...configuration.options }, ...(plan && { plan }) };
  const world = isSnapshot(fixture) ? worldOf(fixture, parts) : foundWorld(datedFixture(fixture, mode, begun), parts);
  // a snapshot is of a time, and goes on from there
  if (mode === "real" && !isSnapshot(fixture)) advance(world, { to: begun });
  const clock = { ...startClock(world, mode, skip, wall), since: { worldMs: world.now, wallMs } };
  const own = {
    clock,
    journal: openJournal(journalSize),
    tally: openClientTally(id),
    faults: [],
    faultCount: 0,
    variations: openVariations(setting),
  };
  return { id, configuration, world, ...own, log: openLog({ wall: begun }, {}), begun };
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
