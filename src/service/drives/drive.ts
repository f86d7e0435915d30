import type { World } from "../world/world.js";

/** An event that the world outside the API can cause: a run ends, a pull request merges, a workspace is suspended. */
export interface Drive {
  /** Makes it happen on arguments of the event's schema, in `spec/schema/events.json`. */
  run(world: World, args: Record<string, unknown>): DriveOutcome;
}

/** What came of it: plain JSON to show, or one sentence why it cannot happen now, with the argument that stands against it. Nothing is changed in the latter case. */
export type DriveOutcome = { result: unknown } | { problem: string; field?: string };
