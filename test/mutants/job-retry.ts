import type { ServiceResponse } from "../../src/service/call.js";
import { createJob } from "../../src/service/jobs/jobs.js";
import type { Job } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { changeWorkflow, getJob, jobById, startShownJob } from "./helpers/jobs.js";
import { jobRoute, retryRoute } from "./helpers/routes.js";
import {
  changeResponses,
  type Mutant,
  param,
  type Shown,
  type WrapCall,
  withResponse,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

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
    around: changeResponses(retryRoute, (response, _world, call) =>
      response.status === 201 ? withResponse(response, { id: param(call, "job_id") }) : response,
    ),
  },
  {
    name: "answers a retry with the job of a submission that had its Idempotency-Key instead of a new job",
    breaks: "JOB-RETRY-NEW",
    around: wrapRoute(retryRoute, (world, call, perform) => {
      const [, seen] = Object.entries(world.submissions).find(([name]) => name.endsWith(` ${call.idempotencyKey}`)) ?? [];
      const target = { route: jobRoute, params: { job_id: seen?.job ?? "" } } as const;
      return perform(world, seen ? { ...call, target, body: { kind: "none" } } : call);
    }),
  },
  {
    name: "starts a retry at once instead of at the next tick",
    breaks: "JOB-RETRY-NEW",
    around: changeResponses(retryRoute, (response, world) =>
      response.status === 201 ? withResponse(response, startShownJob(world, response.body)) : response,
    ),
  },
  ...mutantPerValue("JOB-RETRY-NEW", "retryable status", "refuses to retry a job that is * instead of retrying it", (status) =>
    retryingAs(status, "completed"),
  ),
  ...mutantPerValue("JOB-RETRY-NEW", "retryable status", "answers 200 to the retry of a job that is * instead of 201", (status) =>
    onRetry(status, 201, (response) => ({ ...response, status: 200 })),
  ),
  ...mutantPerValue(
    "JOB-RETRY-ROUTE",
    "retryable status",
    "answers only an id to the retry of a job that is * instead of the job",
    (status) => onRetry(status, 201, (response) => ({ ...response, body: { id: (response.body as Shown).id } })),
  ),
  ...mutantPerValue(
    "JOB-RETRY-ROUTE",
    "job answer status",
    "answers a retry with only an id where it answers * instead of the job",
    (status) =>
      changeResponses(retryRoute, (response) =>
        String(response.status) === status ? { ...response, body: { id: (response.body as Shown).id } } : response,
      ),
  ),
  ...mutantPerValue("JOB-RETRY-WORKFLOW", "started workflow", "retries * as another workflow instead of the same one", {
    rest: (workflow) => changeResponses(retryRoute, (response, world) => changeWorkflow(world, response, workflow)),
    mcp: (workflow) =>
      wrapTool("retry_job", (world, call, performTool) => {
        const response = performTool(world, call);
        changeWorkflow(world, response, workflow);
        return response;
      }),
  }),
  ...mutantPerValue(
    "JOB-RETRY-INFLIGHT",
    "in-flight status",
    "starts a second retry while one is * instead of answering that one",
    (status) =>
      wrapRoute(retryRoute, (world, call, perform) => {
        const job = getJob(world, call);
        const isMeant = world.jobs[job?.retried_by ?? ""]?.status === status;
        if (job && isMeant) job.retried_by = null;
        return perform(world, call);
      }),
  ),
  {
    name: "starts a second retry of a cancelled job while one is running instead of answering that one",
    breaks: "JOB-RETRY-INFLIGHT",
    around: wrapRoute(retryRoute, (world, call, perform) => {
      const job = getJob(world, call);
      const isRunning = world.jobs[job?.retried_by ?? ""]?.status === "running";
      if (job?.status === "cancelled" && isRunning) job.retried_by = null;
      return perform(world, call);
    }),
  },
  ...mutantPerValue(
    "JOB-RETRY-INFLIGHT-NOTHING",
    "in-flight status",
    "answers the existing retry and enqueues another while it is * instead of enqueuing nothing",
    (status) =>
      changeResponses(retryRoute, (response, world, call) => {
        const job = getJob(world, call);
        const isMeant = response.status === 200 && (response.body as Shown).status === status;
        if (job && isMeant) createJob(world, { repo: world.repos[job.repo]!, workflow: job.workflow, params: {} });
        return response;
      }),
  ),
  ...mutantPerValue(
    "JOB-RETRY-AGAIN",
    "retryable status",
    "refuses a second retry of a parent whose retry is * instead of starting it",
    (status) =>
      wrapRoute(retryRoute, (world, call, perform) => {
        const earlier = world.jobs[getJob(world, call)?.retried_by ?? ""];
        return withTemporaryFields(earlier?.status === status ? earlier : undefined, { status: "pending" }, () =>
          perform(world, call),
        );
      }),
  ),
  ...mutantPerValue("JOB-RETRY-INELIGIBLE", "unretryable status", "retries a job that is * instead of refusing it", (status) =>
    retryingAs(status, "failed"),
  ),
  {
    name: "starts a second retry by the tool during a retry in flight instead of answering that one",
    breaks: "JOB-RETRY-INFLIGHT",
    ...wrapTool("retry_job", (world, call, performTool) => {
      const parent = world.jobs[String(call.arguments.job_id)];
      if (parent) parent.retried_by = null;
      return performTool(world, call);
    }),
  },
  {
    name: "refuses to retry a job that was cancelled while it ran instead of retrying it",
    breaks: "JOB-RETRY-NEW",
    around: wrapRoute("POST /api/jobs/{job_id}/retry", (world, call, perform) => {
      const job = jobById(world, param(call, "job_id"));
      return job?.status === "cancelled" && job.started_at !== null
        ? withTemporaryFields(job, { status: "completed" }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "treats the retry of a retry as one of the first job instead of its own parent",
    breaks: "JOB-RETRY-AGAIN",
    around: wrapRoute(retryRoute, (world, call, perform) => {
      const parent = jobById(world, param(call, "job_id"));
      let last = jobById(world, parent?.retried_by);
      while (last?.retried_by) last = jobById(world, last.retried_by);
      return parent && last?.retry_of !== parent.id && last
        ? withTemporaryFields(parent, { retried_by: last.id }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "remembers only the first retry of a job instead of the newest",
    breaks: "JOB-RETRY-INFLIGHT",
    around: changeResponses(retryRoute, (response, world, call) => {
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
    around: wrapRoute(retryRoute, (world, call, perform) => {
      const earlier = jobById(world, jobById(world, param(call, "job_id"))?.retried_by);
      return earlier?.status === "completed"
        ? withTemporaryFields(earlier, { status: "running", finished_at: null }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "records the retry of a retry with the first job instead of its own parent",
    breaks: "JOB-RETRY-INFLIGHT",
    around: wrapRoute(retryRoute, (world, call, perform) => {
      const response = perform(world, call);
      const job = getJob(world, call);
      const first = world.jobs[job?.retry_of ?? ""];
      if (response.status === 201 && job && first) [first.retried_by, job.retried_by] = [job.retried_by, null];
      return response;
    }),
  },
];

/** Treats a job of one status as one of another when it is retried. */
function retryingAs(status: string, other: Job["status"]): WrapCall {
  return wrapRoute(retryRoute, (world, call, perform) => {
    const job = getJob(world, call);
    return withTemporaryFields(job?.status === status ? job : undefined, { status: other }, () => perform(world, call));
  });
}

function onRetry(status: string, answered: number, change: (response: ServiceResponse) => ServiceResponse): WrapCall {
  return changeResponses(retryRoute, (response, world, call) =>
    response.status === answered && getJob(world, call)?.status === status ? change(response) : response,
  );
}
