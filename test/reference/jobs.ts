import { type Call, changed, repoOf } from "./call.js";
import { standStill } from "./idle.js";
import { page } from "./pages.js";
import { absent, done, isRefusal, type Refusal, type Reply } from "./reply.js";
import { lacks } from "./scopes.js";
import { drawSpend, priceOf } from "./spend.js";
import { type Job, mint, slugOf } from "./state.js";
import { isInFlight } from "./time.js";

/** A job as it is shown. */
export function showJob({ choices, nowMs }: Call, job: Job): Record<string, unknown> {
  const at = (ms?: number) => (ms === undefined ? null : choices.timestamp(ms));
  return {
    ...choices.adorn((nowMs - job.createdMs) / 1000),
    id: job.id,
    workflow: job.workflow,
    status: job.status,
    repo_name: slugOf(job.repo),
    submitted: at(job.createdMs),
    began: at(job.startedMs),
    ended: at(job.endedMs),
    failure: job.status === "failed" ? { class: "tooling", text: "The run broke off" } : null,
    pull_request_url: pullUrl(job),
    parent: job.retryOf?.id ?? null,
  };
}

function pullUrl({ observation, repo }: Job): string | null {
  return observation?.pull ? `https://code.example/${repo.owner}/${repo.name}/pull/${observation.pull.number}` : null;
}

/** GET /api/repos/{owner}/{repo}/{branch}/jobs */
export function listRepoJobs(call: Call): Reply {
  const repo = repoOf(call);
  if (isRefusal(repo)) return repo;
  const { workflow } = call.query;
  const jobs = call.workspace.jobs.filter((job) => job.repo === repo && (workflow === undefined || job.workflow === workflow));
  return page(call, inOrder(call, jobs), (job) => showJob(call, job));
}

/** GET /api/jobs */
export function listJobs(call: Call): Reply {
  return page(call, inOrder(call, call.workspace.jobs), (job) => showJob(call, job));
}

/** Newest first, or oldest where REST lists so. */
export function inOrder({ choices, route }: Call, jobs: readonly Job[]): Job[] {
  const byAge = [...jobs].sort((a, b) => a.createdMs - b.createdMs);
  return choices.jobsOldestFirst && route.startsWith("GET") ? byAge : byAge.reverse();
}

/** GET /api/jobs/{job_id} */
export function getJob(call: Call): Reply {
  const job = findJob(call);
  return isRefusal(job) ? job : done(200, showJob(call, job));
}

/** POST /api/jobs/{job_id}/cancel */
export function cancelJob(call: Call): Reply {
  const job = findJob(call);
  if (isRefusal(job)) return job;
  if (!isInFlight(job)) return standStill(call.choices, call.choices.jobIdle, showJob(call, job), "The run is over");
  job.cancelsMs ??= call.nowMs + call.choices.cancelMs;
  if (call.choices.cancelMs === 0) {
    job.status = "cancelled";
    job.endedMs = call.nowMs;
  }
  return changed(call, call.choices.done.cancel, showJob(call, job));
}

/** POST /api/jobs/{job_id}/retry */
export function retryJob(call: Call): Reply {
  const job = findJob(call);
  if (isRefusal(job)) return job;
  const { choices, workspace, world, nowMs } = call;
  const missing = lacks(call, job.workflow);
  if (missing) return missing;
  const again = workspace.jobs.find(({ retryOf, ...other }) => retryOf === job && isInFlight(other as Job));
  if (again) return done(200, showJob(call, again));
  if (job.status !== "failed" && job.status !== "cancelled")
    return standStill(choices, choices.jobIdle, showJob(call, job), "Only what failed or was cancelled is tried again");
  const refused = drawSpend(call, priceOf(job.workflow));
  if (refused) return refused;
  const { workflow, params, repo, commit, observation, attempt } = job;
  const retry: Job = {
    ...{ id: mint(world, "job"), workflow, params, repo, commit, status: "pending", createdMs: nowMs, retryOf: job },
    ...(observation && { observation }),
    ...(attempt && { attempt }),
  };
  workspace.jobs.push(retry);
  return done(201, showJob(call, retry));
}

function findJob({ workspace, path }: Call): Job | Refusal {
  return workspace.jobs.find(({ id }) => id === path.job_id) ?? absent("job");
}
