import { type Call, type Outcome, ok } from "../call.js";
import { listPage, listShort } from "../listing.js";
import { orders } from "../observation-lists.js";
import { findRepo, noSuchRepo } from "../repos.js";
import type { View } from "../views.js";
import type { Observation, Repo, World } from "../world.js";

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

/** Lists the fix PR lane, newest change first. REPO-READ-FIXPRS; PAGE-LISTS-UNSHOWN. */
export function listFixPrs(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  return repo ? listPage(world, call, laneView(repo), laneEntry) : noSuchRepo;
}

/** The observations whose fix PR is merged or still open. One closed unmerged leaves the lane. OBS-FIX-UNMERGED. */
function laneView(repo: Repo): View<"observations"> {
  return {
    table: "observations",
    name: `fix-prs ${repo.id}`,
    order: orders.recency,
    holds: ({ repo: id, fix_pr }) => id === repo.id && fix_pr !== null && fix_pr.status !== "closed",
  };
}

/** OBS-LANE-FIELD-CONTENT, OBS-LANE-FIELD-STATUS; the field names are ours. */
function laneEntry({ ref, title, fix_pr }: Observation): Record<string, unknown> {
  return { ref, title, pr_url: fix_pr?.url ?? null, status: fix_pr?.status ?? null };
}
