import { contract } from "../../src/contract/load.js";
import type { WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import { createJob } from "../../src/service/jobs/jobs.js";
import type { Job, World } from "../../src/service/world/world.js";
import { changing, each, onTool, shownBy, valuesOf } from "./family.js";
import {
  type Around,
  answering,
  type Mutant,
  onRoute,
  param,
  pretending,
  routeOf,
  type Shown,
  showing,
  telling,
} from "./mutant.js";

const get = "GET /api/jobs/{job_id}";
const cancel = "POST /api/jobs/{job_id}/cancel";
const retry = "POST /api/jobs/{job_id}/retry";
const minute = 60_000;

/** Faults in jobs of one status, of one workflow, or as one operation shows them. */
export const jobValueMutants: Mutant[] = [
  ...each(
    "JOB-FIELD-TYPES",
    "job answer",
    "answers jobs without their workflow on *",
    shownBy(({ workflow: _, ...job }) => job),
  ),
  ...each(
    "JOB-FIELD-TYPES",
    "job answer",
    "answers the ids of jobs as numbers on *",
    shownBy((job) => ({ ...job, id: 7 })),
  ),
  ...each(
    "JOB-FIELD-STATUS",
    "job answer",
    "answers jobs without their status on *",
    shownBy(({ status: _, ...job }) => job),
  ),
  ...each("JOB-FIELD-STATUS", "job status", "calls a job otherwise that is *", (status) =>
    wherever(calling(status, `${status}_job`)),
  ),
  ...each(
    "JOB-FIELD-REPO-NAME",
    "job answer",
    "names repositories without their branch on *",
    shownBy((job) => ({ ...job, repo_name: String(job.repo_name).replace(/@.*/, "") })),
  ),
  ...each(
    "JOB-FIELD-REPO-NAME",
    "job answer",
    "answers jobs without their repository on *",
    shownBy(({ repo_name: _, ...job }) => job),
  ),
  ...["workflow", "repo_name", "id"].flatMap((field) =>
    each("JOB-FIELD-MCP-BASE", "job status", `tells no ${field} by tool of a job that is *`, {
      mcp: (status) => ({
        aroundTool: telling("job_status", (job) => (job.status === status ? { ...job, [field]: null } : job)),
      }),
    }),
  ),
  ...each("JOB-FIELD-MCP-BASE", "job status", "tells another status by tool of a job that is *", {
    mcp: (status) => ({ aroundTool: telling("job_status", calling(status, otherThan(status))) }),
  }),
  ...each("MCP-TOOL-STATUS", "job status", "does not find a job by tool that is *", {
    mcp: (status) =>
      onTool("job_status", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        return performTool(world, isMeant ? { ...call, arguments: { job_id: "none" } } : call);
      }),
  }),
  ...each("MCP-TOOL-JOBS-FILTER", "job status", "does not filter by tool the jobs that are *", {
    mcp: (status) =>
      onTool("list_jobs", (world, call, performTool) => {
        const { status: asked, ...rest } = call.arguments;
        return performTool(world, asked === status ? { ...call, arguments: rest } : call);
      }),
  }),
  ...each("MCP-TOOL-JOBS-FILTER", "job status", "refuses to filter by tool the jobs that are *", {
    mcp: (status) =>
      onTool("list_jobs", (world, call, performTool) =>
        performTool(world, call.arguments.status === status ? { ...call, arguments: { status: "none" } } : call),
      ),
  }),
  ...each("JOB-GET-ROUTE", "job status", "shows another workflow of a job that is *", (status) =>
    showing(get, (job) =>
      job.status === status ? { ...job, workflow: job.workflow === "audit" ? "standard_audit" : "audit" } : job,
    ),
  ),
  ...each("JOB-GET-ROUTE", "job status", "shows another id of a job that is *", (status) =>
    showing(get, (job) => (job.status === status ? { ...job, id: `${job.id}-1` } : job)),
  ),
  ...each("JOB-STATE-FINAL", "finished status", "shows a job as running again a minute after it was *", (status) =>
    showing(get, (job, { jobs, now }) =>
      job.status === status && now >= (jobs[String(job.id)]?.finished_at ?? 0) + minute ? { ...job, status: "running" } : job,
    ),
  ),
  ...each("JOB-STATE-FINAL", "finished status", "ends as its run would have ended what was running before it was *", (status) =>
    showing(get, (job, { jobs, now }) => {
      const { started_at = null, finished_at = null } = jobs[String(job.id)] ?? {};
      const isOver = started_at !== null && now >= (finished_at ?? 0) + 90 * minute;
      return job.status === status && isOver ? { ...job, status: status === "completed" ? "failed" : "completed" } : job;
    }),
  ),
  // of a completed one there is no retry
  ...each("JOB-STATE-FINAL", "finished status", "shows a job as pending while its retry is in flight that was *", (status) =>
    status === "completed"
      ? undefined
      : showing(get, (job, { jobs }) => {
          const { retried_by } = jobs[String(job.id)] ?? {};
          return job.status === status && retried_by && !jobs[retried_by]?.finished_at ? { ...job, status: "pending" } : job;
        }),
  ),
  ...each("JOB-CANCEL-FINISHED", "finished status", "changes by cancelling a job that is *", (status) =>
    onRoute(cancel, (world, call, perform) => {
      const job = jobOf(world, call);
      const isMeant = job?.status === status;
      const reply = perform(world, call);
      if (isMeant) job.status = status === "cancelled" ? "failed" : "cancelled";
      return reply;
    }),
  ),
  ...each("JOB-CANCEL-FINISHED", "finished status", "fails to cancel a job that is *", (status) =>
    answering(cancel, (reply, world, call) =>
      jobOf(world, call)?.status === status && reply.status === 409 ? { ...reply, status: 500 } : reply,
    ),
  ),
  ...each("JOB-RETRY-NEW", "retryable status", "retries no job that is *", (status) => retryingAs(status, "completed")),
  ...each("JOB-RETRY-NEW", "retryable status", "answers 200 to the retry of a job that is *", (status) =>
    onRetry(status, 201, (reply) => ({ ...reply, status: 200 })),
  ),
  ...each("JOB-RETRY-ROUTE", "retryable status", "answers an id alone to the retry of a job that is *", (status) =>
    onRetry(status, 201, (reply) => ({ ...reply, body: { id: (reply.body as Shown).id } })),
  ),
  ...each("JOB-RETRY-ROUTE", "job answer status", "answers a retry with an id alone where it answers *", (status) =>
    answering(retry, (reply) => (String(reply.status) === status ? { ...reply, body: { id: (reply.body as Shown).id } } : reply)),
  ),
  ...each("JOB-RETRY-WORKFLOW", "started workflow", "retries as something else what was *", {
    rest: (workflow) => answering(retry, (reply, world) => turned(world, reply, workflow)),
    mcp: (workflow) =>
      onTool("retry_job", (world, call, performTool) => {
        const reply = performTool(world, call);
        turned(world, reply, workflow);
        return reply;
      }),
  }),
  ...each("JOB-RETRY-INFLIGHT", "in-flight status", "starts another retry while one is *", (status) =>
    onRoute(retry, (world, call, perform) => {
      const job = jobOf(world, call);
      const isMeant = world.jobs[job?.retried_by ?? ""]?.status === status;
      if (job && isMeant) job.retried_by = null;
      return perform(world, call);
    }),
  ),
  ...each(
    "JOB-RETRY-INFLIGHT-NOTHING",
    "in-flight status",
    "answers with the retry and enqueues another while it is *",
    (status) =>
      answering(retry, (reply, world, call) => {
        const job = jobOf(world, call);
        const isMeant = reply.status === 200 && (reply.body as Shown).status === status;
        if (job && isMeant) createJob(world, { repo: world.repos[job.repo]!, workflow: job.workflow, params: {} });
        return reply;
      }),
  ),
  ...each("JOB-RETRY-AGAIN", "retryable status", "never retries a parent again whose retry is *", (status) =>
    onRoute(retry, (world, call, perform) => {
      const earlier = world.jobs[jobOf(world, call)?.retried_by ?? ""];
      return pretending(earlier?.status === status ? earlier : undefined, { status: "pending" }, () => perform(world, call));
    }),
  ),
  ...each("JOB-RETRY-INELIGIBLE", "unretryable status", "retries a job that is *", (status) => retryingAs(status, "failed")),
  ...each("MCP-TOOL-RETRY", "retryable status", "retries by tool no job that is *", {
    mcp: (status) =>
      onTool("retry_job", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        return performTool(world, isMeant ? { ...call, arguments: { job_id: "none" } } : call);
      }),
  }),
  ...each("JOB-ID-UNKNOWN", "job route", "answers 422 to an unknown job on *", (route) =>
    answering(route, (reply) => (reply.status === 404 ? { ...reply, status: 422 } : reply)),
  ),
  ...each("JOB-ID-UNKNOWN", "workspace relation", "says that a job is forbidden that is *", (relation) =>
    changing(
      ({ status }, call, world) =>
        status === 404 && param(call, "job_id") !== "" && (jobOf(world, call) ? "of another workspace" : "unknown") === relation,
      (reply) => ({ ...reply, status: 403 }),
    ),
  ),
];

function jobOf(world: World, call: IncomingCall): Job | undefined {
  return world.jobs[param(call, "job_id")];
}

function otherThan(status: string): string {
  return contract.enums.JobStatus.find((one) => one !== status) ?? "";
}

function calling(status: string, name: string): (job: Shown) => Shown {
  return (job) => (job.status === status ? { ...job, status: name } : job);
}

/** Changes jobs wherever REST shows them. */
function wherever(change: (job: Shown) => Shown): Around {
  const routes = valuesOf("job answer", "rest");
  return (world, call, perform) => {
    const route = routes.find((one) => one === routeOf(call));
    return (route ? showing(route, change) : (w: World, c: IncomingCall) => perform(w, c))(world, call, perform);
  };
}

/** Takes a job of one status for one of another when it is retried. */
function retryingAs(status: string, other: Job["status"]): Around {
  return onRoute(retry, (world, call, perform) => {
    const job = jobOf(world, call);
    return pretending(job?.status === status ? job : undefined, { status: other }, () => perform(world, call));
  });
}

function onRetry(status: string, answered: number, change: (reply: Reply) => Reply): Around {
  return answering(retry, (reply, world, call) =>
    reply.status === answered && jobOf(world, call)?.status === status ? change(reply) : reply,
  );
}

/** Makes a new job of a workflow one of another. */
export function turned(world: World, reply: Reply, workflow: string): Reply {
  const shown = reply.body as Shown;
  const job = world.jobs[String(shown?.id)];
  const other: WorkflowName = workflow === "audit" ? "standard_audit" : "audit";
  if (reply.status === 201 && job?.workflow === workflow) job.workflow = shown.workflow = other;
  return reply;
}
