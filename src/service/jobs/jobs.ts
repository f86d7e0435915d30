import type { Transition, WorkflowName } from "../../contract/types.js";
import { addAuditFindings } from "../observations/findings.js";
import { openJobFixPr } from "../observations/fixes.js";
import { createId, formatTimestamp, takeSerial } from "../world/ids-and-timestamps.js";
import { addJob, takePending } from "../world/lookups.js";
import { drawRandom } from "../world/random.js";
import {
  addToFinishGroup,
  computeFinishTime,
  type FinishGroups,
  scheduleDispatch,
  scheduleEvent,
  scheduleFinishGroups,
  unscheduleFinish,
} from "../world/schedule.js";
import type { ShownJob } from "../world/shown.js";
import { findNextState } from "../world/state-machine.js";
import { clearViews, insertIntoViews, type Order, updateViews } from "../world/views.js";
import { type Job, type JobStatus, type Repo, recordChange, recordChanges, type World } from "../world/world.js";
import { computeFingerprint } from "./submissions.js";

/** The input for a new job. */
export interface NewJob {
  repo: Repo;
  workflow: WorkflowName;
  params: Record<string, unknown>;
  /** The fingerprint of its submission, if it is known. */
  fingerprint?: string;
  retryOf?: Job;
  attempt?: string;
}

/** The order of job lists. */
export const newestFirst: Order<"jobs"> = { name: "newest first", rank: ({ serial }) => [-serial] };

/** Creates a job in `pending` and schedules the next dispatch. JOB-STATE-INITIAL. */
export function createJob(world: World, { repo, workflow, params, fingerprint, retryOf, attempt }: NewJob): Job {
  const profile = world.runs[workflow];
  const job: Job = {
    id: createId(world, "job"),
    serial: takeSerial(world, "job_row"),
    workspace: repo.workspace,
    repo: repo.id,
    repo_name: repo.slug,
    workflow,
    params,
    status: "pending",
    commit: repo.head_commit,
    fingerprint: fingerprint ?? computeFingerprint(repo, workflow, params, repo.head_commit),
    created_at: world.now,
    updated_at: world.now,
    started_at: null,
    finished_at: null,
    seconds: Math.max(1, Math.round(addJitter(world, profile.seconds))),
    cost_usd: Math.round(addJitter(world, profile.cost_usd) * 100) / 100,
    retry_of: retryOf?.id ?? null,
    retried_by: null,
    attempt: attempt ?? null,
    error: null,
    failure_classification: null,
    fix_pr_url: null,
  };
  if (retryOf) retryOf.retried_by = job.id;
  // the retry of a fix job continues the same attempt
  const fixAttempt = world.attempts[attempt ?? ""];
  if (fixAttempt) fixAttempt.job = job.id;
  addJob(world, job);
  recordChange(world, "job", job.id, null, "pending");
  insertIntoViews(world, "jobs", job);
  scheduleDispatch(world);
  return job;
}

/**
 * Starts every pending job, oldest first, and schedules their ends. Batches the recorded changes and scheduled events, because
 * thousands of single entries would block other calls.
 */
export function dispatchPending(world: World): void {
  const step = findNextState("job", "pending", "dispatch");
  if (!step) return;
  const { now, options } = world;
  const started: string[] = [];
  const ends: FinishGroups = new Map();
  for (const job of takePending(world)) {
    if (job.status !== "pending") continue;
    job.status = step.to;
    job.started_at = now;
    job.updated_at = now;
    started.push(job.id);
    if (options.work === "time") addToFinishGroup(ends, job);
    else scheduleFinish(world, job);
  }
  recordChanges(world, "job", started, "pending", step.to);
  clearViews(world, "jobs"); // starting a job changes its place in no order
  scheduleFinishGroups(world, ends);
}

/** Starts one pending job and schedules its end. */
export function dispatch(world: World, job: Job): void {
  const step = findNextState("job", job.status, "dispatch");
  if (!step) return;
  job.started_at = world.now;
  moveJob(world, job, step);
  scheduleFinish(world, job);
}

/**
 * Schedules the end of a running job by the work mode: after its run time, at once, or never (`polls:N`). Replaces an earlier
 * schedule.
 */
export function scheduleFinish(world: World, job: Job): void {
  const { work } = world.options;
  unscheduleFinish(world, job.id, computeFinishTime(job));
  if (work === "at-once") job.seconds = Math.max(0, (world.now - (job.started_at ?? 0)) / 1000);
  if (work === "time" || work === "at-once")
    scheduleEvent(world, { at: computeFinishTime(job), event: "finish-job", job: job.id });
}

/** Ends a run without an outside event: the run succeeds, and an audit adds findings. RUN-OUTCOME. */
export function completeJob(world: World, job: Job): void {
  if (finishJob(world, job, "success") && world.options.run_findings !== "none") addAuditFindings(world, job);
}

/** Ends a run. Returns false when the job is not running. */
export function finishJob(world: World, job: Job, outcome: "success" | "failure"): boolean {
  const step = findNextState("job", job.status, outcome === "success" ? "succeed" : "fail");
  if (!step) return false;
  if (outcome === "failure") {
    job.error = "The run ended without a result.";
    job.failure_classification = "run_failed";
  }
  moveJob(world, job, step);
  openJobFixPr(world, job);
  return true;
}

/** Applies one transition of the job state machine. */
export function moveJob(world: World, job: Job, step: Transition<JobStatus>): void {
  const before = { ...job };
  recordChange(world, "job", job.id, job.status, step.to);
  job.status = step.to;
  job.updated_at = world.now;
  if (!isInFlight(job)) {
    job.finished_at = world.now;
    unscheduleFinish(world, job.id, computeFinishTime(job));
  }
  updateViews(world, "jobs", job, before);
}

/** Returns whether a job is pending or running. */
export function isInFlight(job: Job): boolean {
  return job.status === "pending" || job.status === "running";
}

/** Returns a job as the API shows it. JOB-FIELD-*; the fields after `repo_name` are our choice. */
export function showJobFields(job: Job): ShownJob {
  return {
    id: job.id,
    workflow: job.workflow,
    status: job.status,
    repo_name: job.repo_name,
    created_at: formatTimestamp(job.created_at),
    updated_at: formatTimestamp(job.updated_at),
    started_at: formatTimestamp(job.started_at),
    finished_at: formatTimestamp(job.finished_at),
    error: job.error,
    failure_classification: job.failure_classification,
    fix_pr_url: job.fix_pr_url,
  };
}

/** Returns the value changed by up to 20 %, by the seed. */
function addJitter(world: World, middle: number): number {
  return middle * (0.8 + 0.4 * drawRandom(world));
}
