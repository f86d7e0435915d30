import { contract } from "../../contract/load.js";
import { findNextState } from "../world/state-machine.js";
import type { Observation, Repo, World } from "../world/world.js";
import { changeObservation, reopenedFields } from "./observations.js";

/**
 * Reopens the observations of a repository that a run finds again. A dismissed one reopens under the same ref if its category
 * allows it; every other closed one stays closed. OBS-REDISCOVER-REAPPEAR, OBS-REDISCOVER-STAY, OBS-REDISCOVER-SAME-REF. Returns
 * the reopened observations.
 */
export function rediscover(world: World, repo: Repo): Observation[] {
  const reopened = Object.values(world.observations).filter(
    (observation) => observation.repo === repo.id && reappears(observation),
  );
  for (const observation of reopened) changeObservation(world, observation, reopenedFields);
  return reopened;
}

function reappears({ status, dismissal_category }: Observation): boolean {
  if (!findNextState("observation", status, "rediscover")) return false;
  return dismissal_category !== null && contract.transitions.dismissal[dismissal_category].reappears;
}
