import type { Transition, WorkflowName } from "../../contract/types.js";
import { findByAudit } from "../observations/findings.js";
import { openPrOfFix } from "../observations/fixes.js";
import { addEnd, type Ends, endOf, forgetFinish, schedule, scheduleDispatch, scheduleEnds } from "../world/agenda.js";
import { addJob, takePending } from "../world/lookups.js";
import { next } from "../world/machine.js";
import { draw, freshId } from "../world/random.js";
import { nextSerial, timestamp } from "../world/stamps.js";
import { change, enter, forget, type Order } from "../world/views.js";
import { type Job, type JobStatus, note, noteAll, type Repo, type World } from "../world/world.js";
import { submissionFingerprint } from "./submissions.js";

/** What a new job is made of. */
export interface JobRequest {
  repo: Repo;
  workflow: WorkflowName;
  params: Record<string, unknown>;
  retryOf?: Job;
  attempt?: string;
}

/** The order in which jobs are listed. */
export const newestFirst: Order<"jobs"> = { name: "newest first", rank: ({ serial }) => [-serial] };

/** Creates a job in `pending` and makes sure that the dispatcher comes by. JOB-STATE-INITIAL. */
export function createJob(world: World, { repo, workflow, params, retryOf, attempt }: JobRequest): Job {
  const profile = world.runs[workflow];
  const job: Job = {
    id: freshId(world, "job"),
    serial: nextSerial(world, "job_row"),
    workspace: repo.workspace,
    repo: repo.id,
    repo_name: repo.slug,
    workflow,
    params,
    status: "pending",
    commit: repo.head_commit,
    fingerprint: submissionFingerprint(repo, workflow, params, repo.head_commit),
    created_at: world.now,
    updated_at: world.now,
    started_at: null,
    finished_at: null,
    seconds: Math.max(1, Math.round(jitter(world, profile.seconds))),
    cost_usd: Math.round(jitter(world, profile.cost_usd) * 100) / 100,
    retry_of: retryOf?.id ?? null,
    retried_by: null,
    attempt: attempt ?? null,
    error: null,
    failure_classification: null,
    fix_pr_url: null,
  };
  if (retryOf) retryOf.retried_by = job.id;
  // a retried fix works on for the same attempt
  const tried = world.attempts[attempt ?? ""];
  if (tried) tried.job = job.id;
  addJob(world, job);
  note(world, "job", job.id, null, "pending");
  enter(world, "jobs", job);
  scheduleDispatch(world);
  return job;
}

/**
 * Starts every pending job, oldest first, and plans their ends. All at once, so that whoever looks at a row sees how it stands; each is
 * touched once, and what is noted and planned is so for many together, or thousands of them would keep everybody else waiting.
 */
export function dispatchPending(world: World): void {
  const step = next("job", "pending", "dispatch");
  if (!step) return;
  const { now, options } = world;
  const started: string[] = [];
  const ends: Ends = new Map();
  for (const job of takePending(world)) {
    if (job.status !== "pending") continue;
    job.status = step.to;
    job.started_at = now;
    job.updated_at = now;
    started.push(job.id);
    if (options.work === "time") addEnd(ends, job);
    else planEnd(world, job);
  }
  noteAll(world, "job", started, "pending", step.to);
  forget(world, "jobs"); // in every order a job that was started stands where it stood
  scheduleEnds(world, ends);
}

/** Starts one pending job and plans its end. */
export function dispatch(world: World, job: Job): void {
  const step = next("job", job.status, "dispatch");
  if (!step) return;
  job.started_at = world.now;
  moveJob(world, job, step);
  planEnd(world, job);
}

/** Plans when a running job ends: after its time, or at once; not at all where questions after it do. Any earlier plan is forgotten. */
export function planEnd(world: World, job: Job): void {
  const { work } = world.options;
  forgetFinish(world, job.id, endOf(job));
  if (work === "at-once") job.seconds = Math.max(0, (world.now - (job.started_at ?? 0)) / 1000);
  if (work === "time" || work === "at-once") schedule(world, { at: endOf(job), event: "finish-job", job: job.id });
}

/** Ends a run that nobody ends otherwise: it succeeds, and an audit finds something. RUN-OUTCOME. */
export function endByItself(world: World, job: Job): void {
  if (finishJob(world, job, "success") && world.options.run_findings !== "none") findByAudit(world, job);
}

/** Ends a run. False when the job is not running. */
export function finishJob(world: World, job: Job, outcome: "success" | "failure"): boolean {
  const step = next("job", job.status, outcome === "success" ? "succeed" : "fail");
  if (!step) return false;
  if (outcome === "failure") {
    job.error = "The run ended without a result.";
    job.failure_classification = "run_failed";
  }
  moveJob(world, job, step);
  openPrOfFix(world, job);
  return true;
}

/** Takes a job one step of its machine. */
export function moveJob(world: World, job: Job, step: Transition<JobStatus>): void {
  const before = { ...job };
  note(world, "job", job.id, job.status, step.to);
  job.status = step.to;
  job.updated_at = world.now;
  if (!isInFlight(job)) {
    job.finished_at = world.now;
    forgetFinish(world, job.id, endOf(job));
  }
  change(world, "jobs", job, before);
}

/** Whether a job still waits or runs. */
export function isInFlight(job: Job): boolean {
  return job.status === "pending" || job.status === "running";
}

/** A job as the API shows it. JOB-FIELD-*; the fields behind `repo_name` are ours. */
export function jobView(job: Job): Record<string, unknown> {
  return {
    id: job.id,
    workflow: job.workflow,
    status: job.status,
    repo_name: job.repo_name,
    created_at: timestamp(job.created_at),
    updated_at: timestamp(job.updated_at),
    started_at: timestamp(job.started_at),
    finished_at: timestamp(job.finished_at),
    error: job.error,
    failure_classification: job.failure_classification,
    fix_pr_url: job.fix_pr_url,
  };
}

/** A fifth more or less, by the seed. */
function jitter(world: World, middle: number): number {
  return middle * (0.8 + 0.4 * draw(world));
}
