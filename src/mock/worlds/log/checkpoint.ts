import { copyOfWorld } from "../../../service/world/copies.js";
import { startClock, stillWall } from "../clock.js";
import { listSessions, putSessions } from "../tool-sessions.js";
import type { HostedWorld } from "../worlds.js";
import type { Checkpoint } from "./log.js";

/** Copies everything of a world that what comes next depends on. */
export function takeCheckpoint({ world, clock, faults, faultCount, journal, grease }: HostedWorld): Checkpoint {
  return {
    world: copyOfWorld(world),
    clock: { mode: clock.mode, skip: clock.skip, until: clock.wait?.until ?? null },
    faults: structuredClone(faults),
    faultCount,
    journal: { ring: [...journal.ring], total: journal.total },
    sessions: listSessions(world),
    ...(grease && { refusals: structuredClone(grease.refusals) }),
  };
}

/** Puts a world, whose wall stands still, where a checkpoint was taken. */
export function returnTo(
  hosted: HostedWorld,
  { world, clock, faults, faultCount, journal, sessions, refusals }: Checkpoint,
): void {
  hosted.world = copyOfWorld(world);
  hosted.clock = startClock(hosted.world, clock.mode, clock.skip, stillWall);
  if (clock.until !== null) hosted.clock.wait = { until: clock.until, worldMs: world.now, wallMs: stillWall() };
  hosted.faults = structuredClone(faults);
  hosted.faultCount = faultCount;
  // answers before the checkpoint gave out cursors too
  hosted.card.memory.forgetsCursors = true;
  Object.assign(hosted.journal, { ring: [...journal.ring], total: journal.total });
  putSessions(hosted.world, sessions);
  if (hosted.grease && refusals) hosted.grease.refusals = structuredClone(refusals);
}
