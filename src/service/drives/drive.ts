import type { EventName } from "../../contract/names.js";
import type { ShownJob, ShownKey, ShownObservation, ShownRepo, ShownWorkspace } from "../world/shown.js";
import type { CodeHost, World } from "../world/world.js";

/** The result of each event. */
export interface EventResults extends Record<EventName, object> {
  "finish-job": ShownJob;
  "open-fix-pr": ShownObservation;
  "revise-fix-pr": ShownObservation;
  "merge-fix-pr": ShownObservation;
  "close-fix-pr": ShownObservation;
  find: ShownObservation;
  /** The references of the reopened observations. */
  rediscover: { reappeared: string[] };
  "push-commit": ShownRepo;
  "exhaust-fix": ShownObservation;
  "expire-observation": ShownObservation;
  suspend: ShownWorkspace;
  reactivate: ShownWorkspace;
  "revoke-key": ShownKey & { revoked_at: string | null };
  "set-credit": ShownWorkspace;
  "set-spend-ceiling": ShownWorkspace;
  "pause-spend": ShownWorkspace;
  "fail-verification": Pick<CodeHost, "outage">;
  "seed-observations": { seeded: number };
}

/** An event outside the API that a test can cause: a run ends, a pull request merges, a workspace is suspended. */
export interface Drive<Result = object> {
  /** Causes the event. The arguments match the event's schema in `spec/schema/events.json`. */
  run(world: World, args: Record<string, unknown>): DriveOutcome<Result>;
}

/**
 * The outcome of an event: plain JSON to show, or the reason for a refusal and the argument that caused it. A refused event
 * changes nothing. `status` is 409 when the state of the object is the reason.
 */
export type DriveOutcome<Result> = { result: Result } | Refusal;

type Refusal = { problem: string; field?: string; status?: 409 };

/** Refuses an event because the object that `field` names is in the wrong state. */
export function refuseState(problem: string, field: string): Refusal {
  return { problem, field, status: 409 };
}
