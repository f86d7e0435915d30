import { type ClockMode, type ClockMove, type MoveResult, moveClock, setMode } from "./clock.js";
import { type DriveResult, driveWorld } from "./drive.js";
import { addFault, type Fault, type FaultRequest } from "./faults.js";
import type { Entry } from "./journal.js";
import { findEntries, type Match } from "./matching.js";
import { isProblem, type Problem } from "./problems.js";
import type { Addresses, Site } from "./site.js";
import { type HostedWorld, type Introduction, introduce, resetWorld } from "./worlds.js";

/** One world of a running mock: where and with what to call it, and how to make things happen in it. */
export interface MockWorld extends Addresses, Introduction {
  /** Moves the clock: by a length of time (`"30s"`), to a time, or until something happens. Throws when it cannot. */
  advance(move: string | ClockMove): MoveResult;
  /** Changes how the clock runs by itself. */
  setClock(mode: ClockMode): void;
  /** Lets something happen from outside the API, such as `finish-job`; answers what came of it. Throws when it cannot. */
  drive(event: string, args?: Record<string, unknown>): DriveResult;
  /** Lets calls of one route or tool go wrong. Throws when there is none of that name. */
  fault(request: FaultRequest): Fault;
  /** The journal's entries that fit, oldest first; all of them when nothing is asked. */
  journal(match?: Match): Entry[];
  /** Starts the world again as it was at first. */
  reset(): void;
}

/** A world beside the default one, which can go again. */
export interface IsolatedWorld extends MockWorld {
  /** Takes the world off the mock; its keys are no longer known. */
  remove(): void;
}

/** Makes the handle by which a program in the same process acts on a world. */
export function handleOf(site: Site, hosted: HostedWorld): MockWorld {
  return {
    ...site.addresses,
    ...introduce(hosted),
    advance: (move) => orThrow(moveClock(hosted.clock, typeof move === "string" ? { by: move } : move)),
    setClock: (mode) => setMode(hosted.clock, mode),
    drive: (event, args = {}) => orThrow(driveWorld(hosted, event, args)),
    fault: (request) => orThrow(addFault(hosted.faults, request, Object.values(site.tools.names))),
    journal: (match = {}) => findEntries(hosted.journal, hosted.world, match),
    reset: () => resetWorld(site.worlds, hosted),
  };
}

/** Makes the handle of a world beside the default one. */
export function isolatedHandleOf(site: Site, hosted: HostedWorld): IsolatedWorld {
  return { ...handleOf(site, hosted), remove: () => void site.worlds.byId.delete(hosted.id) };
}

/** Gives a value, or throws the problem that stands in its place. */
export function orThrow<T extends object>(outcome: T): Exclude<T, Problem> {
  if (!isProblem(outcome)) return outcome as Exclude<T, Problem>;
  throw new Error(outcome.allowed ? `${outcome.problem} Allowed: ${outcome.allowed.join(", ")}.` : outcome.problem);
}
