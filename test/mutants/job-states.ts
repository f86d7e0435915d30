import { dispatch } from "../../src/service/jobs/jobs.js";
import type { Job, World } from "../../src/service/world/world.js";
import { answering, type Mutant, param, type Shown, showing, withAnswer } from "./mutant.js";

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
    name: "answers a fresh retry with its parent's id",
    breaks: "JOB-RETRY-NEW",
    around: answering(retry, (reply, _world, call) =>
      reply.status === 201 ? withAnswer(reply, { id: param(call, "job_id") }) : reply,
    ),
  },
  {
    name: "starts a retry at once",
    breaks: "JOB-RETRY-NEW",
    around: answering(retry, (reply, world) => (reply.status === 201 ? withAnswer(reply, started(world, reply.body)) : reply)),
  },
];

/** Shows a single job with another status than it has. */
function seen(status: (job: Job, now: number, world: World) => string) {
  return showing(get, (shown, world) => ({ ...shown, status: status(world.jobs[String(shown.id)]!, world.now, world) }));
}

/** Starts a job that was just shown. */
function started(world: World, shown: unknown): Shown {
  const job = world.jobs[String((shown as Shown).id)]!;
  dispatch(world, job);
  return { status: job.status };
}
