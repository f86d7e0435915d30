import { type Call, type Outcome, ok } from "../call.js";
import { listShort } from "../world/listing.js";
import type { World } from "../world/world.js";
import { findRepo, noSuchRepo } from "./repos.js";

/** Lists the repository's discovery files. REPO-READ-DISCOVERY; PAGE-LISTS-UNSHOWN. */
export function listDiscovery(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  return repo ? listShort(call, repo.id, repo.discovery, (file) => file) : noSuchRepo;
}

/** Shows the repository's knowledge bundle. REPO-READ-KNOWLEDGE. */
export function getKnowledge(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  return repo ? ok(200, repo.knowledge) : noSuchRepo;
}
