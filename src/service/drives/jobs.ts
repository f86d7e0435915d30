import { dispatch, finishJob, showJobFields } from "../jobs/jobs.js";
import { addAuditFindings } from "../observations/findings.js";
import { findRow } from "../world/lookups.js";
import type { ShownJob } from "../world/shown.js";
import { type Drive, refuseState } from "./drive.js";

/** Finishes a job. Starts a pending job first. */
export const finishJobDrive: Drive<ShownJob> = {
  run(world, { job_id, outcome }) {
    const job = findRow(world.jobs, job_id as string);
    if (!job) return { problem: `There is no job ${job_id}.`, field: "job_id" };
    if (job.status === "pending") dispatch(world, job);
    if (!finishJob(world, job, outcome as "success" | "failure"))
      return refuseState(`The job ${job_id} is ${job.status}. Only a pending or running job can finish.`, "job_id");
    if (world.options.run_findings === "always") addAuditFindings(world, job);
    return { result: showJobFields(job) };
  },
};
