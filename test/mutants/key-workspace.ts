import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import { showJobFields } from "../../src/service/jobs/jobs.js";
import { showObservation } from "../../src/service/observations/observations.js";
import { showRepo } from "../../src/service/repositories/repos.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Workspace, World } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { jobById } from "./helpers/jobs.js";
import { registerRoute, submitRoute } from "./helpers/routes.js";
import { aroundTools, reportOtherResult } from "./helpers/tools.js";
import {
  type AroundTool,
  changeResponses,
  getBody,
  getKey,
  getRepo,
  type Mutant,
  param,
  type Shown,
  type WrapCall,
  withResponse,
  withRows,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

type Names = (name: string) => string;

/** Mutants that break a clause of KEY-WORKSPACE-*. */
export const keyWorkspaceMutants: Mutant[] = [
  reportOtherResult(
    "includes the runs of other workspaces in the tool's forecast instead of its own alone",
    "KEY-WORKSPACE",
    "forecast",
    (body, _, world, call) => {
      const own = call.caller.workspace.id;
      const runs = Object.values(world.jobs).filter((job) => job.workspace !== own && job.status === "completed");
      return { ...body, sample_size: Number(body.sample_size) + runs.length };
    },
  ),
  aroundTools(
    "changes a setting for every workspace instead of its own",
    "KEY-WORKSPACE",
    ["set_guidance", "set_workspace_context"],
    (world, call, performTool) => performTool(world, inFirstWorkspace(call, Object.values(world.workspaces)[0]!)),
  ),
  ...mutantPerValue(
    "KEY-WORKSPACE",
    "operation within a workspace",
    "changes a row of another workspace by * instead of answering 404",
    {
      rest: (route) => wrapRoute(route, reachOtherWorkspace),
      mcp: (tool) => wrapTool(tool, reachOtherWorkspaceByTool),
    },
  ),
  ...mutantPerValue(
    "KEY-WORKSPACE-GET",
    "read operation of a workspace",
    "shows a row of another workspace by * instead of answering 404",
    {
      rest: (route) => wrapRoute(route, reachOtherWorkspace),
      mcp: (tool) => wrapTool(tool, reachOtherWorkspaceByTool),
    },
  ),
  ...mutantPerValue(
    "KEY-WORKSPACE-GET",
    "read operation of a workspace",
    "answers 403 to a row of another workspace by * instead of 404",
    {
      rest: (route) =>
        changeResponses(route, (response, world, call) =>
          response.status === 404 && getOwner(world, namesIn(call)) ? { ...response, status: 403 } : response,
        ),
    },
  ),
  ...mutantPerValue("KEY-WORKSPACE-LIST", "list operation", "lists the rows of every workspace by * instead of its own", {
    rest: (route) =>
      changeResponses(route, (response, world) => withRows<Shown>(response, (rows) => [...rows, ...getRows(world, route)])),
    mcp: (tool) =>
      wrapTool(tool, (world, call, performTool) =>
        withRows<Shown>(performTool(world, call), (rows) => [...rows, ...getRows(world, tool)]),
      ),
  }),
  ...mutantPerValue("KEY-WORKSPACE", "workspace memory", "treats a row of another workspace as its own instead of unknown: *", {
    rest: (what) => mixWorkspaces(what),
  }),
  {
    name: "requests a fix by a job of another workspace instead of refusing it",
    breaks: "KEY-WORKSPACE",
    ...wrapTool("request_fix", (world, call, performTool) => {
      const observation = world.observations[String(call.arguments.ref)];
      const { repo = "", workspace = "" } = observation ?? {};
      return withTemporaryFields(jobById(world, String(call.arguments.job_id)), { repo, workspace }, () =>
        performTool(world, call),
      );
    }),
  },
  {
    name: "lists jobs of one status by the tool for every workspace instead of its own",
    breaks: "KEY-WORKSPACE-LIST",
    ...wrapTool("list_jobs", (world, call, performTool) => {
      const response = performTool(world, call);
      const otherJobs = Object.values(world.jobs).filter(
        ({ workspace, status }) => workspace !== call.caller.workspace.id && status === call.arguments.status,
      );
      return withRows<Shown>(response, (rows) => [
        ...rows,
        ...otherJobs.map(({ id, workflow, repo_name }) => ({ id, workflow, repo_name })),
      ]);
    }),
  },
  {
    name: "finds rows of another workspace by the tool instead of its own alone",
    breaks: "KEY-WORKSPACE-LIST",
    ...wrapTool("list_observations", (world, call, performTool) => {
      const { search } = call.arguments;
      const otherObservations = Object.values(world.observations).filter(
        ({ workspace, title }) => workspace !== call.caller.workspace.id && title.includes(String(search)),
      );
      return withRows<Shown>(performTool(world, call), (rows) => [
        ...rows,
        ...otherObservations.map(({ ref, title }) => ({ ref, title })),
      ]);
    }),
  },
];

function inFirstWorkspace(call: IncomingToolCall, workspace: Workspace): IncomingToolCall {
  return { ...call, caller: { ...call.caller, workspace } };
}

/** Answers a call with a key of the workspace that contains the named resource. */
function reachOtherWorkspace(...[world, call, perform]: Parameters<WrapCall>): ServiceResponse {
  const workspace = getRepo(world, call) ? undefined : getOwner(world, namesIn(call));
  return withTemporaryFields(workspace === undefined ? undefined : getKey(world, call), { workspace: workspace! }, () =>
    perform(world, call),
  );
}

function reachOtherWorkspaceByTool(...[world, call, performTool]: Parameters<AroundTool>): ReturnType<AroundTool> {
  const { arguments: given, caller } = call;
  const names: Names = (name) => String(given[name] ?? "");
  const isOwn = Object.values(world.repos).some((row) => row.workspace === caller.workspace.id && isNamed(row, names));
  const workspace = world.workspaces[isOwn ? "" : (getOwner(world, names) ?? "")];
  return performTool(world, workspace ? { ...call, caller: { ...caller, workspace } } : call);
}

function namesIn(call: IncomingCall): Names {
  return (name) => param(call, name);
}

/** The workspace that holds the job, the observation or else the repository of these names. */
function getOwner(world: World, names: Names): string | undefined {
  const row = world.jobs[names("job_id")] ?? world.observations[names("ref")];
  return (row ?? Object.values(world.repos).find((repo) => isNamed(repo, names)))?.workspace;
}

function isNamed(repo: World["repos"][string], names: Names): boolean {
  return !repo.deleted_at && (["owner", "repo", "branch"] as const).every((part) => repo[part] === names(part));
}

/** The rows of every workspace that an operation lists. */
function getRows({ jobs, observations, repos }: World, operation: string): Shown[] {
  if (/jobs$/.test(operation)) return Object.values(jobs).map(showJobFields);
  if (/observations$/.test(operation))
    return Object.values(observations).map((row) => showObservation(row, repos[row.repo]!, { locations: false }));
  return Object.values(repos).map(showRepo);
}

/** Mixes the data of two workspaces. */
function mixWorkspaces(what: string): WrapCall {
  if (what === "registered triple") {
    return changeResponses(registerRoute, (response, world, call) => {
      const names: Names = (name) => String(getBody(call)[name] ?? "");
      const own = getKey(world, call)?.workspace;
      const isElsewhere = Object.values(world.repos).some((row) => row.workspace !== own && isNamed(row, names));
      return response.status === 201 && isElsewhere ? { ...response, status: 409 } : response;
    });
  }
  if (what === "completed run") {
    return changeResponses("GET /api/forecasts/lookup", (response, world, call) => {
      const own = getKey(world, call)?.workspace;
      const runs = Object.values(world.jobs).filter((job) => job.workspace !== own && job.status === "completed");
      const { sample_size = 0 } = (response.body ?? {}) as { sample_size?: number };
      return response.status === 200 ? withResponse(response, { sample_size: sample_size + runs.length }) : response;
    });
  }
  return changeResponses(submitRoute, (response, world, call) => {
    const { workflow, params = {} } = getBody(call);
    const own = getKey(world, call)?.workspace;
    const [seen] = Object.entries(world.submissions).filter(
      ([key]) => key.endsWith(` ${call.idempotencyKey}`) && !key.startsWith(`${own} `),
    );
    const alike = Object.values(world.jobs).filter(
      (job) =>
        job.workspace !== own &&
        job.finished_at === null &&
        job.workflow === workflow &&
        JSON.stringify(job.params) === JSON.stringify(params),
    );
    const twin = alike.find(({ repo }) => isNamed(world.repos[repo]!, namesIn(call)));
    const otherJob = what === "Idempotency-Key" ? world.jobs[seen?.[1].job ?? ""] : twin;
    return response.status === 201 && otherJob ? { ...response, status: 200, body: showJobFields(otherJob) } : response;
  });
}
