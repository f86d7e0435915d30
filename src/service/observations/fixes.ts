import { readRow } from "../world/lookups.js";
import { findNextState } from "../world/state-machine.js";
import { updateViews } from "../world/views.js";
import type { Job, Observation, World } from "../world/world.js";
import { buildPullRequestUrl, changeObservation } from "./observations.js";

const workflowFolder = ".github/workflows/";

/** Returns whether the fix PR of an observation is open: neither merged nor closed. OBS-LANE-STATUS-OPEN. */
export function hasOpenFixPr({ fix_pr }: Observation): boolean {
  return fix_pr?.status === "in_review" || fix_pr?.status === "revising";
}

/** Returns why no run can fix an observation, as the end of a sentence, or null. OBS-FIX-NOTFIXABLE. */
export function explainUnfixable(observation: Observation): string | null {
  if (!findNextState("observation", observation.status, "fix")) return `the observation is ${observation.status}`;
  if (observation.kind === "advisory") return "an advisory has nothing to change";
  return hasOpenFixPr(observation) ? "its fix has an open pull request" : null;
}

/** Returns whether an observation lies in a file that the service cannot push. ERR-CODE-WORKFLOW-FILE. */
export function isInWorkflowFile({ locations }: Observation): boolean {
  return locations.some(({ file_path }) => file_path.startsWith(workflowFolder));
}

/**
 * Opens a fix PR: the observation stays `new` and moves to the fix PR lane. OBS-LANE-EXCLUDED. Returns false when the observation
 * is closed or already has an open fix PR.
 */
export function openJobFixPr(world: World, job: Job): void {
  const attempt = world.attempts[job.attempt ?? ""];
  const observation = attempt && world.observations[attempt.observation];
  if (!observation || job.status !== "completed" || !openFixPr(world, observation)) return;
  const before = { ...job };
  job.fix_pr_url = observation.fix_pr?.url ?? null;
  updateViews(world, "jobs", job, before);
}

/** Opens a pull request; the observation stays `new` and moves to the fix PR lane. OBS-LANE-EXCLUDED. False when it is closed or has one open. */
export function openFixPr(world: World, observation: Observation): boolean {
  if (observation.status !== "new" || hasOpenFixPr(observation)) return false;
  const url = buildPullRequestUrl(world, readRow(world.repos, observation.repo));
  changeObservation(world, observation, { fix_pr: { url, status: "in_review" } });
  return true;
}

/** Sets the open fix PR to `revising`. Returns false when none is open. */
export function reviseFixPr(world: World, observation: Observation): boolean {
  const { fix_pr } = observation;
  if (!fix_pr || !hasOpenFixPr(observation)) return false;
  changeObservation(world, observation, { fix_pr: { ...fix_pr, status: "revising" } });
  return true;
}

/** Merges the open fix PR, which closes an open observation as fixed. OBS-FIX-MERGED. Returns false when none is open. */
export function mergeFixPr(world: World, observation: Observation): boolean {
  return endFixPr(world, observation, "merge-fix-pr", "merged");
}

/**
 * Closes the open fix PR unmerged, which brings an open observation back into the list. OBS-FIX-UNMERGED. Returns false when none
 * is open.
 */
export function closeFixPr(world: World, observation: Observation): boolean {
  return endFixPr(world, observation, "close-fix-pr", "closed");
}

/** Ends the open fix PR. An observation that is already closed keeps its close reason. */
function endFixPr(world: World, observation: Observation, event: string, status: "merged" | "closed"): boolean {
  const { fix_pr } = observation;
  if (!fix_pr || !hasOpenFixPr(observation)) return false;
  const step = findNextState("observation", observation.status, event);
  const closes = step?.to === "closed" && { status: step.to, close_reason: "fixed" as const, resolved_at: world.now };
  changeObservation(world, observation, { fix_pr: { ...fix_pr, status }, ...closes });
  return true;
}
