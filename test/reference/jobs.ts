import { type Call, changeResult, findRepoInPath } from "./call.js";
import { resultWithoutChange } from "./idle.js";
import { isRefusal, notFoundRefusal, type OperationResult, type Refusal, success } from "./operation-result.js";
import { page } from "./pages.js";
import { lacks } from "./scopes.js";
import { drawSpend, getPrice } from "./spend.js";
import { createId, getSlug, type Job } from "./state.js";
import { isInFlight } from "./time.js";

/** A job as answers show it. */
export function showJob({ choices, nowMs }: Call, job: Job): Record<string, unknown> {
  const { submitted, began, ended, failure, pull } = choices.jobNames;
  const at = (ms?: number) => (ms === undefined ? null : choices.timestamp(ms));
  return {
    ...choices.adorn((nowMs - job.createdMs) / 1000),
    id: job.id,
    workflow: job.workflow,
    status: job.status,
    repo_name: getSlug(job.repo),
    [submitted]: at(job.createdMs),
    [began]: at(job.startedMs),
    [ended]: at(job.endedMs),
    [failure]: job.status === "failed" ? { class: "tooling", text: "The run broke off" } : null,
    [pull]: pullUrl(job),
    parent: job.retryOf?.id ?? null,
  };
}

function pullUrl({ observation, repo }: Job): string | null {
  return observation?.pull ? `https://code.example/${repo.owner}/${repo.name}/pull/${observation.pull.number}` : null;
}

/** GET /api/repos/{owner}/{repo}/{branch}/jobs */
export function listRepoJobs(call: Call): OperationResult {
  const repo = findRepoInPath(call);
  if (isRefusal(repo)) return repo;
  const { workflow } = call.query;
  const jobs = call.workspace.jobs.filter((job) => job.repo === repo && (workflow === undefined || job.workflow === workflow));
  return page(call, inOrder(call, ofStatus(call, jobs)), (job) => showJob(call, job));
}

/** GET /api/jobs */
export function listJobs(call: Call): OperationResult {
  const { jobs } = call.workspace;
  const seenJobs = call.choices.jobsOfDeleted === "go" ? jobs.filter(({ repo }) => !repo.deleted) : jobs;
  return page(call, inOrder(call, ofStatus(call, seenJobs)), (job) => showJob(call, job));
}

function ofStatus({ choices, query }: Call, jobs: readonly Job[]): readonly Job[] {
  return choices.jobsByStatus && query.status !== undefined ? jobs.filter(({ status }) => status === query.status) : jobs;
}

/** Newest first, or oldest where REST lists so. */
export function inOrder({ choices, route }: Call, jobs: readonly Job[]): Job[] {
  const byAge = [...jobs].sort((a, b) => a.createdMs - b.createdMs);
  return choices.jobsOldestFirst && route.startsWith("GET") ? byAge : byAge.reverse();
}

/** GET /api/jobs/{job_id} */
export function getJob(call: Call): OperationResult {
  const job = findJob(call);
  return isRefusal(job) ? job : success(200, showJob(call, job));
}

/** POST /api/jobs/{job_id}/cancel */
export function cancelJob(call: Call): OperationResult {
  const job = findJob(call);
  if (isRefusal(job)) return job;
  if (!isInFlight(job)) return resultWithoutChange(call.choices, call.choices.cancelIdle, showJob(call, job), "The run is over");
  job.cancelsMs ??= call.nowMs + call.choices.cancelMs;
  if (call.choices.cancelMs === 0) {
    job.status = "cancelled";
    job.endedMs = call.nowMs;
  }
  return changeResult(call, call.choices.done.cancel, showJob(call, job));
}

/** POST /api/jobs/{job_id}/retry */
export function retryJob(call: Call): OperationResult {
  const job = findJob(call);
  if (isRefusal(job)) return job;
  const { choices, workspace, world, nowMs } = call;
  const missingRefusal = lacks(call, job.workflow);
  if (missingRefusal) return missingRefusal;
  const repeatedJob = workspace.jobs.find(({ retryOf, ...other }) => retryOf === job && isInFlight(other as Job));
  if (repeatedJob) return success(200, showJob(call, repeatedJob));
  if (job.status !== "failed" && job.status !== "cancelled")
    return resultWithoutChange(
      choices,
      choices.retryIdle,
      showJob(call, job),
      "Only what failed or was cancelled is tried again",
    );
  const refusal = drawSpend(call, getPrice(job.workflow));
  if (refusal) return refusal;
  const { workflow, params, repo, observation, attempt } = job;
  const now = choices.commitAt === "start" ? undefined : repo.commit;
  const commit = choices.retryCommit === "parent" ? job.commit : now;
  const retry: Job = {
    ...{ id: createId(world, "job"), workflow, params, repo, commit, status: "pending", createdMs: nowMs, retryOf: job },
    ...(observation && { observation }),
    ...(attempt && { attempt }),
    ...(choices.drawnAt === "end" && { owes: { key: call.key, when: "end" } }),
  };
  workspace.jobs.push(retry);
  return success(201, showJob(call, retry));
}

function findJob({ choices, workspace, path }: Call): Job | Refusal {
  const isSeen = ({ repo }: Job) => choices.jobsOfDeleted === "stay" || !repo.deleted;
  return workspace.jobs.find((job) => job.id === path.job_id && isSeen(job)) ?? notFoundRefusal("job");
}
