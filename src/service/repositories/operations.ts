import { type Call, type Outcome, succeed } from "../call.js";
import { listPage, listShort } from "../world/listing.js";
import type { Order, View } from "../world/views.js";
import type { World } from "../world/world.js";
import { findRepo, noSuchRepo, type ResetFlags, removeRepo, resetRepo as reset, showRepo } from "./repos.js";

/** Lists the workspace's repositories in the order they were registered (assumed). REPO-LIST-ROUTE. */
export function listRepos(world: World, call: Call): Outcome {
  return listPage(world, call, createReposView(call.caller.workspace.id), showRepo);
}

/** Shows one repository. REPO-GET-ROUTE. */
export function getRepo(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  return repo ? succeed(200, showRepo(repo)) : noSuchRepo;
}

/** Removes a repository from the workspace. REPO-DELETE-ROUTE, REPO-DELETE-404. */
export function deleteRepo(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  if (!repo) return noSuchRepo;
  removeRepo(world, repo);
  return succeed(204);
}

/** Deletes the data of a repository that the flags name, and returns the counts. REPO-RESET-ROUTE. */
export function resetRepo(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  if (!repo) return noSuchRepo;
  const resetCounts = reset(world, repo, (call.body ?? {}) as ResetFlags);
  return succeed(200, { repo_name: repo.slug, dropped: resetCounts });
}

function createReposView(workspace: string): View<"repos"> {
  return {
    table: "repos",
    name: workspace,
    order: byRegistration,
    includes: (repo) => repo.workspace === workspace && repo.deleted_at === null,
  };
}

const byRegistration: Order<"repos"> = { name: "registration", rank: ({ serial }) => [serial] };

/** Lists the repository's discovery files. REPO-READ-DISCOVERY; PAGE-LISTS-UNSHOWN. */
export function listDiscovery(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  return repo ? listShort(call, repo.id, repo.discovery, (file) => file) : noSuchRepo;
}

/** Shows the repository's knowledge bundle. REPO-READ-KNOWLEDGE. */
export function getKnowledge(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  return repo ? succeed(200, repo.knowledge) : noSuchRepo;
}
