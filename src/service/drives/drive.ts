import type { World } from "../world/world.js";

/** An event outside the API that a test can cause: a run ends, a pull request merges, a workspace is suspended. */
export interface Drive {
  /** Causes the event. The arguments match the event's schema in `spec/schema/events.json`. */
  run(world: World, args: Record<string, unknown>): DriveOutcome;
}

/**
 * The outcome of an event: plain JSON to show, or the reason for a refusal and the argument that caused it. A refused event
 * changes nothing. `status` is 409 when the state of the object is the reason.
 */
export type DriveOutcome = { result: unknown } | { problem: string; field?: string; status?: 409 };

/** Refuses an event because the object that `field` names is in the wrong state. */
export function refuseState(problem: string, field: string): DriveOutcome {
  return { problem, field, status: 409 };
}
