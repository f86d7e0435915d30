import type { Problem } from "../../common/problem.js";
import { readSpec } from "../../contract/load.js";
import { advance } from "../../service/advance.js";
import { setWorkMode } from "../../service/work.js";
import type { Change, WorkMode, World } from "../../service/world/world.js";
import { durationForm, readDuration } from "../input/durations.js";
import { type ShownChange, showChanges } from "../journal/changes.js";

/** The speeds of a world's clock: seconds of the world in one real second. */
const clockSpeeds = { real: 1, frozen: 0, "30x": 30 } as const;

/** How a world's clock runs. It can be moved in every mode. */
export type ClockMode = keyof typeof clockSpeeds;
/** The names of the modes. */
export const clockModes = Object.keys(clockSpeeds) as ClockMode[];

/** How `Retry-After` moves the clock: not at all, at once to its end, or a factor faster until then. */
export type Skip = "off" | "at-once" | `${number}x`;
/** The valid values of a skip. */
export const skipSchema = {
  type: "string",
  pattern: "^(off|at-once|[1-9][0-9]{0,5}x)$",
  examples: ["off", "at-once", "1x", "60x"],
  description:
    "The effect of Retry-After on the clock. off: none. at-once: the clock moves to the end of the wait. 60x: until then it runs 60 times faster.",
};

/** The time of a world's clock, its settings, and the next scheduled events. */
export interface ClockState {
  now: string;
  clock: ClockMode;
  skip: Skip;
  work: WorkMode;
  next_event: { at: string; event: unknown } | null;
}

/** A running clock: the world time and the real time at its last change. */
export interface Clock {
  mode: ClockMode;
  world: World;
  since: { worldMs: number; wallMs: number };
  skip: Skip;
  /** A wait that a response started and that is not over: its beginning and end. */
  wait: { until: number; worldMs: number; wallMs: number } | null;
  /** Returns the real time in milliseconds. */
  wall: TimeSource;
}

/** A source of real time. */
export type TimeSource = () => number;

/** The clock of the machine. */
export const getMachineTime: TimeSource = () => performance.now();
/** Returns a clock that stands still, for a world whose log is being replayed. */
export const getStoppedTime: TimeSource = () => 0;

/** The settings of a clock. Absent settings stay. */
export interface ClockSetting {
  clock?: ClockMode;
  skip?: Skip;
  work?: WorkMode;
}

/** When jobs complete, in the form of fixtures. */
export const workSchema = (readSpec("schema/fixture.json") as FixtureSchema).$defs.options.properties.work;

/** A move of the clock: exactly one of the three fields. */
export type ClockMove = { by: string } | { to: string } | { until: "idle" | "next-event" };

/** The time after a move of the clock, and the events during the move. */
export interface MoveResult {
  now: string;
  events: ShownChange[];
}

/** A completed move of the clock. */
interface Move {
  now: string;
  changes: readonly Change[];
}

interface FixtureSchema {
  $defs: { options: { properties: { work: { pattern: string; examples: string[]; description: string } } } };
}

/** The latest time with a four-digit year. */
const endOfTime = Date.UTC(9999, 11, 31);

/** Starts a world's clock. */
export function startClock(world: World, mode: ClockMode, skip: Skip, wallTime: TimeSource = getMachineTime): Clock {
  return { mode, world, since: { worldMs: world.now, wallMs: wallTime() }, skip, wait: null, wall: wallTime };
}

/** Advances the world to the time of its clock. The mock has no timers, so every access to a world calls this first. */
export function catchUp(clock: Clock): void {
  const pace = clockSpeeds[clock.mode];
  if (pace === 0 && !clock.wait) return;
  const wallNow = clock.wall();
  const { worldMs, wallMs } = clock.since;
  const to = Math.floor(worldMs + (wallNow - wallMs) * pace);
  if (to > clock.world.now) advance(clock.world, { to });
  if (clock.wait) waitOn(clock, clock.wait, wallNow);
}

/**
 * Moves the clock according to the option `skip` after a response with Retry-After: at once to the end of the wait, or by a factor faster
 * until then.
 */
export function startSkip(clock: Clock, retryAfter: string | undefined): void {
  if (retryAfter === undefined || clock.skip === "off") return;
  const until = Math.min(endOfTime, clock.world.now + Number(retryAfter) * 1000);
  if (clock.skip === "at-once") moveTo(clock, until);
  else clock.wait = { until: Math.max(until, clock.wait?.until ?? 0), worldMs: clock.world.now, wallMs: clock.wall() };
}

function waitOn(clock: Clock, { until, worldMs, wallMs }: NonNullable<Clock["wait"]>, wallNow: number): void {
  const to = Math.min(until, Math.floor(worldMs + (wallNow - wallMs) * Number.parseInt(clock.skip, 10)));
  if (to >= until) clock.wait = null;
  if (to > clock.world.now) moveTo(clock, to);
}

function moveTo(clock: Clock, to: number): void {
  advance(clock.world, { to });
  clock.since = { worldMs: clock.world.now, wallMs: clock.wall() };
}

/** Sets a clock to a time that it showed earlier, and performs the events until then. */
export function restoreTime(clock: Clock, at: number): void {
  if (at > clock.world.now) moveTo(clock, at);
  const { wait, world } = clock;
  if (wait) clock.wait = world.now < wait.until ? { ...wait, worldMs: world.now, wallMs: clock.wall() } : null;
}

/** Lets a stopped clock continue with the real time. */
export function continueClock(clock: Clock): void {
  clock.wall = getMachineTime;
  clock.since = { worldMs: clock.world.now, wallMs: clock.wall() };
  restoreTime(clock, clock.world.now);
}

/** Changes the given settings of the clock. The caller has advanced the clock before. */
export function setClock(clock: Clock, { clock: mode, skip, work }: ClockSetting): void {
  if (mode) clock.mode = mode;
  if (skip) clock.skip = skip;
  if (skip) clock.wait = null;
  if (work) setWorkMode(clock.world, work);
  clock.since = { worldMs: clock.world.now, wallMs: clock.wall() };
}

/** Moves the clock forward. Returns a problem for an invalid move or a move backwards. The caller has advanced the clock before. */
export function moveClock(clock: Clock, move: ClockMove): Move | Problem {
  const { world } = clock;
  const target = "until" in move ? move : readTarget(world, move);
  if ("problem" in target) return target;
  const changes = advance(world, target);
  clock.since = { worldMs: world.now, wallMs: clock.wall() };
  return { now: new Date(world.now).toISOString(), changes };
}

/** Returns a move of the clock in the form that users see. */
export function showMove({ now, changes }: Move): MoveResult {
  return { now, events: showChanges(changes) };
}

function readTarget(world: World, move: { by: string } | { to: string }): { to: number } | Problem {
  if ("by" in move) {
    const ms = readDuration(move.by);
    if (ms === null) return { problem: `'${move.by}' is not a duration; write ${durationForm}.`, field: "by" };
    return limitTarget(world.now + ms, move.by, "by");
  }
  const to = Date.parse(move.to);
  if (Number.isNaN(to))
    return { problem: `'${move.to}' is not a time; write ISO 8601, such as 2026-01-05T09:00:00Z.`, field: "to" };
  if (to < world.now)
    return { problem: `The clock moves only forward, and its time is ${new Date(world.now).toISOString()}.`, field: "to" };
  return limitTarget(to, move.to, "to");
}

function limitTarget(to: number, given: string, field: string): { to: number } | Problem {
  return to <= endOfTime ? { to } : { problem: `'${given}' is beyond the year 9999.`, field };
}
