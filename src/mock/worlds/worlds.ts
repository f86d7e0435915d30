import { type ClientTally, forgetNumbers, openClientTally } from "../../client-report/calls.js";
import { addTally, openTally, type Tally } from "../../client-report/tally.js";
import { contract } from "../../contract/load.js";
import type { PlanName } from "../../contract/types.js";
import { advance } from "../../service/advance.js";
import { createWorldFromFixture, type Fixture, prepareLists } from "../../service/fixture/fixture.js";
import { createWorldFromSnapshot, isSnapshot, type Snapshot } from "../../service/fixture/snapshot.js";
import type { Options, World } from "../../service/world/world.js";
import type { Fault } from "../faults/faults.js";
import { type Journal, type JournalListener, openJournal } from "../journal/journal.js";
import { createVariedOptions, readVariationSetting, type VariationsOption } from "../variations/setting.js";
import { openVariations, type Variations } from "../variations/variations.js";
import { type Clock, type ClockMode, getMachineTime, type Skip, startClock, type TimeSource } from "./clock.js";
import { readWorldName } from "./credential.js";
import { type Log, type LogHooks, openLog } from "./log/log.js";
import type { WorldInfo } from "./world-info.js";

/**
 * The configuration of a world. The same configuration makes the same world again (with the same real time where the clock
 * follows it). Plain JSON.
 */
export interface WorldConfiguration {
  fixture: Fixture | Snapshot;
  seed: number;
  clock: ClockMode;
  skip: Skip;
  options: Partial<Options>;
  plan?: PlanName;
  variations: VariationsOption;
}

/** One world with its clock, journal, faults and log. */
export interface WorldEntry {
  id: string;
  configuration: WorldConfiguration;
  world: World;
  clock: Clock;
  journal: Journal;
  /** The client's calls since the last reset, rewound calls included. */
  tally: ClientTally;
  faults: Fault[];
  /** Number of faults that the world has had. The id of the newest fault contains it, so no id is reused. */
  faultCount: number;
  variations: Variations | null;
  /** The log of its events. */
  log: Log;
  /** Real time at which it began, in milliseconds since 1970. */
  begun: number;
}

/** Every world of a mock by its id, and the journal size of a new world. */
export interface Worlds {
  byId: Map<string, WorldEntry>;
  default: WorldEntry;
  journalSize: number;
  /** Called with every call to any world. */
  onCall: ((worldEntry: WorldEntry, ...call: Parameters<JournalListener>) => void) | null;
  /** Records the events of every world. */
  recorder: WorldsRecorder | null;
  created: number;
  /** The client calls of deleted worlds, and of reset worlds before the reset. */
  pastClients: Tally;
}

/** A recorder of the events of all worlds, so that they can be replayed again. */
export interface WorldsRecorder {
  /** Called with each world before its first event. Returns the hooks of its log. */
  open(worldEntry: Pick<WorldEntry, "id" | "configuration" | "begun">): LogHooks;
  /** Called when a world is deleted. */
  remove(id: string): void;
}

/** Maximum number of worlds of a mock, the default world included. */
export const maxWorlds = 2000;

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

/** Creates a world with this id or the next free one. Returns null if there are too many. */
export function createWorld(worlds: Worlds, configuration: WorldConfiguration, id?: string): WorldEntry | null {
  if (worlds.byId.size >= maxWorlds) return null;
  const worldEntry = openWorldEntry(id ?? createName(worlds), configuration, worlds);
  addToWorlds(worlds, worldEntry);
  return worldEntry;
}

function createName(worlds: Worlds): string {
  do worlds.created++;
  while (worlds.byId.has(`w${worlds.created}`));
  return `w${worlds.created}`;
}

/** Adds a world: from now on its credentials select it. */
function addToWorlds(worlds: Worlds, worldEntry: WorldEntry): void {
  const { onCall, recorder } = worlds;
  if (onCall) worldEntry.journal.listeners.add((entry, number) => onCall(worldEntry, entry, number));
  if (recorder) worldEntry.log.hooks = recorder.open(worldEntry);
  worlds.byId.set(worldEntry.id, worldEntry);
}

/** Removes a world. */
export function removeWorld(worlds: Worlds, worldEntry: WorldEntry): void {
  if (!worlds.byId.delete(worldEntry.id)) return;
  keepPastClient(worlds, worldEntry);
  worlds.recorder?.remove(worldEntry.id);
}

/** Adds the client tally of a world to that of past clients. The journal ends, so its numbers are removed. */
function keepPastClient({ pastClients }: Worlds, { tally }: WorldEntry): void {
  forgetNumbers(tally);
  addTally(pastClients, tally);
}

/** Resets a world to its first state, at a real time. Deletes its journal, client report and faults. Keeps its listeners and its log. */
export function resetWorld(worlds: Worlds, worldEntry: WorldEntry, begun: number): void {
  const { log } = worldEntry;
  const { listeners } = worldEntry.journal;
  if (!log.replayedEntry) keepPastClient(worlds, worldEntry);
  Object.assign(worldEntry, openWorldEntry(worldEntry.id, worldEntry.configuration, worlds, begun, worldEntry.clock.wall), {
    log,
  });
  worldEntry.journal.listeners = listeners;
}

/** Replaces the state of a world. Its clock continues from there. */
export function replaceWorld(worldEntry: WorldEntry, world: World): void {
  prepareLists(world);
  worldEntry.world = world;
  worldEntry.clock = startClock(world, worldEntry.clock.mode, worldEntry.clock.skip, worldEntry.clock.wall);
}

/**
 * Returns the world that a credential selects: `mock_<world>_…` as a bearer key, `<world>_…` as a cookie. For any other credential, the
 * default world.
 */
export function selectWorld(worlds: Worlds, authorization: string | undefined, session: string | undefined): WorldEntry {
  const { byId } = worlds;
  // in a cluster, another mock may own the default world
  const defaultEntry = byId.get(worlds.default.id);
  if (defaultEntry && byId.size === 1) return defaultEntry;
  return byId.get(readWorldName(authorization, session)) ?? defaultEntry ?? worlds.default;
}

/** Returns the credentials and repositories of a world. */
export function buildWorldInfo({ id, world }: Pick<WorldEntry, "id" | "world">): WorldInfo {
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

/** Returns whether a key belongs to the fixture. Other keys have drawn ids. */
function isRole(id: string, name: string): boolean {
  return id === `key_${name}`;
}

/** Creates a world at a real time. */
export function openWorldEntry(
  id: string,
  configuration: WorldConfiguration,
  { journalSize }: Pick<Worlds, "journalSize">,
  begun = Date.now(),
  wallTime: TimeSource = getMachineTime,
): WorldEntry {
  const { fixture, seed, clock: mode, skip, plan } = configuration;
  const setting = readVariationSetting(configuration.variations, seed);
  const wallMs = wallTime();
  const parts = { id, seed, options: { ...createVariedOptions(setting), ...configuration.options }, ...(plan && { plan }) };
  const world = isSnapshot(fixture)
    ? createWorldFromSnapshot(fixture, parts)
    : createWorldFromFixture(resolveFixtureDates(fixture, mode, begun), parts);
  // a snapshot has a time, and the world continues from there
  if (mode === "real" && !isSnapshot(fixture)) advance(world, { to: begun });
  const clock = { ...startClock(world, mode, skip, wallTime), since: { worldMs: world.now, wallMs } };
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

/** The fixture with the newest date. It stays the same until the next tick, so that its worlds are created fast. */
let dated: { of: Fixture; fixture: Fixture } | undefined;

/**
 * Returns the fixture with the start of the clock. A `real` clock starts at the latest dispatch tick. Other clocks start at the time of the
 * fixture, so that every run is the same.
 */
function resolveFixtureDates(fixture: Fixture, mode: ClockMode, begun: number): Fixture {
  if (mode !== "real") return fixture;
  const clock = new Date(Math.floor(begun / tickMs) * tickMs).toISOString();
  if (dated?.of !== fixture || dated.fixture.clock !== clock) dated = { of: fixture, fixture: { ...fixture, clock } };
  return dated.fixture;
}
