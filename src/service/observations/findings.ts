import { isLive } from "../repositories/repos.js";
import { inventSourceLocation } from "../world/content.js";
import { rowOf } from "../world/lookups.js";
import { draw } from "../world/random.js";
import type { Job, World } from "../world/world.js";
import { createObservation } from "./observations.js";

/** How many observations a run of an audit adds at most; it adds one at least. */
const mostFound: Readonly<Record<string, number>> = { audit: 4, standard_audit: 2 };

/**
 * A completed audit finds something, by the seed: first a finding that can be fixed, then whatever else. RUN-OUTCOME. Nothing where the
 * run was of another kind, did not succeed, or its repository is gone.
 */
export function findByAudit(world: World, job: Job): void {
  const most = mostFound[job.workflow];
  if (most === undefined || job.status !== "completed" || !isLive(world, job)) return;
  const repo = rowOf(world.repos, job.repo);
  createObservation(world, repo, { kind: "finding", locations: [inventSourceLocation(world)] });
  for (let more = Math.floor(draw(world) * most); more > 0; more--) createObservation(world, repo, {});
}
