import { contract } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import type { Job, World } from "../../src/service/world/world.js";
import { changeMatchingResponses, changeRowsOnBothSurfaces, getValues, mutantPerValue } from "./family.js";
import { hasSlugForm } from "./helpers/observations.js";
import { changeWireResponse, replaceFieldValue } from "./helpers/responses.js";
import { jobRoute, retryRoute, submitRoute } from "./helpers/routes.js";
import {
  changeResponses,
  changeShownRows,
  changeToolRows,
  getChangeRows,
  getRoute,
  type Mutant,
  type Shown,
  type WrapCall,
  withArguments,
  withResponse,
} from "./mutant.js";
import type { RelayedRequest } from "./wire.js";

/** Mutants that break a clause of JOB-FIELD-*. */
export const jobFieldsMutants: Mutant[] = [
  ...mutantPerValue(
    "JOB-FIELD-REPO-NAME",
    "branch form",
    "shortens the name of a branch with * instead of showing it in full",
    (form) =>
      changeMatchingResponses(
        ({ status }) => status < 300,
        (response) => ({ ...response, body: shortenBranch(response.body as Shown, form) }),
      ),
  ),
  ...[submitRoute, retryRoute].flatMap((route): Mutant[] => [
    {
      name: `answers ${route} without the job's id instead of with it`,
      breaks: "JOB-FIELD-TYPES",
      around: changeShownRows(route, omitField("id")),
    },
    {
      name: `answers ${route} without a status instead of with it`,
      breaks: "JOB-FIELD-STATUS",
      around: changeShownRows(route, omitField("status")),
    },
    {
      name: `answers ${route} without a slug instead of with it`,
      breaks: "JOB-FIELD-REPO-NAME",
      around: changeShownRows(route, omitField("repo_name")),
    },
  ]),
  ...["pending", "running", "completed", "failed", "cancelled"].map((status) =>
    changeWireResponse(
      `shows an unknown status for ${status} jobs instead of the stated one`,
      "JOB-FIELD-STATUS",
      isJobs,
      replaceFieldValue("status", status, `${status}!`),
    ),
  ),
  ...mutantPerValue(
    "JOB-FIELD-MCP-DETAIL",
    "finished status",
    "reports a job that is * by the tool without times instead of with them",
    {
      mcp: (status) => ({
        aroundTool: changeToolRows("job_status", (job) =>
          job.status === status ? Object.fromEntries(Object.entries(job).filter(([name]) => !name.endsWith("_at"))) : job,
        ),
      }),
    },
  ),
  ...["pending", "running", "completed", "failed", "cancelled"].flatMap((status): Mutant[] => [
    onStatus(
      `shows another status of ${status} jobs by the tool instead of their own`,
      "JOB-FIELD-MCP-BASE",
      "job_status",
      status,
    ),
    {
      name: `lists no ${status} jobs when the tool asks for them instead of all of them`,
      breaks: "MCP-TOOL-JOBS-FILTER",
      aroundTool: (world, call, performTool) =>
        performTool(
          world,
          call.purpose === "list_jobs" && call.arguments.status === status
            ? withArguments(call, { status: status === "failed" ? "completed" : "failed" })
            : call,
        ),
    },
  ]),
  ...mutantPerValue(
    "JOB-FIELD-TYPES",
    "job answer",
    "answers jobs without their workflow on * instead of with it",
    changeRowsOnBothSurfaces(({ workflow: _, ...job }) => job),
  ),
  ...mutantPerValue(
    "JOB-FIELD-TYPES",
    "job answer",
    "answers the ids of jobs as numbers on * instead of strings",
    changeRowsOnBothSurfaces((job) => ({ ...job, id: 7 })),
  ),
  ...mutantPerValue(
    "JOB-FIELD-STATUS",
    "job answer",
    "answers jobs without their status on * instead of with it",
    changeRowsOnBothSurfaces(({ status: _, ...job }) => job),
  ),
  ...mutantPerValue(
    "JOB-FIELD-STATUS",
    "job status",
    "shows an unknown status for a job that is * instead of the stated one",
    (status) => wherever(renameStatus(status, `${status}_job`)),
  ),
  ...mutantPerValue(
    "JOB-FIELD-REPO-NAME",
    "job answer",
    "names repositories without their branch on * instead of with it",
    changeRowsOnBothSurfaces((job) => ({ ...job, repo_name: String(job.repo_name).replace(/@.*/, "") })),
  ),
  ...mutantPerValue(
    "JOB-FIELD-REPO-NAME",
    "job answer",
    "answers jobs without their repository on * instead of with it",
    changeRowsOnBothSurfaces(({ repo_name: _, ...job }) => job),
  ),
  ...["workflow", "repo_name", "id"].flatMap((field) =>
    mutantPerValue(
      "JOB-FIELD-MCP-BASE",
      "job status",
      `leaves ${field} out by the tool for a job that is * instead of showing it`,
      {
        mcp: (status) => ({
          aroundTool: changeToolRows("job_status", (job) => (job.status === status ? { ...job, [field]: null } : job)),
        }),
      },
    ),
  ),
  ...mutantPerValue(
    "JOB-FIELD-MCP-BASE",
    "job status",
    "shows another status by the tool for a job that is * instead of its own",
    {
      mcp: (status) => ({ aroundTool: changeToolRows("job_status", renameStatus(status, otherThan(status))) }),
    },
  ),
  {
    name: "shows the workflow of a job as an object instead of a string",
    breaks: "JOB-FIELD-TYPES",
    around: changeShownRows(jobRoute, ({ workflow, ...job }) => ({ ...job, workflow: { name: workflow } })),
  },
  {
    name: "names the repository of a job by its path instead of its slug",
    breaks: "JOB-FIELD-REPO-NAME",
    around: changeShownRows(jobRoute, (job, { jobs, repos }) => {
      const { owner, repo, branch } = repos[(jobs[String(job.id)] as Job).repo]!;
      return { ...job, repo_name: `${owner}/${repo}/${branch}` };
    }),
  },
  {
    name: "leaves the fix PR of a job out by the tool instead of showing it",
    breaks: "JOB-FIELD-MCP-PR",
    aroundTool: changeToolRows("job_status", (job) => ({ ...job, fix_pr_url: null })),
  },
  ...[submitRoute, retryRoute].map(
    (route): Mutant => ({
      name: `shows a running job as pending on ${route} instead of running`,
      breaks: "JOB-FIELD-STATUS",
      value: { surface: "rest", dimension: "job status", value: "running" },
      around: changeResponses(route, (response) =>
        response.status === 200 ? withResponse(response, { status: "pending" }) : response,
      ),
    }),
  ),
  {
    name: "leaves the fix PR out of a job that is a retry instead of showing it",
    breaks: "JOB-FIELD-MCP-PR",
    aroundTool: (world, call, performTool) => {
      const response = performTool(world, call);
      const isRetry = Boolean(world.jobs[String(call.arguments.job_id)]?.retry_of);
      return call.purpose === "job_status" && isRetry
        ? getChangeRows(response, (job) => ({ ...job, fix_pr_url: null }))
        : response;
    },
  },
];

/** A job, or a page of jobs, without the last letter of such a branch. */
function shortenBranch(shown: Shown, form: string): Shown {
  if (Array.isArray(shown?.data)) return { ...shown, data: shown.data.map((row: Shown) => shortenBranch(row, form)) };
  return hasSlugForm(form, shown?.repo_name) ? { ...shown, repo_name: String(shown.repo_name).slice(0, -1) } : shown;
}

function isApi({ path }: RelayedRequest): boolean {
  return path.startsWith("/api/");
}

function isJobs({ method, path }: RelayedRequest): boolean {
  return method === "GET" && /\/jobs\b/.test(path) && isApi({ path } as RelayedRequest);
}

function omitField(field: string): (shown: Shown) => Shown {
  return ({ [field]: _, ...shown }) => shown;
}

function onStatus(name: string, breaks: ClauseId, purpose: ToolPurpose, status: string): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const response = performTool(world, call);
      const body = response.body as { status?: string } | undefined;
      if (call.purpose !== purpose || response.status >= 400 || body?.status !== status) return response;
      return { ...response, body: { ...body, status: "under_way" } };
    },
  };
}

function otherThan(status: string): string {
  return contract.enums.JobStatus.find((one) => one !== status) ?? "";
}

function renameStatus(status: string, name: string): (job: Shown) => Shown {
  return (job) => (job.status === status ? { ...job, status: name } : job);
}

/** Changes jobs wherever REST shows them. */
function wherever(change: (job: Shown) => Shown): WrapCall {
  const routes = getValues("job answer", "rest");
  return (world, call, perform) => {
    const route = routes.find((one) => one === getRoute(call));
    return (route ? changeShownRows(route, change) : (w: World, c: IncomingCall) => perform(w, c))(world, call, perform);
  };
}
