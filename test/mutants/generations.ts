import { moveJob } from "../../src/service/jobs/jobs.js";
import { next } from "../../src/service/world/machine.js";
import type { Job, World } from "../../src/service/world/world.js";
import { answering, keyOf, type Mutant, observationOf, onRoute, param, pretending, showing, withAnswer } from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const retry = "POST /api/jobs/{job_id}/retry";
const cancel = "POST /api/jobs/{job_id}/cancel";
const job = "GET /api/jobs/{job_id}";
const fix = "POST /api/observations/{ref}/fix";

const firstRetries = new WeakMap<Job, string>();
const timesAnswered = new WeakMap<object, number>();

/** Faults in what comes of a job or an observation that was retried, fixed or answered with before, or in the one beside it. */
export const generationMutants: Mutant[] = [
  {
    name: "takes the retry of a retry for one of the first job",
    breaks: "JOB-RETRY-AGAIN",
    around: onRoute(retry, (world, call, perform) => {
      const parent = jobIn(world, param(call, "job_id"));
      let last = jobIn(world, parent?.retried_by);
      while (last?.retried_by) last = jobIn(world, last.retried_by);
      return parent && last?.retry_of !== parent.id && last
        ? pretending(parent, { retried_by: last.id }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "remembers the first retry of a job alone",
    breaks: "JOB-RETRY-INFLIGHT",
    around: answering(retry, (reply, world, call) => {
      const parent = jobIn(world, param(call, "job_id"));
      if (reply.status !== 201 || !parent?.retried_by) return reply;
      const first = firstRetries.get(parent) ?? parent.retried_by;
      firstRetries.set(parent, first);
      parent.retried_by = first;
      return reply;
    }),
  },
  {
    name: "takes a retry that has completed for one in flight",
    breaks: "JOB-RETRY-NEW",
    around: onRoute(retry, (world, call, perform) => {
      const earlier = jobIn(world, jobIn(world, param(call, "job_id"))?.retried_by);
      return earlier?.status === "completed"
        ? pretending(earlier, { status: "running", finished_at: null }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "shows a job as completed once its retry has completed",
    breaks: "JOB-STATE-FINAL",
    around: showing(job, (shown, world) => {
      const retried = jobIn(world, jobIn(world, String(shown.id))?.retried_by);
      return retried?.status === "completed" ? { ...shown, status: "completed" } : shown;
    }),
  },
  {
    name: "cancels with a job those of its workflow beside it",
    breaks: "JOB-STATE-FORWARD",
    around: answering(cancel, (reply, world, call) => {
      const cancelled = jobIn(world, param(call, "job_id"));
      if (reply.status >= 300 || !cancelled) return reply;
      for (const other of Object.values(world.jobs)) {
        const step =
          other.repo === cancelled.repo && other.workflow === cancelled.workflow && next("job", other.status, "cancel");
        if (step) moveJob(world, other, step);
      }
      return reply;
    }),
  },
  {
    name: "never starts the retry of a fix",
    breaks: "JOB-STATE-DISPATCH",
    around: showing(job, (shown, world) => {
      const isMeant = shown.workflow === "fix" && shown.status === "running" && jobIn(world, String(shown.id))?.retry_of;
      return isMeant ? { ...shown, status: "pending" } : shown;
    }),
  },
  {
    name: "starts jobs minutes late once an hour has gone by",
    breaks: "JOB-STATE-DISPATCH-TICK",
    around: showing(job, (shown, { jobs, now, epoch }) => {
      const { created_at = 0 } = jobs[String(shown.id)] ?? {};
      const isLate = created_at - epoch > 3_600_000 && now - created_at < 240_000 && shown.status === "running";
      return isLate ? { ...shown, status: "pending" } : shown;
    }),
  },
  {
    name: "cancels no discovery",
    breaks: "JOB-CANCEL-PENDING",
    around: onRoute(cancel, (world, call, perform) => {
      const asked = jobIn(world, param(call, "job_id"));
      return asked?.workflow === "discover"
        ? pretending(asked, { status: "completed" }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "answers a fix with that of the finding beside it",
    breaks: "OBS-FIX-MAKES-JOB",
    around: onRoute(fix, (world, call, perform) => {
      const observation = observationOf(world, call);
      const beside = Object.values(world.observations).find(
        ({ repo, attempt, ref }) => repo === observation?.repo && attempt && ref !== observation.ref,
      );
      return observation && beside
        ? pretending(observation, { attempt: beside.attempt }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "gives all attempts in a repository one id",
    breaks: "OBS-FIX-FIELD-IDS",
    around: answering(fix, (reply, world, call) => {
      const { repo } = observationOf(world, call) ?? {};
      return reply.status < 300 ? withAnswer(reply, { attempt_id: `attempt_of_${repo}` }) : reply;
    }),
  },
  {
    name: "closes with a finding that is fixed those of its title",
    breaks: "OBS-FIX-STAYS-NEW",
    around: showing("GET /api/observations/{ref}", (shown, { observations }) => {
      const fixed = Object.values(observations).find(
        ({ ref, repo, title, close_reason }) =>
          close_reason === "fixed" &&
          title === shown.title &&
          repo === observations[String(shown.ref)]?.repo &&
          ref !== shown.ref,
      );
      return fixed && shown.status === "new" ? { ...shown, status: "closed", close_reason: "fixed" } : shown;
    }),
  },
  {
    name: "starts a second fix of an observation for nothing",
    breaks: "SPEND-FIX",
    around: onRoute(fix, (world, call, perform) =>
      observationOf(world, call)?.attempt
        ? pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "starts a second retry of a job for nothing",
    breaks: "SPEND-RETRY",
    around: onRoute(retry, (world, call, perform) =>
      jobIn(world, param(call, "job_id"))?.retried_by
        ? pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "starts the retry of a retry for nothing",
    breaks: "SPEND-RETRY",
    around: onRoute(retry, (world, call, perform) =>
      jobIn(world, param(call, "job_id"))?.retry_of
        ? pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "answers to a key twice and no more",
    breaks: "IDEMPOTENCY-MATCH",
    around: onRoute(submit, (world, call, perform) => {
      const name = Object.keys(world.submissions).find((known) => known.endsWith(` ${call.idempotencyKey}`));
      const submission = name === undefined ? undefined : world.submissions[name];
      if (!submission || name === undefined) return perform(world, call);
      const times = (timesAnswered.get(submission) ?? 0) + 1;
      timesAnswered.set(submission, times);
      if (times > 2) delete world.submissions[name];
      return perform(world, call);
    }),
  },
  {
    name: "forgets the key of a job that was retried",
    breaks: "IDEMPOTENCY-ENDED",
    around: onRoute(submit, (world, call, perform) => {
      for (const [name, { job: id }] of Object.entries(world.submissions))
        if (jobIn(world, id)?.retried_by && jobIn(world, id)?.status === "failed") delete world.submissions[name];
      return perform(world, call);
    }),
  },
  {
    name: "takes keys that differ in their letter case for one",
    breaks: "JOB-SUBMIT-CREATED",
    around: onRoute(submit, (world, call, perform) =>
      perform(world, { ...call, idempotencyKey: call.idempotencyKey?.toLowerCase() }),
    ),
  },
  {
    name: "reads the beginning of a key alone",
    breaks: "JOB-SUBMIT-CREATED",
    around: onRoute(submit, (world, call, perform) =>
      perform(world, { ...call, idempotencyKey: call.idempotencyKey?.slice(0, 24) }),
    ),
  },
];

function jobIn({ jobs }: World, id: string | null | undefined): Job | undefined {
  return jobs[id ?? ""];
}
