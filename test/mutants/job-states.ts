import { moveJob } from "../../src/service/jobs/jobs.js";
import { findNextState } from "../../src/service/world/state-machine.js";
import type { Job, Repo, World } from "../../src/service/world/world.js";
import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { day, minute, second } from "./helpers/durations.js";
import { jobById, onSubmitted, startShownJob } from "./helpers/jobs.js";
import { cancelRoute, jobRoute, repoJobsRoute, submitRoute } from "./helpers/routes.js";
import {
  changeResponses,
  changeShownRows,
  type Fault,
  getRoute,
  type Mutant,
  param,
  type Shown,
  withResponse,
} from "./mutant.js";

/** Mutants that break a clause of JOB-STATE-*. */
export const jobStatesMutants: Mutant[] = [
  ...mutantPerValue(
    "JOB-STATE-DISPATCH",
    "beginning of a job",
    "leaves a job pending that began with a * instead of starting it",
    {
      rest: (beginning) => neverStart("rest", beginning),
      mcp: (beginning) => neverStart("mcp", beginning),
    },
  ),
  {
    name: "starts a submitted job at once instead of at the next tick",
    breaks: "JOB-STATE-INITIAL",
    around: changeResponses(submitRoute, (response, world) =>
      response.status === 201 ? withResponse(response, startShownJob(world, response.body)) : response,
    ),
  },
  {
    name: "shows a job as failed a day after it was cancelled instead of cancelled",
    breaks: "JOB-STATE-FINAL",
    around: showStatus((job, now) => (job.status === "cancelled" && now >= job.created_at + day ? "failed" : job.status)),
  },
  {
    name: "shows a job as pending until it ends instead of running",
    breaks: "JOB-STATE-DISPATCH",
    around: showStatus((job) => (job.status === "running" ? "pending" : job.status)),
  },
  {
    name: "starts jobs after four minutes instead of at the next tick",
    breaks: "JOB-STATE-DISPATCH-TICK",
    around: showStatus((job, now) => (job.status === "running" && now < job.created_at + 4 * minute ? "pending" : job.status)),
  },
  {
    name: "shows a job as failed after its run succeeded instead of completed",
    breaks: "JOB-STATE-SUCCESS",
    around: showStatus((job) => (job.status === "completed" ? "failed" : job.status)),
  },
  {
    name: "shows a job as running after its run has failed instead of failed",
    breaks: "JOB-STATE-FAILURE",
    around: showStatus((job) => (job.status === "failed" ? "running" : job.status)),
  },
  {
    name: "returns a running job to pending at the next tick instead of keeping it running",
    breaks: "JOB-STATE-FORWARD",
    around: showStatus((job, now) =>
      job.status === "running" && now >= (job.started_at ?? 0) + 30 * second ? "pending" : job.status,
    ),
  },
  ...mutantPerValue(
    "JOB-STATE-FINAL",
    "finished status",
    "shows a job as running a minute after it was * instead of keeping its final status",
    (status) =>
      changeShownRows(jobRoute, (job, { jobs, now }) =>
        job.status === status && now >= (jobs[String(job.id)]?.finished_at ?? 0) + minute ? { ...job, status: "running" } : job,
      ),
  ),
  ...mutantPerValue(
    "JOB-STATE-FINAL",
    "finished status",
    "lets a run end after its job was * instead of keeping the final status",
    (status) =>
      changeShownRows(jobRoute, (job, { jobs, now }) => {
        const { started_at = null, finished_at = null } = jobs[String(job.id)] ?? {};
        const isOver = started_at !== null && now >= (finished_at ?? 0) + 90 * minute;
        return job.status === status && isOver ? { ...job, status: status === "completed" ? "failed" : "completed" } : job;
      }),
  ),
  // a completed job has no retry
  ...mutantPerValue(
    "JOB-STATE-FINAL",
    "finished status",
    "shows a job that was * as pending while its retry is in flight instead of keeping its status",
    (status) =>
      status === "completed"
        ? undefined
        : changeShownRows(jobRoute, (job, { jobs }) => {
            const { retried_by } = jobs[String(job.id)] ?? {};
            return job.status === status && retried_by && !jobs[retried_by]?.finished_at ? { ...job, status: "pending" } : job;
          }),
  ),
  ...mutantPerValue(
    "JOB-STATE-INITIAL",
    "submitted workflow",
    "answers that a new job already runs instead of pending: *",
    (workflow) => onSubmitted(workflow, 201, (job) => ({ ...job, status: "running" })),
  ),
  {
    name: "shows a job as completed after its retry has completed instead of keeping its status",
    breaks: "JOB-STATE-FINAL",
    around: changeShownRows(jobRoute, (shown, world) => {
      const retriedJob = jobById(world, jobById(world, String(shown.id))?.retried_by);
      return retriedJob?.status === "completed" ? { ...shown, status: "completed" } : shown;
    }),
  },
  {
    name: "cancels also other jobs of the same workflow instead of the addressed job alone",
    breaks: "JOB-STATE-FORWARD",
    around: changeResponses(cancelRoute, (response, world, call) => {
      const cancelledJob = jobById(world, param(call, "job_id"));
      if (response.status >= 300 || !cancelledJob) return response;
      for (const otherJob of Object.values(world.jobs)) {
        const step =
          otherJob.repo === cancelledJob.repo &&
          otherJob.workflow === cancelledJob.workflow &&
          findNextState("job", otherJob.status, "cancel");
        if (step) moveJob(world, otherJob, step);
      }
      return response;
    }),
  },
  {
    name: "leaves the retry of a fix pending for ever instead of starting it",
    breaks: "JOB-STATE-DISPATCH",
    around: changeShownRows(jobRoute, (shown, world) => {
      const isMeant = shown.workflow === "fix" && shown.status === "running" && jobById(world, String(shown.id))?.retry_of;
      return isMeant ? { ...shown, status: "pending" } : shown;
    }),
  },
  {
    name: "starts jobs minutes late after the first hour instead of at the next tick",
    breaks: "JOB-STATE-DISPATCH-TICK",
    around: changeShownRows(jobRoute, (shown, { jobs, now, epoch }) => {
      const { created_at = 0 } = jobs[String(shown.id)] ?? {};
      const isLate = created_at - epoch > 3_600_000 && now - created_at < 240_000 && shown.status === "running";
      return isLate ? { ...shown, status: "pending" } : shown;
    }),
  },
  ...([2, 8] as const).map(
    (max): Mutant => ({
      name: `shows all but ${max} of the jobs that started together as pending instead of running`,
      breaks: "JOB-STATE-DISPATCH",
      around: changeShownRows(max === 2 ? jobRoute : repoJobsRoute, (shown, { jobs }) => {
        const { started_at } = jobs[String(shown.id)] ?? {};
        const together = Object.values(jobs).filter((otherJob) => otherJob.started_at === started_at);
        const isLate = started_at !== null && together.findIndex(({ id }) => id === shown.id) >= max;
        return isLate ? { ...shown, status: "pending" } : shown;
      }),
    }),
  ),
];

function neverStart(surface: "rest" | "mcp", beginning: string): Fault {
  const byTool = new WeakSet<Job | Repo>();
  const forced = new WeakSet<Job | Repo>();
  const isMeant = (world: World, job: Job | undefined) =>
    job !== undefined &&
    (byTool.has(job) || (isOfRegistration(job) && byTool.has(world.repos[job.repo]!)) ? "mcp" : "rest") === surface &&
    (forced.has(job) ? "forced submission" : getBeginning(job)) === beginning;
  const waiting = (world: World, shown: Shown): Shown => {
    if (Array.isArray(shown?.data)) return { ...shown, data: shown.data.map((row: Shown) => waiting(world, row)) };
    const hasBegun = ["running", "completed", "failed"].includes(String(shown?.status));
    return hasBegun && isMeant(world, world.jobs[String(shown.id)]) ? { ...shown, status: "pending" } : shown;
  };
  return {
    aroundTool: (world, call, performTool) => noteCreated(world, byTool, () => performTool(world, call)),
    around: (world, call, perform) =>
      changeMatchingResponses(
        ({ status }) => status < 300 && getRoute(call) !== null,
        (response) => ({ ...response, body: waiting(world, response.body as Shown) }),
      )(world, call, () => noteCreated(world, call.query.force ? forced : new WeakSet(), () => perform(world, call))),
  };
}

function isOfRegistration({ workflow, retry_of }: Job): boolean {
  return workflow === "discover" && retry_of === null;
}

function getBeginning(job: Job): string {
  if (job.retry_of !== null) return "retry";
  if (job.workflow === "fix") return "fix";
  return isOfRegistration(job) ? "registration" : "submission";
}

/** Performs an action, and records the jobs and repositories that it creates. */
function noteCreated<T>(world: World, made: WeakSet<Job | Repo>, act: () => T): T {
  const all = () => [...Object.values(world.jobs), ...Object.values(world.repos)];
  const before = new Set(all());
  const done = act();
  for (const one of all()) if (!before.has(one)) made.add(one);
  return done;
}

/** Shows a single job with another status than it has. */
function showStatus(status: (job: Job, now: number, world: World) => string) {
  return changeShownRows(jobRoute, (shown, world) => ({
    ...shown,
    status: status(world.jobs[String(shown.id)]!, world.now, world),
  }));
}
