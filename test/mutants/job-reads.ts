import type { Job } from "../../src/service/world/world.js";
import { changeMatchingResponses, mutantPerValue, wrapTool } from "./family.js";
import { getJob } from "./helpers/jobs.js";
import { otherWorkspaceThan, useOtherWorkspaceSession } from "./helpers/repositories.js";
import { jobRoute, jobsRoute, repoJobsRoute } from "./helpers/routes.js";
import { changeResponses, changeShownRows, type Mutant, param, type Shown, withQuery, withRows, wrapRoute } from "./mutant.js";

const madeByTool = new Set<string>();

/** Mutants that break a clause of JOB-GET-*, JOB-ID-* or JOB-LIST-*. */
export const jobReadsMutants: Mutant[] = [
  ...mutantPerValue("JOB-GET-ROUTE", "job status", "shows another workflow of a job that is * instead of its own", (status) =>
    changeShownRows(jobRoute, (job) =>
      job.status === status ? { ...job, workflow: job.workflow === "audit" ? "standard_audit" : "audit" } : job,
    ),
  ),
  ...mutantPerValue("JOB-GET-ROUTE", "job status", "shows another id of a job that is * instead of its own", (status) =>
    changeShownRows(jobRoute, (job) => (job.status === status ? { ...job, id: `${job.id}-1` } : job)),
  ),
  ...mutantPerValue("JOB-ID-UNKNOWN", "job route", "answers 422 to an unknown job on * instead of 404", (route) =>
    changeResponses(route, (response) => (response.status === 404 ? { ...response, status: 422 } : response)),
  ),
  ...mutantPerValue("JOB-ID-UNKNOWN", "workspace relation", "answers 403 to a job that is * instead of 404", (relation) =>
    changeMatchingResponses(
      ({ status }, call, world) =>
        status === 404 && param(call, "job_id") !== "" && (getJob(world, call) ? "of another workspace" : "unknown") === relation,
      (response) => ({ ...response, status: 403 }),
    ),
  ),
  {
    name: "lists the jobs of all repositories under each repository instead of its own",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: wrapRoute(repoJobsRoute, (world, call, perform) =>
      perform(world, { ...call, target: { route: jobsRoute, params: {} } }),
    ),
  },
  {
    name: "leaves pending jobs out of a repository's list instead of listing them",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: changeResponses(repoJobsRoute, (response) =>
      withRows<Job>(response, (jobs) => jobs.filter(({ status }) => status !== "pending")),
    ),
  },
  {
    name: "lists the jobs of one repository for the workspace instead of all jobs",
    breaks: "JOB-LIST-WORKSPACE-ROUTE",
    around: changeResponses(jobsRoute, (response) =>
      withRows<Job>(response, (jobs) => jobs.filter(({ repo_name }) => repo_name === jobs[0]?.repo_name)),
    ),
  },
  useOtherWorkspaceSession(
    "lists to a signed-in person the jobs of another workspace instead of its own",
    "GET /api/jobs",
    otherWorkspaceThan,
    "JOB-LIST-WORKSPACE-ROUTE",
  ),
  ...mutantPerValue(
    "JOB-LIST-REPO-WORKFLOW",
    "submitted workflow",
    "lists jobs of every workflow for * instead of that workflow alone",
    (workflow) =>
      wrapRoute(repoJobsRoute, (world, call, perform) =>
        perform(world, call.query.workflow?.[0] === workflow ? withQuery(call, { workflow: undefined }) : call),
      ),
  ),
  {
    name: "lists jobs of every workflow behind a cursor instead of the one workflow",
    breaks: "JOB-LIST-REPO-WORKFLOW",
    around: wrapRoute(repoJobsRoute, (world, call, perform) => {
      const response = perform(world, call);
      if (!call.query.cursor || !call.query.workflow) return response;
      const all = perform(world, withQuery(call, { cursor: undefined, workflow: undefined }));
      const { data } = all.body as { data: Shown[] };
      const other = data.find(({ workflow }) => workflow !== call.query.workflow?.[0]);
      return other ? withRows<Shown>(response, (rows) => [other, ...rows.slice(1)]) : response;
    }),
  },
  {
    name: "leaves jobs of the tool out of the workspace's list instead of listing them",
    breaks: "JOB-LIST-WORKSPACE-ROUTE",
    ...wrapTool("submit_job", (world, call, performTool) => {
      const before = new Set(Object.keys(world.jobs));
      const response = performTool(world, call);
      for (const id of Object.keys(world.jobs)) if (!before.has(id)) madeByTool.add(id);
      return response;
    }),
    around: changeResponses("GET /api/jobs", (response) =>
      withRows<Shown>(response, (rows) => rows.filter(({ id }) => !madeByTool.has(String(id)))),
    ),
  },
];
