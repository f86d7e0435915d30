import { judgePending } from "../../../client-report/calls.js";
import { copyWorld } from "../../../service/world/copies.js";
import { getStoppedTime, startClock } from "../clock.js";
import { listSessions, putSessions } from "../tool-sessions.js";
import type { WorldEntry } from "../worlds.js";
import type { Checkpoint } from "./log.js";

/** Copies the whole state of a world on which later events depend. */
export function takeCheckpoint({ world, clock, faults, faultCount, journal, variations }: WorldEntry): Checkpoint {
  return {
    world: copyWorld(world),
    clock: { mode: clock.mode, skip: clock.skip, until: clock.wait?.until ?? null },
    faults: structuredClone(faults),
    faultCount,
    journal: { ring: [...journal.ring], total: journal.total },
    sessions: listSessions(world),
    ...(variations && { refusals: structuredClone(variations.refusals) }),
  };
}

/** Restores the state of a checkpoint in a world whose clock stands still. */
export function returnTo(
  worldEntry: WorldEntry,
  { world, clock, faults, faultCount, journal, sessions, refusals }: Checkpoint,
): void {
  worldEntry.world = copyWorld(world);
  worldEntry.clock = startClock(worldEntry.world, clock.mode, clock.skip, getStoppedTime);
  if (clock.until !== null) worldEntry.clock.wait = { until: clock.until, worldMs: world.now, wallMs: getStoppedTime() };
  worldEntry.faults = structuredClone(faults);
  worldEntry.faultCount = faultCount;
  // answers before the checkpoint may also contain cursors
  judgePending(worldEntry.tally);
  worldEntry.tally.memory.forgetsCursors = true;
  Object.assign(worldEntry.journal, { ring: [...journal.ring], total: journal.total });
  putSessions(worldEntry.world, sessions);
  if (worldEntry.variations && refusals) worldEntry.variations.refusals = structuredClone(refusals);
}
