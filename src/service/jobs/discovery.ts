import type { Repo, World } from "../world/world.js";
import { createJob } from "./jobs.js";
import { computeFingerprint, findDuplicate } from "./submissions.js";

/**
 * Creates the discovery job of a new repository, at the time that its registration scheduled. REPO-REGISTER-DISCOVERS. Creates
 * none for a deleted repository, or when a manual `discover` is in flight.
 */
export function enqueueDiscovery(world: World, repo: Repo): void {
  const work = { repo, workflow: "discover", params: {} } as const;
  const fingerprint = computeFingerprint(repo, work.workflow, work.params, repo.head_commit);
  const submission = { ...work, fingerprint, force: false };
  if (repo.deleted_at !== null || findDuplicate(world, submission)) return;
  createJob(world, submission);
}
