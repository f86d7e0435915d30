import { seedObservations } from "../fixture/seeding.js";
import { findFixInFlight } from "../jobs/fix-attempts.js";
import { dispatch, finishJob } from "../jobs/jobs.js";
import {
  closeFixPr,
  explainUnfixable,
  hasOpenFixPr,
  isInWorkflowFile,
  mergeFixPr,
  openFixPr,
  reviseFixPr,
} from "../observations/fixes.js";
import { changeObservation, createObservation, type ObservationFields, showObservation } from "../observations/observations.js";
import { rediscover } from "../observations/rediscovery.js";
import { isLive } from "../repositories/repos.js";
import { generateSourceLocation } from "../world/generated-content.js";
import { findRepoByPath, findRow, readRow } from "../world/lookups.js";
import type { ShownObservation } from "../world/shown.js";
import { findNextState } from "../world/state-machine.js";
import type { Observation, Repo, World } from "../world/world.js";
import { type Drive, type DriveOutcome, type EventResults, refuseState } from "./drive.js";

/**
 * Opens the fix PR of an observation: its fix job in flight succeeds. With `without_job` it opens one without a fix job, if a run
 * could fix the observation.
 */
export const openFixPrDrive = createObservationDrive((world, observation, args) => {
  const { ref, status } = observation;
  if (status !== "new") return `${ref} is ${status}. A fix PR opens only on an open observation.`;
  if (hasOpenFixPr(observation)) return `${ref} has an open fix PR already. Merge or close that one first.`;
  const job = findFixInFlight(world, observation)?.job;
  if (!job) return openWithoutJob(world, observation, args.without_job === true);
  if (job.status === "pending") dispatch(world, job);
  finishJob(world, job, "success");
  return null;
});

/** Sets the open fix PR to `revising`. */
export const reviseFixPrDrive = createObservationDrive((world, observation) =>
  reviseFixPr(world, observation) ? null : explainClosedFixPr(observation),
);

/** Merges the open fix PR, which closes the observation as fixed. */
export const mergeFixPrDrive = createObservationDrive((world, observation) =>
  mergeFixPr(world, observation) ? null : explainClosedFixPr(observation),
);

/** Closes the open fix PR unmerged, which brings the observation back into the list. */
export const closeFixPrDrive = createObservationDrive((world, observation) =>
  closeFixPr(world, observation) ? null : explainClosedFixPr(observation),
);

/** Expires an open observation. OBS-STATE-EXPIRED-TRIGGER: the contract names no trigger, so nothing else expires one. */
export const expireObservationDrive = createObservationDrive((world, observation) => {
  const step = findNextState("observation", observation.status, "expire");
  if (!step) return `${observation.ref} is ${observation.status}. Only an open observation expires.`;
  changeObservation(world, observation, { status: step.to, close_reason: "expired", resolved_at: world.now });
  return null;
});

/**
 * Uses up the automatic fix attempts of an open finding. With `dismiss` the service also dismisses it.
 * OBS-DISMISS-EXHAUSTED-SERVICE.
 */
export const exhaustFixDrive = createObservationDrive((world, observation, args) => {
  const step = findNextState("observation", observation.status, "dismiss");
  if (!step || observation.kind !== "finding")
    return `${observation.ref} is a ${observation.status} ${observation.kind}. Only an open finding has fix attempts to use up.`;
  const dismissal: ObservationFields = {
    status: step.to,
    close_reason: "dismissed",
    resolved_at: world.now,
    dismissal_category: "exhausted_fix_attempts",
    dismissal_note: "The automatic fix attempts are used up.",
  };
  changeObservation(world, observation, { needs_review: true, ...(args.dismiss === true && dismissal) });
  return null;
});

/**
 * Adds an observation that a run found: an open, fixable finding unless `observation` says otherwise. The seed generates the
 * other fields.
 */
export const findDrive: Drive<ShownObservation> = {
  run: (world, args) =>
    runOnRepo(world, args.repo, (repo) => {
      const given = (args.observation ?? {}) as ObservationFields;
      const locations = given.locations ?? [generateSourceLocation(world)];
      const observation = createObservation(world, repo, { kind: "finding", ...given, locations });
      return showObservation(observation, repo, { locations: true });
    }),
};

/** Lets a run find the closed observations of a repository again. Returns the reopened ones. */
export const rediscoverDrive: Drive<EventResults["rediscover"]> = {
  run: (world, args) => runOnRepo(world, args.repo, (repo) => ({ reappeared: rediscover(world, repo).map(({ ref }) => ref) })),
};

/** Adds many observations of every kind and outcome to a repository. */
export const seedObservationsDrive: Drive<EventResults["seed-observations"]> = {
  run: (world, args) =>
    runOnRepo(world, args.repo, (repo) => {
      const count = args.count as number;
      seedObservations(world, repo, count);
      return { seeded: count };
    }),
};

/** Returns an event of one observation. `happen` returns null, or why the observation's state forbids the event. */
function createObservationDrive(
  happen: (world: World, observation: Observation, args: Record<string, unknown>) => string | null,
): Drive<ShownObservation> {
  return {
    run(world, args) {
      const observation = findRow(world.observations, args.ref as string);
      if (!observation || !isLive(world, observation)) return { problem: `There is no observation ${args.ref}.`, field: "ref" };
      const problem = happen(world, observation, args);
      if (problem !== null) return refuseState(problem, "ref");
      return { result: showObservation(observation, readRow(world.repos, observation.repo), { locations: false }) };
    },
  };
}

/** Opens a fix PR without a fix job when `without_job` is true. Returns why not, or null. */
function openWithoutJob(world: World, observation: Observation, withoutJob: boolean): string | null {
  const { ref } = observation;
  const reason = explainUnfixable(observation) ?? (isInWorkflowFile(observation) ? "it lies in a workflow file" : null);
  if (reason) return `${ref} has no fix in progress, and no fix can be started: ${reason}.`;
  if (withoutJob) openFixPr(world, observation);
  return withoutJob
    ? null
    : `${ref} has no fix in progress. Start one with POST /api/observations/${ref}/fix, or send "without_job": true.`;
}

function runOnRepo<Result>(world: World, path: unknown, happen: (repo: Repo) => Result): DriveOutcome<Result> {
  const repo = findRepoByPath(world, path as string);
  return repo
    ? { result: happen(repo) }
    : { problem: `There is no repository ${path}. Name it owner/repo/branch.`, field: "repo" };
}

function explainClosedFixPr({ ref, fix_pr }: Observation): string {
  return fix_pr
    ? `The fix PR of ${ref} is ${fix_pr.status} already. Only an open fix PR can be revised, merged or closed.`
    : `${ref} has no fix PR. Open one with the event open-fix-pr first.`;
}
