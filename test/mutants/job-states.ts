import { createJob, dispatch } from "../../src/service/jobs.js";
import type { Job, World } from "../../src/service/world.js";
import { type Around, answering, type Mutant, onRoute, param, pretending, type Shown, showing, withAnswer } from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const retry = "POST /api/jobs/{job_id}/retry";
const get = "GET /api/jobs/{job_id}";

const second = 1000;
const minute = 60 * second;

/** Faults in the way of a job from its submission to its end, and of its retries. */
export const jobStateMutants: Mutant[] = [
  {
    name: "starts a submitted job at once",
    breaks: "JOB-STATE-INITIAL",
    around: answering(submit, (reply, world) => (reply.status === 201 ? withAnswer(reply, started(world, reply.body)) : reply)),
  },
  {
    name: "shows a job as pending until it ends",
    breaks: "JOB-STATE-DISPATCH",
    around: seen((job) => (job.status === "running" ? "pending" : job.status)),
  },
  {
    name: "picks jobs up after four minutes",
    breaks: "JOB-STATE-DISPATCH-TICK",
    around: seen((job, now) => (job.status === "running" && now < job.created_at + 4 * minute ? "pending" : job.status)),
  },
  {
    name: "shows a job as failed whose run succeeded",
    breaks: "JOB-STATE-SUCCESS",
    around: seen((job) => (job.status === "completed" ? "failed" : job.status)),
  },
  {
    name: "shows a job as running whose run has failed",
    breaks: "JOB-STATE-FAILURE",
    around: seen((job) => (job.status === "failed" ? "running" : job.status)),
  },
  {
    name: "takes a running job back to pending at the next tick",
    breaks: "JOB-STATE-FORWARD",
    around: seen((job, now) => (job.status === "running" && now >= (job.started_at ?? 0) + 30 * second ? "pending" : job.status)),
  },
  {
    name: "takes a completed job up again a minute later",
    breaks: "JOB-STATE-FINAL",
    around: seen((job, now) => (job.status === "completed" && now >= (job.finished_at ?? 0) + minute ? "running" : job.status)),
  },
  {
    name: "shows a failed job as cancelled once a minute is over",
    breaks: "JOB-STATE-FINAL",
    around: seen((job, now) => (job.status === "failed" && now >= (job.finished_at ?? 0) + minute ? "cancelled" : job.status)),
  },
  {
    name: "makes a job pending again while its retry is in flight",
    breaks: "JOB-STATE-FINAL",
    around: seen(({ status, retried_by }, _now, { jobs }) => (retried_by && !jobs[retried_by]?.finished_at ? "pending" : status)),
  },
  {
    name: "answers a fresh retry with 200",
    breaks: "JOB-RETRY-NEW",
    around: answering(retry, (reply) => (reply.status === 201 ? { ...reply, status: 200 } : reply)),
  },
  {
    name: "answers a fresh retry with its parent's id",
    breaks: "JOB-RETRY-NEW",
    around: answering(retry, (reply, _world, call) =>
      reply.status === 201 ? withAnswer(reply, { id: param(call, "job_id") }) : reply,
    ),
  },
  { name: "retries no failed job", breaks: "JOB-RETRY-NEW", around: keeping("failed") },
  { name: "retries no cancelled job", breaks: "JOB-RETRY-NEW", around: keeping("cancelled") },
  {
    name: "starts a retry at once",
    breaks: "JOB-RETRY-NEW",
    around: answering(retry, (reply, world) => (reply.status === 201 ? withAnswer(reply, started(world, reply.body)) : reply)),
  },
  {
    name: "answers with the retry in flight and enqueues another",
    breaks: "JOB-RETRY-INFLIGHT-NOTHING",
    around: answering(retry, (reply, world, call) => {
      const job = world.jobs[param(call, "job_id")];
      if (job && reply.status === 200) createJob(world, { repo: world.repos[job.repo]!, workflow: job.workflow, params: {} });
      return reply;
    }),
  },
];

/** Shows a single job with another status than it has. */
function seen(status: (job: Job, now: number, world: World) => string) {
  return showing(get, (shown, world) => ({ ...shown, status: status(world.jobs[String(shown.id)]!, world.now, world) }));
}

/** Does not retry a job of this status. */
function keeping(status: Job["status"]): Around {
  return onRoute(retry, (world, call, perform) => {
    const job = world.jobs[param(call, "job_id")];
    return pretending(job?.status === status ? job : undefined, { status: "completed" }, () => perform(world, call));
  });
}

/** Starts a job that was just shown. */
function started(world: World, shown: unknown): Shown {
  const job = world.jobs[String((shown as Shown).id)]!;
  dispatch(world, job);
  return { status: job.status };
}
