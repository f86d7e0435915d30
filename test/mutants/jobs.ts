import type { Job } from "../../src/service/world.js";
import { type Mutant, param, routeOf, withBody, withQuery } from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const list = "GET /api/repos/{owner}/{repo}/{branch}/jobs";
const cancel = "POST /api/jobs/{job_id}/cancel";
const retry = "POST /api/jobs/{job_id}/retry";
const get = "GET /api/jobs/{job_id}";

let different = 0;

/** Faults in what is said of jobs. */
export const jobMutants: Mutant[] = [
  {
    name: "cancels a job that has ended",
    breaks: "JOB-CANCEL-FINISHED",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (routeOf(call) === cancel && job?.finished_at) job.status = "cancelled";
      return perform(world, call);
    },
  },
  {
    name: "says cancelled of a pending job and lets it run",
    breaks: "JOB-CANCEL-PENDING",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      const before = job && { ...job };
      const reply = perform(world, call);
      if (routeOf(call) === cancel && before?.status === "pending") Object.assign(job!, before);
      return reply;
    },
  },
  {
    name: "refuses to cancel a running job",
    breaks: "JOB-CANCEL-RUNNING",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (routeOf(call) !== cancel || job?.status !== "running") return perform(world, call);
      return perform(world, { ...call, target: { route: cancel, params: { job_id: "gone" } } });
    },
  },
  {
    name: "retries as an audit whatever the parent was",
    breaks: "JOB-RETRY-WORKFLOW",
    around(world, call, perform) {
      const reply = perform(world, call);
      if (routeOf(call) === retry && reply.status === 201) changeJob(world.jobs, reply.body, { workflow: "audit" });
      return reply;
    },
  },
  {
    name: "starts another retry while one is in flight",
    breaks: "JOB-RETRY-INFLIGHT",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (routeOf(call) === retry && job) job.retried_by = null;
      return perform(world, call);
    },
  },
  {
    name: "never retries a parent twice",
    breaks: "JOB-RETRY-AGAIN",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      const earlier = job?.retried_by && world.jobs[job.retried_by];
      if (routeOf(call) !== retry || !earlier) return perform(world, call);
      const { status } = earlier;
      earlier.status = "pending";
      const reply = perform(world, call);
      earlier.status = status;
      return reply;
    },
  },
  {
    name: "retries a completed job",
    breaks: "JOB-RETRY-INELIGIBLE",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (routeOf(call) !== retry || job?.status !== "completed") return perform(world, call);
      job.status = "failed";
      const reply = perform(world, call);
      job.status = "completed";
      return reply;
    },
  },
  {
    name: "enqueues again when an Idempotency-Key is repeated",
    breaks: "IDEMPOTENCY-MATCH",
    around: (world, call, perform) => perform(world, { ...call, idempotencyKey: undefined }),
  },
  {
    name: "forgets an Idempotency-Key after an hour",
    breaks: "IDEMPOTENCY-WINDOW",
    around(world, call, perform) {
      for (const [key, seen] of Object.entries(world.submissions)) {
        if (world.now > seen.at + 3_600_000) delete world.submissions[key];
      }
      return perform(world, call);
    },
  },
  {
    name: "keeps an Idempotency-Key for ever",
    breaks: "IDEMPOTENCY-EXPIRED",
    around(world, call, perform) {
      for (const seen of Object.values(world.submissions)) seen.at = world.now;
      return perform(world, call);
    },
  },
  {
    name: "starts identical work beside work in flight",
    breaks: "DEDUPE-INFLIGHT",
    around(world, call, perform) {
      const differs = routeOf(call) === submit && call.idempotencyKey === undefined && !call.query.force;
      return perform(world, differs ? otherParams(call) : call);
    },
  },
  {
    name: "starts identical work beside work in flight when forced",
    breaks: "JOB-SUBMIT-FORCE-INFLIGHT",
    around: (world, call, perform) => perform(world, routeOf(call) === submit && call.query.force ? otherParams(call) : call),
  },
  {
    name: "ignores force",
    breaks: "JOB-SUBMIT-FORCE",
    around: (world, call, perform) => perform(world, withQuery(call, { force: undefined })),
  },
  {
    name: "starts work again that has just completed",
    breaks: "DEDUPE-COMPLETED",
    around: (world, call, perform) => perform(world, routeOf(call) === submit ? withQuery(call, { force: "true" }) : call),
  },
  {
    name: "takes the retired mini_audit for an audit",
    breaks: "WORKFLOW-MINI-RETIRED",
    around(world, call, perform) {
      const retired = call.body.kind === "json" && (call.body.value as { workflow?: unknown })?.workflow === "mini_audit";
      return perform(world, retired ? withBody(call, { workflow: "audit" }) : call);
    },
  },
  {
    name: "answers 200 to a fresh submission",
    breaks: "JOB-SUBMIT-CREATED",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === submit && reply.status === 201 ? { ...reply, status: 200 } : reply;
    },
  },
  {
    name: "lists jobs of every workflow whatever the filter says",
    breaks: "JOB-LIST-REPO-WORKFLOW",
    around: (world, call, perform) => perform(world, routeOf(call) === list ? withQuery(call, { workflow: undefined }) : call),
  },
  {
    name: "answers 200 with nothing for an unknown job",
    breaks: "JOB-ID-UNKNOWN",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === get && reply.status === 404 ? { ...reply, status: 200, body: {} } : reply;
    },
  },
];

/** Params that no other submission has, so that nothing is deduplicated. */
function otherParams(call: Parameters<typeof withBody>[0]) {
  different++;
  return withBody(call, { params: { paths: [`different-${different}`] } });
}

function changeJob(jobs: Record<string, Job>, shown: unknown, changes: Partial<Job>): void {
  Object.assign(jobs[(shown as { id: string }).id]!, changes);
  Object.assign(shown as object, changes);
}
