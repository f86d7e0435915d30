import type { Job } from "../../src/service/world.js";
import { type Mutant, type Shown, showing, telling } from "./mutant.js";

const get = "GET /api/jobs/{job_id}";
const list = "GET /api/jobs";
const repoList = "GET /api/repos/{owner}/{repo}/{branch}/jobs";

/** Faults in the fields that a job is shown with, over REST and by tool. */
export const jobFieldMutants: Mutant[] = [
  { name: "tells the id of a job as a number", breaks: "JOB-FIELD-TYPES", around: showing(get, (job) => ({ ...job, id: 7 })) },
  {
    name: "lists jobs without the name of their workflow",
    breaks: "JOB-FIELD-TYPES",
    around: showing(list, ({ workflow: _, ...job }) => job),
  },
  {
    name: "tells what a job runs as an object",
    breaks: "JOB-FIELD-TYPES",
    around: showing(get, ({ workflow, ...job }) => ({ ...job, workflow: { name: workflow } })),
  },
  { name: "says queued of a pending job", breaks: "JOB-FIELD-STATUS", around: showing(get, calling("pending", "queued")) },
  {
    name: "lists cancelled jobs as canceled",
    breaks: "JOB-FIELD-STATUS",
    around: showing(list, calling("cancelled", "canceled")),
  },
  {
    name: "names the repository of a job by its path",
    breaks: "JOB-FIELD-REPO-NAME",
    around: showing(get, (job, { jobs, repos }) => {
      const { owner, repo, branch } = repos[(jobs[String(job.id)] as Job).repo]!;
      return { ...job, repo_name: `${owner}/${repo}/${branch}` };
    }),
  },
  {
    name: "lists jobs by the name of their repository without its branch",
    breaks: "JOB-FIELD-REPO-NAME",
    around: showing(list, (job) => ({ ...job, repo_name: String(job.repo_name).replace(/@.*/, "") })),
  },
  {
    name: "lists the jobs of a repository without a status",
    breaks: "JOB-FIELD-STATUS",
    around: showing(repoList, ({ status: _, ...job }) => job),
  },
  {
    name: "lists the jobs of a repository without their workflow",
    breaks: "JOB-FIELD-TYPES",
    around: showing(repoList, ({ workflow: _, ...job }) => job),
  },
  {
    name: "lists the jobs of a repository without its slug",
    breaks: "JOB-FIELD-REPO-NAME",
    around: showing(repoList, ({ repo_name: _, ...job }) => job),
  },
  {
    name: "tells a cancelled job by tool as failed",
    breaks: "JOB-FIELD-MCP-BASE",
    aroundTool: telling("job_status", calling("cancelled", "failed")),
  },
  {
    name: "tells a job by tool without its repository",
    breaks: "JOB-FIELD-MCP-BASE",
    aroundTool: telling("job_status", ({ repo_name: _, ...job }) => job),
  },
  {
    name: "tells a job by tool without its workflow",
    breaks: "JOB-FIELD-MCP-BASE",
    aroundTool: telling("job_status", ({ workflow: _, ...job }) => job),
  },
  {
    name: "tells no fix PR of a job by tool",
    breaks: "JOB-FIELD-MCP-PR",
    aroundTool: telling("job_status", (job) => ({ ...job, fix_pr_url: null })),
  },
];

/** Calls a status by another name. */
function calling(status: string, name: string): (job: Shown) => Shown {
  return (job) => (job.status === status ? { ...job, status: name } : job);
}
