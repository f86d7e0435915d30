import { rowOf } from "../world/lookups.js";
import { next } from "../world/machine.js";
import { change } from "../world/views.js";
import type { Job, Observation, World } from "../world/world.js";
import { changeObservation } from "./observations.js";
import { pullRequestUrl } from "./pull-requests.js";

const workflowFolder = ".github/workflows/";

/** Whether an observation's fix has a pull request that is neither merged nor closed. OBS-LANE-STATUS-OPEN. */
export function hasOpenFixPr({ fix_pr }: Observation): boolean {
  return fix_pr?.status === "in_review" || fix_pr?.status === "revising";
}

/** Returns why no run can fix an observation, as the end of a sentence, or null. OBS-FIX-NOTFIXABLE. */
export function whyNotFixable(observation: Observation): string | null {
  if (!next("observation", observation.status, "fix")) return `the observation is ${observation.status}`;
  if (observation.kind === "advisory") return "an advisory has nothing to change";
  return hasOpenFixPr(observation) ? "its fix has an open pull request" : null;
}

/** Returns whether an observation lies in a file that the service cannot push. ERR-CODE-WORKFLOW-FILE. */
export function isInWorkflowFile({ locations }: Observation): boolean {
  return locations.some(({ file_path }) => file_path.startsWith(workflowFolder));
}

/** A fix run that succeeded opens its pull request, unless there is nothing left to fix. */
export function openPrOfFix(world: World, job: Job): void {
  const attempt = world.attempts[job.attempt ?? ""];
  const observation = attempt && world.observations[attempt.observation];
  if (!observation || job.status !== "completed" || !openFixPr(world, observation)) return;
  const before = { ...job };
  job.fix_pr_url = observation.fix_pr?.url ?? null;
  change(world, "jobs", job, before);
}

/** Opens a pull request; the observation stays `new` and moves to the fix PR lane. OBS-LANE-EXCLUDED. False when it is closed or has one open. */
export function openFixPr(world: World, observation: Observation): boolean {
  if (observation.status !== "new" || hasOpenFixPr(observation)) return false;
  const url = pullRequestUrl(world, rowOf(world.repos, observation.repo));
  changeObservation(world, observation, { fix_pr: { url, status: "in_review" } });
  return true;
}

/** The open pull request is being worked over. False when there is none. */
export function reviseFixPr(world: World, observation: Observation): boolean {
  const { fix_pr } = observation;
  if (!fix_pr || !hasOpenFixPr(observation)) return false;
  changeObservation(world, observation, { fix_pr: { ...fix_pr, status: "revising" } });
  return true;
}

/** The open pull request is merged, which closes an open observation as fixed. OBS-FIX-MERGED. False when there is none. */
export function mergeFixPr(world: World, observation: Observation): boolean {
  return endFixPr(world, observation, "merge-fix-pr", "merged");
}

/** The open pull request is closed unmerged: an open observation is back in the list. OBS-FIX-UNMERGED. False when there is none. */
export function closeFixPr(world: World, observation: Observation): boolean {
  return endFixPr(world, observation, "close-fix-pr", "closed");
}

/** A pull request of an observation that was closed meanwhile ends too; the observation keeps its close reason. */
function endFixPr(world: World, observation: Observation, event: string, status: "merged" | "closed"): boolean {
  const { fix_pr } = observation;
  if (!fix_pr || !hasOpenFixPr(observation)) return false;
  const step = next("observation", observation.status, event);
  const closes = step?.to === "closed" && { status: step.to, close_reason: "fixed" as const, resolved_at: world.now };
  changeObservation(world, observation, { fix_pr: { ...fix_pr, status }, ...closes });
  return true;
}
