import { type Objection, ok, refuse } from "../call.js";
import { isInFlight } from "../jobs/jobs.js";
import { changeObservation, observationView } from "../observations/observations.js";
import { noSuchObservation } from "../observations/reads.js";
import { rowOf } from "../world/lookups.js";
import { next } from "../world/machine.js";
import { freshId } from "../world/random.js";
import { change } from "../world/views.js";
import type { FixAttempt, Job, Observation, World } from "../world/world.js";
import { jobOf, noSuchJob, observationOf } from "./subjects.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

/**
 * Confirms that a fix job works for an observation, or binds it to that one. Starts nothing: MCP-TOOL-REQFIX, MCP-TOOL-REQFIX-SPAWN.
 * What cannot be bound is our choice: a job that is no fix, has ended, or works on another repository; a closed observation.
 */
export function requestFix(world: World, call: ToolCall): ToolOutcome {
  const observation = observationOf(world, call);
  if (!observation) return noSuchObservation;
  const job = jobOf(world, call);
  if (!job) return noSuchJob;
  if (job.workflow !== "fix") return refuse("bad_request", { message: `${job.id} is a ${job.workflow} job, not a fix job.` });
  const attempt = job.attempt === null ? undefined : world.attempts[job.attempt];
  if (attempt?.observation === observation.ref) return confirm(world, observation, attempt, job, "confirmed");
  const unfit = refuseBinding(observation, job);
  if (unfit) return unfit;
  return confirm(world, observation, bind(world, observation, job, attempt), job, "bound");
}

function refuseBinding(observation: Observation, job: Job): Objection {
  if (!next("observation", observation.status, "fix")) {
    return refuse("observation_not_fixable", { message: `No fix can be bound: the observation is ${observation.status}.` });
  }
  if (job.repo !== observation.repo) return refuse("bad_request", { message: `${job.id} works on another repository.` });
  return isInFlight(job)
    ? null
    : refuse("bad_request", { message: `${job.id} is ${job.status}; only a job in flight can be bound.` });
}

/** Gives the job's attempt to the observation; a job without one gets it now. */
function bind(world: World, observation: Observation, job: Job, earlier: FixAttempt | undefined): FixAttempt {
  const id = earlier?.id ?? freshId(world, "attempt");
  const former = earlier && world.observations[earlier.observation];
  if (former?.attempt === id) changeObservation(world, former, { attempt: null });
  const attempt: FixAttempt = {
    id,
    observation: observation.ref,
    job: earlier?.job ?? job.id,
    created_at: earlier?.created_at ?? world.now,
  };
  world.attempts[id] = attempt;
  const before = { ...job };
  job.attempt = id;
  change(world, "jobs", job, before);
  changeObservation(world, observation, { attempt: id });
  return attempt;
}

function confirm(
  world: World,
  observation: Observation,
  attempt: FixAttempt,
  job: Job,
  outcome: "confirmed" | "bound",
): ToolOutcome {
  const repo = rowOf(world.repos, observation.repo);
  const shown = observationView(observation, repo, { locations: false });
  return ok(200, { observation: shown, attempt_id: attempt.id, job_id: job.id, outcome });
}
