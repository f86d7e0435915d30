import { advance } from "../service/advance.js";
import type { World } from "../service/world.js";
import { type ShownChange, showChanges } from "./changes.js";
import { durationForm, readDuration } from "./durations.js";
import type { Problem } from "./problems.js";

/** The paces a world's clock can keep: seconds of the world in a second of the wall. */
const paces = { real: 1, frozen: 0, "30x": 30 } as const;

/** How a world's clock runs by itself. It can be moved on by hand in every mode. */
export type ClockMode = keyof typeof paces;
/** Their names. */
export const clockModes = Object.keys(paces) as ClockMode[];

/** What a world's clock shows, how it runs, and what will happen next by itself. */
export interface ClockFace {
  now: string;
  mode: ClockMode;
  next_event: { at: string; event: unknown } | null;
}

/** A running clock: the world's time, and the wall's, when it was last set. */
export interface Clock {
  mode: ClockMode;
  world: World;
  since: { worldMs: number; wallMs: number };
}

/** A move of the clock as users write it: exactly one of the three. */
export type ClockMove = { by: string } | { to: string } | { until: "idle" | "next-event" };

/** Where the clock stands after a move, and what happened on the way. */
export interface MoveResult {
  now: string;
  events: ShownChange[];
}

/** The latest time that can be written as a four-digit year. */
const endOfTime = Date.UTC(9999, 11, 31);

/** Starts a world's clock. */
export function startClock(world: World, mode: ClockMode): Clock {
  return { mode, world, since: { worldMs: world.now, wallMs: performance.now() } };
}

/** Brings the world up to the time its clock shows. There are no timers: whoever looks at a world calls this first. */
export function catchUp(clock: Clock): void {
  const pace = paces[clock.mode];
  if (pace === 0) return;
  const { worldMs, wallMs } = clock.since;
  const to = Math.floor(worldMs + (performance.now() - wallMs) * pace);
  if (to > clock.world.now) advance(clock.world, { to });
}

/** Changes the pace from now on. */
export function setMode(clock: Clock, mode: ClockMode): void {
  catchUp(clock);
  clock.mode = mode;
  clock.since = { worldMs: clock.world.now, wallMs: performance.now() };
}

/** Moves the clock forward; a problem when the move is not one, or leads backwards. */
export function moveClock(clock: Clock, move: ClockMove): MoveResult | Problem {
  catchUp(clock);
  const { world } = clock;
  const target = "until" in move ? move : readTarget(world, move);
  if ("problem" in target) return target;
  const events = showChanges(advance(world, target));
  setMode(clock, clock.mode);
  return { now: new Date(world.now).toISOString(), events };
}

function readTarget(world: World, move: { by: string } | { to: string }): { to: number } | Problem {
  if ("by" in move) {
    const ms = readDuration(move.by);
    if (ms === null) return { problem: `'${move.by}' is no length of time; write ${durationForm}.` };
    return reachable(world.now + ms, move.by);
  }
  const to = Date.parse(move.to);
  if (Number.isNaN(to)) return { problem: `'${move.to}' is no time; write ISO 8601, such as 2026-01-05T09:00:00Z.` };
  if (to < world.now) return { problem: `The clock only goes forward, and it is ${new Date(world.now).toISOString()} already.` };
  return reachable(to, move.to);
}

function reachable(to: number, given: string): { to: number } | Problem {
  return to <= endOfTime ? { to } : { problem: `'${given}' leads beyond the year 9999.` };
}
