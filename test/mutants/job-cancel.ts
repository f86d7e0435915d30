import type { IncomingCall } from "../../src/service/call.js";
import type { World } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { getJob, jobById } from "./helpers/jobs.js";
import { cancelRoute, submitRoute } from "./helpers/routes.js";
import { changeResponses, getKey, getRoute, type Mutant, param, withParams, withTemporaryFields, wrapRoute } from "./mutant.js";

const submitters = new Map<string, string | undefined>();

/** Mutants that break a clause of JOB-CANCEL-*. */
export const jobCancelMutants: Mutant[] = [
  ...mutantPerValue(
    "JOB-CANCEL-FINISHED",
    "finished status",
    "changes a job that is * when it is cancelled instead of leaving it",
    (status) =>
      wrapRoute(cancelRoute, (world, call, perform) => {
        const job = getJob(world, call);
        const isMeant = job?.status === status;
        const response = perform(world, call);
        if (isMeant) job.status = status === "cancelled" ? "failed" : "cancelled";
        return response;
      }),
  ),
  ...mutantPerValue(
    "JOB-CANCEL-FINISHED",
    "finished status",
    "fails to cancel a job that is * instead of answering it unchanged",
    (status) =>
      changeResponses(cancelRoute, (response, world, call) =>
        getJob(world, call)?.status === status && response.status === 409 ? { ...response, status: 500 } : response,
      ),
  ),
  {
    name: "answers that a pending job is cancelled and runs it instead of cancelling it",
    breaks: "JOB-CANCEL-PENDING",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      const before = job && { ...job };
      const response = perform(world, call);
      if (getRoute(call) === cancelRoute && before?.status === "pending") Object.assign(job!, before);
      return response;
    },
  },
  {
    name: "refuses to cancel a running job instead of cancelling it",
    breaks: "JOB-CANCEL-RUNNING",
    around(world, call, perform) {
      const job = world.jobs[param(call, "job_id")];
      if (getRoute(call) !== cancelRoute || job?.status !== "running") return perform(world, call);
      return perform(world, { ...call, target: { route: cancelRoute, params: { job_id: "gone" } } });
    },
  },
  {
    name: "cancels the pending jobs of the repository with a running job instead of that job alone",
    breaks: "JOB-CANCEL-RUNNING",
    around: wrapRoute(cancelRoute, (world, call, perform) => {
      const job = getJob(world, call);
      const isRunning = job?.status === "running";
      const response = perform(world, call);
      for (const otherJob of Object.values(world.jobs))
        if (isRunning && otherJob.repo === job.repo && otherJob.status === "pending") otherJob.status = "cancelled";
      return response;
    }),
  },
  ...["audit", "fix"].map(
    (workflow): Mutant => ({
      name: `cancels every pending ${workflow} of the repository with one of them instead of that one alone`,
      breaks: "JOB-CANCEL-PENDING",
      around: wrapRoute(cancelRoute, (world, call, perform) => {
        const job = getJob(world, call);
        const isPending = job?.status === "pending" && job.workflow === workflow;
        const response = perform(world, call);
        for (const otherJob of Object.values(world.jobs))
          if (isPending && otherJob.repo === job.repo && otherJob.workflow === workflow && otherJob.status === "pending")
            otherJob.status = "cancelled";
        return response;
      }),
    }),
  ),
  {
    name: "refuses to cancel a discovery instead of cancelling it",
    breaks: "JOB-CANCEL-PENDING",
    around: wrapRoute(cancelRoute, (world, call, perform) => {
      const job = jobById(world, param(call, "job_id"));
      return job?.workflow === "discover"
        ? withTemporaryFields(job, { status: "completed" }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "lets only the submitting key cancel a job instead of every key with the scope",
    breaks: "JOB-CANCEL-PENDING",
    around: (world, call, perform) => {
      const response = perform(
        world,
        getRoute(call) === cancelRoute && isOfAnother(world, call) ? withParams(call, { job_id: "none" }) : call,
      );
      const { id } = (response.body ?? {}) as { id?: string };
      if (getRoute(call) === submitRoute && response.status === 201 && id) submitters.set(id, getKey(world, call)?.id);
      return response;
    },
  },
];

function isOfAnother(world: World, call: IncomingCall): boolean {
  const id = param(call, "job_id");
  return submitters.has(id) && submitters.get(id) !== getKey(world, call)?.id;
}
