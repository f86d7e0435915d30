import type { Repo, World } from "../world/world.js";
import { createJob } from "./jobs.js";
import { deduplicated } from "./submissions.js";

/**
 * Enqueues the discovery run of a repository that was registered a moment ago, when its cost was admitted. REPO-REGISTER-DISCOVERS.
 * No run for a repository that is gone by now, and no second one beside a manual `discover`.
 */
export function enqueueDiscovery(world: World, repo: Repo): void {
  const submission = { repo, workflow: "discover", params: {}, force: false } as const;
  if (repo.deleted_at !== null || deduplicated(world, submission)) return;
  createJob(world, submission);
}
