import { seedObservations } from "../fixture/seeding.js";
import { fixInFlight } from "../jobs/attempts.js";
import { dispatch, finishJob } from "../jobs/jobs.js";
import { closeFixPr, hasOpenFixPr, mergeFixPr, openFixPr, reviseFixPr } from "../observations/fixes.js";
import { changeObservation, createObservation, type ObservationParts, observationView } from "../observations/observations.js";
import { rediscover } from "../observations/rediscovery.js";
import { isLive } from "../repositories/repos.js";
import { repoByPath } from "../world/lookups.js";
import { next } from "../world/machine.js";
import { findRow, rowOf } from "../world/tables.js";
import type { Observation, Repo, World } from "../world/world.js";
import type { Drive, DriveOutcome } from "./drive.js";

/** The fix of an observation gets its pull request: a fix run in flight succeeds, or one appears by itself. */
export const openFixPrDrive: Drive = onObservation((world, observation) => {
  if (observation.status !== "new")
    return `${observation.ref} is ${observation.status}; a fix PR opens only on an open observation.`;
  if (hasOpenFixPr(observation)) return `${observation.ref} has an open fix PR already.`;
  const job = fixInFlight(world, observation)?.job;
  if (job?.status === "pending") dispatch(world, job);
  if (job) finishJob(world, job, "success");
  else openFixPr(world, observation);
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
  if (!step) return `${observation.ref} is ${observation.status}; only an open observation expires.`;
  changeObservation(world, observation, { status: step.to, close_reason: "expired", resolved_at: world.now });
  return null;
});

/** The automatic fix attempts on an open finding are used up; with `dismiss` the service dismisses it for that. OBS-DISMISS-EXHAUSTED-SERVICE. */
export const exhaustFixDrive: Drive = {
  run: (world, args) =>
    withObservation(world, args.ref, (observation) => {
      const step = next("observation", observation.status, "dismiss");
      if (!step || observation.kind !== "finding") {
        return `${observation.ref} is a ${observation.status} ${observation.kind}; only an open finding has fix attempts to use up.`;
      }
      const dismissal: ObservationParts = {
        status: step.to,
        close_reason: "dismissed",
        resolved_at: world.now,
        dismissal_category: "exhausted_fix_attempts",
        dismissal_note: "The automatic fix attempts are used up.",
      };
      changeObservation(world, observation, { needs_review: true, ...(args.dismiss === true && dismissal) });
      return null;
    }),
};

/** A run finds something: an open observation, made up by the seed where `observation` does not say. */
export const findDrive: Drive = {
  run: (world, args) =>
    withRepo(world, args.repo, (repo) => {
      const observation = createObservation(world, repo, (args.observation ?? {}) as ObservationParts);
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

/** A drive about one observation. `happen` answers null, or why it cannot happen now. */
function onObservation(happen: (world: World, observation: Observation) => string | null): Drive {
  return { run: (world, args) => withObservation(world, args.ref, (observation) => happen(world, observation)) };
}

function withObservation(world: World, ref: unknown, happen: (observation: Observation) => string | null): DriveOutcome {
  const observation = findRow(world.observations, ref as string);
  if (!observation || !isLive(world, observation)) return { problem: `There is no observation ${ref}.`, field: "ref" };
  const problem = happen(observation);
  if (problem !== null) return { problem, field: "ref" };
  return { result: observationView(observation, rowOf(world.repos, observation.repo), { locations: false }) };
}

function withRepo(world: World, path: unknown, happen: (repo: Repo) => unknown): DriveOutcome {
  const repo = repoByPath(world, path as string);
  return repo
    ? { result: happen(repo) }
    : { problem: `There is no repository ${path}; name it as owner/repo/branch.`, field: "repo" };
}

function noOpenFixPr({ ref, fix_pr }: Observation): string {
  return `The fix PR of ${ref} is ${fix_pr?.status ?? "missing"}, not open.`;
}
