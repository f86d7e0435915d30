import type { Job } from "../../src/service/world/world.js";
import { changing, each, onTool } from "./family.js";
import { day } from "./helpers/durations.js";
import { jobOf } from "./helpers/jobs.js";
import { anotherThan, fault } from "./helpers/repositories.js";
import { jobRoute, jobsRoute, repoJobsRoute } from "./helpers/routes.js";
import { changeResponse, type Mutant, onRoute, param, type Shown, showing, withQuery, withRows } from "./mutant.js";

const madeByTool = new Set<string>();

/** Mutants that break a clause of JOB-GET-*, JOB-ID-* or JOB-LIST-*. */
export const jobReadsMutants: Mutant[] = [
  ...each("JOB-GET-ROUTE", "job status", "shows another workflow of a job that is * instead of its own", (status) =>
    showing(jobRoute, (job) =>
      job.status === status ? { ...job, workflow: job.workflow === "audit" ? "standard_audit" : "audit" } : job,
    ),
  ),
  ...each("JOB-GET-ROUTE", "job status", "shows another id of a job that is * instead of its own", (status) =>
    showing(jobRoute, (job) => (job.status === status ? { ...job, id: `${job.id}-1` } : job)),
  ),
  ...each("JOB-ID-UNKNOWN", "job route", "answers 422 to an unknown job on * instead of 404", (route) =>
    changeResponse(route, (response) => (response.status === 404 ? { ...response, status: 422 } : response)),
  ),
  ...each("JOB-ID-UNKNOWN", "workspace relation", "answers 403 to a job that is * instead of 404", (relation) =>
    changing(
      ({ status }, call, world) =>
        status === 404 && param(call, "job_id") !== "" && (jobOf(world, call) ? "of another workspace" : "unknown") === relation,
      (response) => ({ ...response, status: 403 }),
    ),
  ),
  {
    name: "lists the jobs of all repositories under each repository instead of its own",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: onRoute(repoJobsRoute, (world, call, perform) =>
      perform(world, { ...call, target: { route: jobsRoute, params: {} } }),
    ),
  },
  {
    name: "leaves pending jobs out of a repository's list instead of listing them",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: changeResponse(repoJobsRoute, (response) =>
      withRows<Job>(response, (jobs) => jobs.filter(({ status }) => status !== "pending")),
    ),
  },
  {
    name: "lists the jobs of one repository for the workspace instead of all jobs",
    breaks: "JOB-LIST-WORKSPACE-ROUTE",
    around: changeResponse(jobsRoute, (response) =>
      withRows<Job>(response, (jobs) => jobs.filter(({ repo_name }) => repo_name === jobs[0]?.repo_name)),
    ),
  },
  fault(
    "lists to a signed-in person the jobs of another workspace instead of its own",
    "GET /api/jobs",
    anotherThan,
    "JOB-LIST-WORKSPACE-ROUTE",
  ),
  ...each(
    "JOB-LIST-REPO-WORKFLOW",
    "submitted workflow",
    "lists jobs of every workflow for * instead of that workflow alone",
    (workflow) =>
      onRoute(repoJobsRoute, (world, call, perform) =>
        perform(world, call.query.workflow?.[0] === workflow ? withQuery(call, { workflow: undefined }) : call),
      ),
  ),
  {
    name: "lists jobs of every workflow behind a cursor instead of the one workflow",
    breaks: "JOB-LIST-REPO-WORKFLOW",
    around: onRoute(repoJobsRoute, (world, call, perform) => {
      const response = perform(world, call);
      if (!call.query.cursor || !call.query.workflow) return response;
      const all = perform(world, withQuery(call, { cursor: undefined, workflow: undefined }));
      const { data } = all.body as { data: Shown[] };
      const other = data.find(({ workflow }) => workflow !== call.query.workflow?.[0]);
      return other ? withRows<Shown>(response, (rows) => [other, ...rows.slice(1)]) : response;
    }),
  },
  ...(
    [
      ["workspace", jobsRoute, "JOB-LIST-WORKSPACE-ROUTE"],
      ["repository", repoJobsRoute, "JOB-LIST-REPO-ROUTE"],
    ] as const
  ).map(
    ([whose, route, breaks]): Mutant => ({
      name: `leaves jobs older than 14 days out of the ${whose}'s list instead of listing them`,
      breaks,
      around: changeResponse(route, (response, { now, jobs }) =>
        withRows<Shown>(response, (rows) => rows.filter(({ id }) => now - (jobs[String(id)]?.created_at ?? now) < 14 * day)),
      ),
    }),
  ),
  {
    name: "leaves jobs of the tool out of the workspace's list instead of listing them",
    breaks: "JOB-LIST-WORKSPACE-ROUTE",
    ...onTool("submit_job", (world, call, performTool) => {
      const before = new Set(Object.keys(world.jobs));
      const response = performTool(world, call);
      for (const id of Object.keys(world.jobs)) if (!before.has(id)) madeByTool.add(id);
      return response;
    }),
    around: changeResponse("GET /api/jobs", (response) =>
      withRows<Shown>(response, (rows) => rows.filter(({ id }) => !madeByTool.has(String(id)))),
    ),
  },
];
