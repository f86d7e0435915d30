import type { World } from "../world/world.js";

/** An event that the world outside the API can cause: a run ends, a pull request merges, a workspace is suspended. */
export interface Drive {
  /** Makes it happen on arguments of the event's schema, in `spec/schema/events.json`. */
  run(world: World, args: Record<string, unknown>): DriveOutcome;
}

/**
 * What an event returns: plain JSON to show, or one sentence that says why it is refused, and the argument at fault. A refused event changes
 * nothing. `status` is 409 where the state of the object is the reason.
 */
export type DriveOutcome = { result: unknown } | { problem: string; field?: string; status?: 409 };

/** Refuses an event because the object that `field` names is in the wrong state. */
export function refuseState(problem: string, field: string): DriveOutcome {
  return { problem, field, status: 409 };
}
