import type { Observation } from "./state.js";

/** Closes an observation. */
export function closeObservation(observation: Observation, reason: string, atMs: number): void {
  observation.status = "closed";
  observation.closeReason = reason;
  observation.closedMs = atMs;
  observation.updatedMs = atMs;
}

/** Opens it again. */
export function openObservation(observation: Observation, atMs: number, forgets = false): void {
  observation.status = "new";
  observation.updatedMs = atMs;
  delete observation.closeReason;
  delete observation.closedMs;
  delete observation.dismissedAs;
  if (!forgets) return;
  delete observation.acknowledgedMs;
  delete observation.tickets;
}

/** Whether its fix is in the lane of its repository, which keeps it out of the list of new ones. */
export function isInLane({ pull }: Observation): boolean {
  return pull?.status === "in_review" || pull?.status === "revising";
}
