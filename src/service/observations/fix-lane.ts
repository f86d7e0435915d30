import type { Call, Outcome } from "../call.js";
import { findRepo, noSuchRepo } from "../repositories/repos.js";
import { listPage } from "../world/listing.js";
import type { View } from "../world/views.js";
import type { Observation, Repo, World } from "../world/world.js";
import { orders } from "./filters.js";

/** Lists the fix PR lane of a repository, newest change first. REPO-READ-FIXPRS; PAGE-LISTS-UNSHOWN. */
export function listFixPrs(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  return repo ? listPage(world, call, createLaneView(repo), showLaneEntry) : noSuchRepo;
}

/** Returns the observations with a fix PR that is open or merged. A PR closed unmerged leaves the lane. OBS-FIX-UNMERGED. */
function createLaneView(repo: Repo): View<"observations"> {
  return {
    table: "observations",
    name: `fix-prs ${repo.id}`,
    order: orders.recency,
    includes: ({ repo: id, fix_pr }) => id === repo.id && fix_pr !== null && fix_pr.status !== "closed",
  };
}

/** Returns one entry of the lane. OBS-LANE-FIELD-CONTENT, OBS-LANE-FIELD-STATUS; the field names are our choice. */
function showLaneEntry({ ref, title, fix_pr }: Observation): Record<string, unknown> {
  return { ref, title, pr_url: fix_pr?.url ?? null, status: fix_pr?.status ?? null };
}
