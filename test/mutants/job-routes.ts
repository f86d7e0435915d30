import type { Reply } from "../../src/service/call.js";
import type { Job } from "../../src/service/world.js";
import { answering, type Mutant, onRoute, type Shown, showing, withQuery, withRows } from "./mutant.js";

const repoList = "GET /api/repos/{owner}/{repo}/{branch}/jobs";
const list = "GET /api/jobs";
const get = "GET /api/jobs/{job_id}";
const retry = "POST /api/jobs/{job_id}/retry";
const repos = "GET /api/repos";
const observations = "GET /api/observations";

/** Faults in listing, showing and retrying jobs, and in the pages of every list. */
export const jobRouteMutants: Mutant[] = [
  {
    name: "lists the jobs of all repositories under each",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: onRoute(repoList, (world, call, perform) => perform(world, { ...call, target: { route: list, params: {} } })),
  },
  {
    name: "leaves pending jobs out of the list of a repository",
    breaks: "JOB-LIST-REPO-ROUTE",
    around: answering(repoList, (reply) => withRows<Job>(reply, (jobs) => jobs.filter(({ status }) => status !== "pending"))),
  },
  {
    name: "lists the jobs of one repository for those of the workspace",
    breaks: "JOB-LIST-WORKSPACE-ROUTE",
    around: answering(list, (reply) =>
      withRows<Job>(reply, (jobs) => jobs.filter(({ repo_name }) => repo_name === jobs[0]?.repo_name)),
    ),
  },
  {
    name: "shows an audit as a standard audit",
    breaks: "JOB-GET-ROUTE",
    around: showing(get, (job) => (job.workflow === "audit" ? { ...job, workflow: "standard_audit" } : job)),
  },
  {
    name: "shows a job under another id than it was asked for",
    breaks: "JOB-GET-ROUTE",
    around: showing(get, (job) => ({ ...job, id: `${job.id}-1` })),
  },
  { name: "answers a fresh retry with an id alone", breaks: "JOB-RETRY-ROUTE", around: retried(201, ({ id }) => ({ id })) },
  {
    name: "names no repository of a retry in flight",
    breaks: "JOB-RETRY-ROUTE",
    around: retried(200, ({ repo_name: _, ...job }) => job),
  },
  {
    name: "leaves next_cursor out of the last page",
    breaks: "PAGE-FIELD-TYPES",
    around: answering(repoList, (reply) =>
      withPage(reply, ({ next_cursor, ...page }) => (next_cursor ? { ...page, next_cursor } : page)),
    ),
  },
  {
    name: "says in words whether there is more",
    breaks: "PAGE-FIELD-TYPES",
    around: answering(repos, (reply) => withPage(reply, (page) => ({ ...page, has_more: page.has_more ? "yes" : "no" }))),
  },
  {
    name: "answers the rows of a page by their ids",
    breaks: "PAGE-FIELD-TYPES",
    around: answering(observations, (reply) =>
      withPage(reply, (page) => ({ ...page, data: Object.fromEntries((page.data as Shown[]).map((row) => [row.ref, row])) })),
    ),
  },
  {
    name: "hands out no cursor for the workspace's jobs",
    breaks: "PAGE-LISTS-CURSOR",
    around: answering(list, (reply) => withPage(reply, (page) => ({ ...page, next_cursor: null }))),
  },
  { name: "lists all repositories whatever the limit", breaks: "PAGE-LISTS-CURSOR", around: without(repos, "limit") },
  { name: "begins the list of repositories anew at a cursor", breaks: "PAGE-LISTS-CURSOR", around: without(repos, "cursor") },
  {
    name: "begins the list of observations anew at a cursor",
    breaks: "PAGE-LISTS-CURSOR",
    around: without(observations, "cursor"),
  },
];

/** Answers a retry with another body where it has this status. */
function retried(status: number, change: (job: Shown) => Shown) {
  return answering(retry, (reply) => (reply.status === status ? { ...reply, body: change(reply.body as Shown) } : reply));
}

function withPage(reply: Reply, change: (page: Shown) => Shown): Reply {
  return reply.status === 200 ? { ...reply, body: change(reply.body as Shown) } : reply;
}

/** Does not look at one query parameter. */
function without(route: string, parameter: string) {
  return onRoute(route, (world, call, perform) => perform(world, withQuery(call, { [parameter]: undefined })));
}
