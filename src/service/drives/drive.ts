import type { World } from "../world.js";

/** An event that the world outside the API can cause: a run ends, a pull request merges, a workspace is suspended. */
export interface Drive {
  /** JSON Schema of the arguments, closed. */
  args: object;
  /** Makes it happen on arguments of that schema. */
  run(world: World, args: Record<string, unknown>): DriveOutcome;
}

/** What came of it: plain JSON to show, or one sentence why it cannot happen now. Nothing is changed in the latter case. */
export type DriveOutcome = { result: unknown } | { problem: string };

/** The schema of a closed object whose named properties are all required but those in `optional`. */
export function argsSchema(properties: Record<string, object>, optional: string[] = []): object {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}
