import { changeObservation } from "../observations/observations.js";
import { createId } from "../world/ids-and-timestamps.js";
import { findRow, readRow } from "../world/lookups.js";
import type { FixAttempt, Job, Observation, World } from "../world/world.js";
import { createJob, isInFlight } from "./jobs.js";

/** A fix attempt and the newest job that works on it. */
export interface Fix {
  attempt: FixAttempt;
  job: Job;
}

/** Starts a fix job and registers the attempt. The observation stays `new`. OBS-FIX-MAKES-JOB, OBS-FIX-STAYS-NEW. */
export function startFix(world: World, observation: Observation): Fix {
  const { ref } = observation;
  const id = createId(world, "attempt");
  const job = createJob(world, { repo: readRow(world.repos, observation.repo), workflow: "fix", params: { ref }, attempt: id });
  const attempt: FixAttempt = { id, observation: ref, job: job.id, created_at: world.now };
  world.attempts[id] = attempt;
  changeObservation(world, observation, { attempt: id });
  return { attempt, job };
}

/** Returns the fix of an observation whose newest job is pending or running. */
export function findFixInFlight(world: World, observation: Observation): Fix | null {
  const attempt = world.attempts[observation.attempt ?? ""];
  if (!attempt) return null;
  const job = findRow(world.jobs, attempt.job);
  return job && isInFlight(job) ? { attempt, job } : null;
}
