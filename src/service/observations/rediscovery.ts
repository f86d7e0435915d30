import { contract } from "../../contract/load.js";
import { next } from "../world/machine.js";
import type { Observation, Repo, World } from "../world/world.js";
import { changeObservation, opened } from "./observations.js";

/**
 * A run finds again what is closed in a repository. What was dismissed for a reason that lets it come back does, under the same ref;
 * everything else stays closed. OBS-REDISCOVER-REAPPEAR, OBS-REDISCOVER-STAY, OBS-REDISCOVER-SAME-REF. Answers what came back.
 */
export function rediscover(world: World, repo: Repo): Observation[] {
  const back = Object.values(world.observations).filter((observation) => observation.repo === repo.id && reappears(observation));
  for (const observation of back) changeObservation(world, observation, opened);
  return back;
}

function reappears({ status, dismissal_category }: Observation): boolean {
  if (!next("observation", status, "rediscover")) return false;
  return dismissal_category !== null && contract.transitions.dismissal[dismissal_category].reappears;
}
