import { seedObservations } from "../fixture/seeding.js";
import { fixInFlight } from "../jobs/attempts.js";
import { dispatch, finishJob } from "../jobs/jobs.js";
import {
  closeFixPr,
  hasOpenFixPr,
  isInWorkflowFile,
  mergeFixPr,
  openFixPr,
  reviseFixPr,
  whyNotFixable,
} from "../observations/fixes.js";
import { changeObservation, createObservation, type ObservationParts, observationView } from "../observations/observations.js";
import { rediscover } from "../observations/rediscovery.js";
import { isLive } from "../repositories/repos.js";
import { inventSourceLocation } from "../world/content.js";
import { findRow, repoByPath, rowOf } from "../world/lookups.js";
import { next } from "../world/machine.js";
import type { Observation, Repo, World } from "../world/world.js";
import { type Drive, type DriveOutcome, refuseState } from "./drive.js";

/**
 * The fix of an observation gets its pull request: the fix job in flight succeeds. With `without_job` the pull request appears although no fix
 * job is in flight, if a run could fix the observation.
 */
export const openFixPrDrive: Drive = onObservation((world, observation, args) => {
  const { ref, status } = observation;
  if (status !== "new") return `${ref} is ${status}. A fix PR opens only on an open observation.`;
  if (hasOpenFixPr(observation)) return `${ref} has an open fix PR already. Merge or close that one first.`;
  const job = fixInFlight(world, observation)?.job;
  if (!job) return openWithoutJob(world, observation, args.without_job === true);
  if (job.status === "pending") dispatch(world, job);
  finishJob(world, job, "success");
  return null;
});

/** The open fix PR is being worked over. */
export const reviseFixPrDrive: Drive = onObservation((world, observation) =>
  reviseFixPr(world, observation) ? null : noOpenFixPr(observation),
);

/** The open fix PR is merged, which closes the observation as fixed. */
export const mergeFixPrDrive: Drive = onObservation((world, observation) =>
  mergeFixPr(world, observation) ? null : noOpenFixPr(observation),
);

/** The open fix PR is closed unmerged, which brings the observation back into the list. */
export const closeFixPrDrive: Drive = onObservation((world, observation) =>
  closeFixPr(world, observation) ? null : noOpenFixPr(observation),
);

/** An observation expires. OBS-STATE-EXPIRED-TRIGGER: the text gives no trigger, so this is the only one. */
export const expireObservationDrive: Drive = onObservation((world, observation) => {
  const step = next("observation", observation.status, "expire");
  if (!step) return `${observation.ref} is ${observation.status}. Only an open observation expires.`;
  changeObservation(world, observation, { status: step.to, close_reason: "expired", resolved_at: world.now });
  return null;
});

/** The automatic fix attempts on an open finding are used up; with `dismiss` the service dismisses it for that. OBS-DISMISS-EXHAUSTED-SERVICE. */
export const exhaustFixDrive: Drive = onObservation((world, observation, args) => {
  const step = next("observation", observation.status, "dismiss");
  if (!step || observation.kind !== "finding")
    return `${observation.ref} is a ${observation.status} ${observation.kind}. Only an open finding has fix attempts to use up.`;
  const dismissal: ObservationParts = {
    status: step.to,
    close_reason: "dismissed",
    resolved_at: world.now,
    dismissal_category: "exhausted_fix_attempts",
    dismissal_note: "The automatic fix attempts are used up.",
  };
  changeObservation(world, observation, { needs_review: true, ...(args.dismiss === true && dismissal) });
  return null;
});

/** A run finds something: an open finding that can be fixed, unless `observation` says otherwise. The seed makes up the rest. */
export const findDrive: Drive = {
  run: (world, args) =>
    withRepo(world, args.repo, (repo) => {
      const given = (args.observation ?? {}) as ObservationParts;
      const locations = given.locations ?? [inventSourceLocation(world)];
      const observation = createObservation(world, repo, { kind: "finding", ...given, locations });
      return observationView(observation, repo, { locations: true });
    }),
};

/** A run finds again what is closed in a repository; answers what came back. */
export const rediscoverDrive: Drive = {
  run: (world, args) => withRepo(world, args.repo, (repo) => ({ reappeared: rediscover(world, repo).map(({ ref }) => ref) })),
};

/** A repository gets many observations of every kind and course at once. */
export const seedObservationsDrive: Drive = {
  run: (world, args) =>
    withRepo(world, args.repo, (repo) => {
      const count = args.count as number;
      seedObservations(world, repo, count);
      return { seeded: count };
    }),
};

/** Makes an event of one observation. `happen` returns null, or why the observation's state does not allow the event. */
function onObservation(happen: (world: World, observation: Observation, args: Record<string, unknown>) => string | null): Drive {
  return {
    run(world, args): DriveOutcome {
      const observation = findRow(world.observations, args.ref as string);
      if (!observation || !isLive(world, observation)) return { problem: `There is no observation ${args.ref}.`, field: "ref" };
      const problem = happen(world, observation, args);
      if (problem !== null) return refuseState(problem, "ref");
      return { result: observationView(observation, rowOf(world.repos, observation.repo), { locations: false }) };
    },
  };
}

/** Opens a pull request without a fix job where the caller asks for that. Returns why not, or null. */
function openWithoutJob(world: World, observation: Observation, asked: boolean): string | null {
  const { ref } = observation;
  const unfit = whyNotFixable(observation) ?? (isInWorkflowFile(observation) ? "it lies in a workflow file" : null);
  if (unfit) return `${ref} has no fix in progress, and no fix can be started: ${unfit}.`;
  if (asked) openFixPr(world, observation);
  return asked
    ? null
    : `${ref} has no fix in progress. Start one with POST /api/observations/${ref}/fix, or send "without_job": true.`;
}

function withRepo(world: World, path: unknown, happen: (repo: Repo) => unknown): DriveOutcome {
  const repo = repoByPath(world, path as string);
  return repo
    ? { result: happen(repo) }
    : { problem: `There is no repository ${path}; name it as owner/repo/branch.`, field: "repo" };
}

function noOpenFixPr({ ref, fix_pr }: Observation): string {
  return fix_pr
    ? `The fix PR of ${ref} is ${fix_pr.status} already. Only an open fix PR can be revised, merged or closed.`
    : `${ref} has no fix PR. Open one with the event open-fix-pr first.`;
}
