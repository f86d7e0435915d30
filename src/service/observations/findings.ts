import { isLive } from "../repositories/repos.js";
import { generateSourceLocation } from "../world/generated-content.js";
import { readRow } from "../world/lookups.js";
import { drawRandom } from "../world/random.js";
import type { Job, World } from "../world/world.js";
import { createObservation } from "./observations.js";

/** The most observations that an audit run adds. The least is one. */
const maxFindings: Readonly<Record<string, number>> = { audit: 4, standard_audit: 2 };

/**
 * Adds observations after a completed audit, by the seed: one fixable finding, then others. RUN-OUTCOME. Adds none for another
 * workflow, a failed run or a deleted repository.
 */
export function addAuditFindings(world: World, job: Job): void {
  const max = maxFindings[job.workflow];
  if (max === undefined || job.status !== "completed" || !isLive(world, job)) return;
  const repo = readRow(world.repos, job.repo);
  createObservation(world, repo, { kind: "finding", locations: [generateSourceLocation(world)] });
  for (let more = Math.floor(drawRandom(world) * max); more > 0; more--) createObservation(world, repo, {});
}
