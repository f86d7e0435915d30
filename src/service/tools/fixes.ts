import { type RefusalOrNull, refuse, succeed } from "../call.js";
import { isInFlight } from "../jobs/jobs.js";
import { changeObservation, showObservation } from "../observations/observations.js";
import { noSuchObservation } from "../observations/reads.js";
import { createId } from "../world/ids-and-timestamps.js";
import { readRow } from "../world/lookups.js";
import { findNextState } from "../world/state-machine.js";
import { updateViews } from "../world/views.js";
import type { FixAttempt, Job, Observation, World } from "../world/world.js";
import { findToolJob, findToolObservation, noSuchJob } from "./lookups.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

/**
 * Confirms that a fix job works on an observation, or binds the job to it. Starts no job: MCP-TOOL-REQFIX, MCP-TOOL-REQFIX-SPAWN.
 * Refuses (our choice) another workflow, a finished job, a job of another repository and a closed observation.
 */
export function requestFix(world: World, call: ToolCall): ToolOutcome {
  const observation = findToolObservation(world, call);
  if (!observation) return noSuchObservation;
  const job = findToolJob(world, call);
  if (!job) return noSuchJob;
  if (job.workflow !== "fix") return refuse("bad_request", { message: `${job.id} is a ${job.workflow} job, not a fix job.` });
  const attempt = job.attempt === null ? undefined : world.attempts[job.attempt];
  if (attempt?.observation === observation.ref) return confirm(world, observation, attempt, job, "confirmed");
  const refused = refuseBinding(observation, job);
  if (refused) return refused;
  return confirm(world, observation, bind(world, observation, job, attempt), job, "bound");
}

function refuseBinding(observation: Observation, job: Job): RefusalOrNull {
  if (!findNextState("observation", observation.status, "fix")) {
    return refuse("observation_not_fixable", { message: `No fix can be bound: the observation is ${observation.status}.` });
  }
  if (job.repo !== observation.repo) return refuse("bad_request", { message: `${job.id} works on another repository.` });
  return isInFlight(job)
    ? null
    : refuse("bad_request", { message: `${job.id} is ${job.status}; only a job in flight can be bound.` });
}

/** Moves the job's attempt to the observation, or creates one for a job without an attempt. */
function bind(world: World, observation: Observation, job: Job, earlier: FixAttempt | undefined): FixAttempt {
  const id = earlier?.id ?? createId(world, "attempt");
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
  updateViews(world, "jobs", job, before);
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
  const repo = readRow(world.repos, observation.repo);
  const view = showObservation(observation, repo, { locations: false });
  return succeed(200, { observation: view, attempt_id: attempt.id, job_id: job.id, outcome });
}
