import type { WorkflowName } from "../../contract/types.js";
import { explainParams } from "../../contract/validate.js";
import { type Call, type Outcome, type RefusalOrNull, refuse, succeed } from "../call.js";
import { admitRun, isSubmittable, refuseEntitlement, refuseWorkflow, refuseWorkflowScope } from "../limits/admission.js";
import { findRepo, isLive, noSuchRepo } from "../repositories/repos.js";
import { listPage } from "../world/listing.js";
import { findRow, readRow, showRow } from "../world/lookups.js";
import { findNextState } from "../world/state-machine.js";
import type { View } from "../world/views.js";
import type { Job, Repo, World } from "../world/world.js";
import { createJob, isInFlight, moveJob, newestFirst, showJobFields } from "./jobs.js";
import { computeFingerprint, findDuplicate, findReplay, rememberSubmission } from "./submissions.js";

/**
 * Submits a job: 201 with a new job in `pending`, or 200 with the existing job. An Idempotency-Key or soft dedupe finds the
 * existing job. JOB-SUBMIT-*.
 */
export function submitJob(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  if (!repo) return noSuchRepo;
  const { workflow, params } = call.body as { workflow: string; params: Record<string, unknown> };
  if (!isSubmittable(workflow)) return refuseWorkflow(workflow);
  const refused = refuseSubmission(world, call, workflow, params);
  if (refused) return refused;
  const fingerprint = computeFingerprint(repo, workflow, params, repo.head_commit);
  const submission = { repo, workflow, params, fingerprint, force: call.query.force === true };
  const replay = findReplay(world, call, submission);
  if (replay && "refusal" in replay) return replay;
  if (replay) return succeed(200, showJobFields(replay));
  const duplicate = findDuplicate(world, submission);
  if (!duplicate) {
    const refusedRun = admitRun(world, call.caller, workflow);
    if (refusedRun) return refusedRun;
  }
  const job = duplicate ?? createJob(world, submission);
  rememberSubmission(world, call, submission, job);
  return succeed(duplicate ? 200 : 201, showJobFields(job));
}

/** Lists a repository's jobs, newest first. JOB-LIST-*. */
export function listRepoJobs(world: World, call: Call): Outcome {
  const repo = findRepo(world, call);
  if (!repo) return noSuchRepo;
  return listPage(world, call, createJobsView(world, call, repo), showJob);
}

/** Lists the workspace's jobs, newest first. */
export function listJobs(world: World, call: Call): Outcome {
  return listPage(world, call, createJobsView(world, call, null), showJob);
}

/** Shows one job. */
export function getJob(world: World, call: Call): Outcome {
  const job = findJob(world, call);
  return job ? succeed(200, showJob(job)) : refuse("not_found", { message: "There is no such job." });
}

/** Cancels a pending or running job. JOB-CANCEL-*. */
export function cancelJob(world: World, call: Call): Outcome {
  const job = findJob(world, call);
  if (!job) return refuse("not_found", { message: "There is no such job." });
  const step = findNextState("job", job.status, "cancel");
  if (!step)
    return refuse("job_not_cancellable", {
      message: `The job is ${job.status}. Only a pending or running job can be cancelled.`,
    });
  moveJob(world, job, step);
  return succeed(200, showJobFields(job));
}

/** Retries a failed or cancelled job: 201 with a new job of the same workflow, or 200 with the retry already in flight. JOB-RETRY-*. */
export function retryJob(world: World, call: Call): Outcome {
  const job = findJob(world, call);
  if (!job) return refuse("not_found", { message: "There is no such job." });
  if (!isLive(world, job)) return noSuchRepo; // REPO-DELETE-404
  const scope = refuseWorkflowScope(call.caller, job.workflow);
  if (scope) return scope;
  if (!findNextState("job", job.status, "retry")) {
    return refuse("job_not_retryable", { message: `The job is ${job.status}. Only a failed or cancelled job can be retried.` });
  }
  const earlier = job.retried_by === null ? undefined : world.jobs[job.retried_by];
  if (earlier && isInFlight(earlier)) return succeed(200, showJobFields(earlier));
  const refused = admitRun(world, call.caller, job.workflow);
  if (refused) return refused;
  const { workflow, params, attempt } = job;
  const retry = createJob(world, {
    repo: readRow(world.repos, job.repo),
    workflow,
    params,
    retryOf: job,
    ...(attempt && { attempt }),
  });
  return succeed(201, showJobFields(retry));
}

/** Refuses what the caller may not submit. Credit and ceilings come later, because a replay costs nothing. */
function refuseSubmission(
  world: World,
  { caller }: Call,
  workflow: WorkflowName,
  params: Record<string, unknown>,
): RefusalOrNull {
  const refused = refuseWorkflowScope(caller, workflow) ?? refuseEntitlement(world, caller, workflow);
  if (refused) return refused;
  const problem = explainParams(workflow, params);
  return problem ? refuse("invalid_payload", { message: `These params do not fit the workflow ${workflow}: ${problem}` }) : null;
}

/** Returns the job that the path names. A job of another workspace is not visible. */
export function findJob(world: World, call: Pick<Call, "params" | "caller">): Job | undefined {
  const job = findRow(world.jobs, call.params.job_id);
  return job?.workspace === call.caller.workspace.id ? job : undefined;
}

function showJob(job: Job): Record<string, unknown> {
  return showRow(job, showJobFields);
}

function createJobsView(world: World, call: Call, repo: Repo | null): View<"jobs"> {
  const workspace = call.caller.workspace.id;
  const { workflow, status } = call.query;
  return {
    table: "jobs",
    name: JSON.stringify([workspace, repo?.id ?? null, workflow ?? null, status ?? null]),
    order: newestFirst,
    includes: (job) =>
      job.workspace === workspace &&
      isLive(world, job) && // REPO-DELETE-404
      (!repo || job.repo === repo.id) &&
      (workflow === undefined || job.workflow === workflow) &&
      (status === undefined || job.status === status),
  };
}
