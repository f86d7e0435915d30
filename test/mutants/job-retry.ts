import type { ServiceResponse } from "../../src/service/call.js";
import { createJob } from "../../src/service/jobs/jobs.js";
import type { Job } from "../../src/service/world/world.js";
import { each, onTool } from "./family.js";
import { jobById, jobOf, started, turned } from "./helpers/jobs.js";
import { jobRoute, retryRoute } from "./helpers/routes.js";
import { changeResponse, type Mutant, onRoute, param, pretending, type Shown, type WrapCall, withResponse } from "./mutant.js";

const firstRetries = new WeakMap<Job, string>();

/** Mutants that break a clause of JOB-RETRY-*. */
export const jobRetryMutants: Mutant[] = [
  ...["standard_audit", "audit", "discover", "fix"].map(
    (workflow): Mutant => ({
      name: `retries ${workflow} by the tool as another workflow instead of the same one`,
      breaks: "JOB-RETRY-WORKFLOW",
      aroundTool(world, call, performTool) {
        const before = new Set(Object.keys(world.jobs));
        const response = performTool(world, call);
        for (const job of Object.values(world.jobs)) {
          const isNew = call.purpose === "retry_job" && !before.has(job.id) && job.workflow === workflow;
          if (isNew) job.workflow = workflow === "audit" ? "standard_audit" : "audit";
        }
        return response;
      },
    }),
  ),
  {
    name: "answers a new retry with its parent's id instead of a new id",
    breaks: "JOB-RETRY-NEW",
    around: changeResponse(retryRoute, (response, _world, call) =>
      response.status === 201 ? withResponse(response, { id: param(call, "job_id") }) : response,
    ),
  },
  {
    name: "answers a retry with the job of a submission that had its Idempotency-Key instead of a new job",
    breaks: "JOB-RETRY-NEW",
    around: onRoute(retryRoute, (world, call, perform) => {
      const [, seen] = Object.entries(world.submissions).find(([name]) => name.endsWith(` ${call.idempotencyKey}`)) ?? [];
      const target = { route: jobRoute, params: { job_id: seen?.job ?? "" } } as const;
      return perform(world, seen ? { ...call, target, body: { kind: "none" } } : call);
    }),
  },
  {
    name: "starts a retry at once instead of at the next tick",
    breaks: "JOB-RETRY-NEW",
    around: changeResponse(retryRoute, (response, world) =>
      response.status === 201 ? withResponse(response, started(world, response.body)) : response,
    ),
  },
  ...each("JOB-RETRY-NEW", "retryable status", "refuses to retry a job that is * instead of retrying it", (status) =>
    retryingAs(status, "completed"),
  ),
  ...each("JOB-RETRY-NEW", "retryable status", "answers 200 to the retry of a job that is * instead of 201", (status) =>
    onRetry(status, 201, (response) => ({ ...response, status: 200 })),
  ),
  ...each(
    "JOB-RETRY-ROUTE",
    "retryable status",
    "answers only an id to the retry of a job that is * instead of the job",
    (status) => onRetry(status, 201, (response) => ({ ...response, body: { id: (response.body as Shown).id } })),
  ),
  ...each(
    "JOB-RETRY-ROUTE",
    "job answer status",
    "answers a retry with only an id where it answers * instead of the job",
    (status) =>
      changeResponse(retryRoute, (response) =>
        String(response.status) === status ? { ...response, body: { id: (response.body as Shown).id } } : response,
      ),
  ),
  ...each("JOB-RETRY-WORKFLOW", "started workflow", "retries * as another workflow instead of the same one", {
    rest: (workflow) => changeResponse(retryRoute, (response, world) => turned(world, response, workflow)),
    mcp: (workflow) =>
      onTool("retry_job", (world, call, performTool) => {
        const response = performTool(world, call);
        turned(world, response, workflow);
        return response;
      }),
  }),
  ...each(
    "JOB-RETRY-INFLIGHT",
    "in-flight status",
    "starts a second retry while one is * instead of answering that one",
    (status) =>
      onRoute(retryRoute, (world, call, perform) => {
        const job = jobOf(world, call);
        const isMeant = world.jobs[job?.retried_by ?? ""]?.status === status;
        if (job && isMeant) job.retried_by = null;
        return perform(world, call);
      }),
  ),
  ...each(
    "JOB-RETRY-INFLIGHT-NOTHING",
    "in-flight status",
    "answers the existing retry and enqueues another while it is * instead of enqueuing nothing",
    (status) =>
      changeResponse(retryRoute, (response, world, call) => {
        const job = jobOf(world, call);
        const isMeant = response.status === 200 && (response.body as Shown).status === status;
        if (job && isMeant) createJob(world, { repo: world.repos[job.repo]!, workflow: job.workflow, params: {} });
        return response;
      }),
  ),
  ...each(
    "JOB-RETRY-AGAIN",
    "retryable status",
    "refuses a second retry of a parent whose retry is * instead of starting it",
    (status) =>
      onRoute(retryRoute, (world, call, perform) => {
        const earlier = world.jobs[jobOf(world, call)?.retried_by ?? ""];
        return pretending(earlier?.status === status ? earlier : undefined, { status: "pending" }, () => perform(world, call));
      }),
  ),
  ...each("JOB-RETRY-INELIGIBLE", "unretryable status", "retries a job that is * instead of refusing it", (status) =>
    retryingAs(status, "failed"),
  ),
  {
    name: "starts a second retry by the tool during a retry in flight instead of answering that one",
    breaks: "JOB-RETRY-INFLIGHT",
    ...onTool("retry_job", (world, call, performTool) => {
      const parent = world.jobs[String(call.arguments.job_id)];
      if (parent) parent.retried_by = null;
      return performTool(world, call);
    }),
  },
  {
    name: "refuses to retry a job that was cancelled while it ran instead of retrying it",
    breaks: "JOB-RETRY-NEW",
    around: onRoute("POST /api/jobs/{job_id}/retry", (world, call, perform) => {
      const job = jobById(world, param(call, "job_id"));
      return job?.status === "cancelled" && job.started_at !== null
        ? pretending(job, { status: "completed" }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "treats the retry of a retry as one of the first job instead of its own parent",
    breaks: "JOB-RETRY-AGAIN",
    around: onRoute(retryRoute, (world, call, perform) => {
      const parent = jobById(world, param(call, "job_id"));
      let last = jobById(world, parent?.retried_by);
      while (last?.retried_by) last = jobById(world, last.retried_by);
      return parent && last?.retry_of !== parent.id && last
        ? pretending(parent, { retried_by: last.id }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "remembers only the first retry of a job instead of the newest",
    breaks: "JOB-RETRY-INFLIGHT",
    around: changeResponse(retryRoute, (response, world, call) => {
      const parent = jobById(world, param(call, "job_id"));
      if (response.status !== 201 || !parent?.retried_by) return response;
      const first = firstRetries.get(parent) ?? parent.retried_by;
      firstRetries.set(parent, first);
      parent.retried_by = first;
      return response;
    }),
  },
  {
    name: "treats a completed retry as in flight instead of finished",
    breaks: "JOB-RETRY-NEW",
    around: onRoute(retryRoute, (world, call, perform) => {
      const earlier = jobById(world, jobById(world, param(call, "job_id"))?.retried_by);
      return earlier?.status === "completed"
        ? pretending(earlier, { status: "running", finished_at: null }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "records the retry of a retry with the first job instead of its own parent",
    breaks: "JOB-RETRY-INFLIGHT",
    around: onRoute(retryRoute, (world, call, perform) => {
      const response = perform(world, call);
      const job = jobOf(world, call);
      const first = world.jobs[job?.retry_of ?? ""];
      if (response.status === 201 && job && first) [first.retried_by, job.retried_by] = [job.retried_by, null];
      return response;
    }),
  },
];

/** Treats a job of one status as one of another when it is retried. */
function retryingAs(status: string, other: Job["status"]): WrapCall {
  return onRoute(retryRoute, (world, call, perform) => {
    const job = jobOf(world, call);
    return pretending(job?.status === status ? job : undefined, { status: other }, () => perform(world, call));
  });
}

function onRetry(status: string, answered: number, change: (response: ServiceResponse) => ServiceResponse): WrapCall {
  return changeResponse(retryRoute, (response, world, call) =>
    response.status === answered && jobOf(world, call)?.status === status ? change(response) : response,
  );
}
