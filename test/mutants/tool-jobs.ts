import { each, onTool } from "./family.js";
import { turned } from "./helpers/jobs.js";
import { rowOf } from "./helpers/observations.js";
import { filling, having, instead, listing, refusingCalls, remembering, saying } from "./helpers/tools.js";
import { type Mutant, type Shown, withArguments, withRows } from "./mutant.js";

/** Mutants that break a clause of MCP-TOOL-EXPLAIN-*, MCP-TOOL-JOBS-*, MCP-TOOL-NOCANCEL-*, MCP-TOOL-RECENT-*, MCP-TOOL-RETRY-*, MCP-TOOL-STATUS-* or MCP-TOOL-SUBMIT-*. */
export const toolJobsMutants: Mutant[] = [
  ...[
    ["audit", "standard_audit"],
    ["standard_audit", "audit"],
  ].map(([workflow, other]) =>
    instead(`starts ${other} where the tool submits ${workflow}`, "MCP-TOOL-SUBMIT", "submit_job", (_, call) =>
      call.arguments.workflow === workflow ? withArguments(call, { ...call.arguments, workflow: other }) : call,
    ),
  ),
  ...each("MCP-TOOL-STATUS", "job status", "does not find a job by tool that is *", {
    mcp: (status) =>
      onTool("job_status", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        return performTool(world, isMeant ? { ...call, arguments: { job_id: "none" } } : call);
      }),
  }),
  ...each("MCP-TOOL-JOBS-FILTER", "job status", "does not filter by tool the jobs that are *", {
    mcp: (status) =>
      onTool("list_jobs", (world, call, performTool) => {
        const { status: asked, ...rest } = call.arguments;
        return performTool(world, asked === status ? { ...call, arguments: rest } : call);
      }),
  }),
  ...each("MCP-TOOL-JOBS-FILTER", "job status", "refuses to filter by tool the jobs that are *", {
    mcp: (status) =>
      onTool("list_jobs", (world, call, performTool) =>
        performTool(world, call.arguments.status === status ? { ...call, arguments: { status: "none" } } : call),
      ),
  }),
  ...each("MCP-TOOL-RETRY", "retryable status", "retries by tool no job that is *", {
    mcp: (status) =>
      onTool("retry_job", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        return performTool(world, isMeant ? { ...call, arguments: { job_id: "none" } } : call);
      }),
  }),
  ...each("MCP-TOOL-SUBMIT", "submitted workflow", "submits no * by tool", {
    mcp: (workflow) =>
      onTool("submit_job", (world, call, performTool) =>
        performTool(
          world,
          call.arguments.workflow === workflow ? { ...call, arguments: { ...call.arguments, repo: "none" } } : call,
        ),
      ),
  }),
  ...each("MCP-TOOL-SUBMIT", "submitted workflow", "submits by tool something else than *", {
    mcp: (workflow) =>
      onTool("submit_job", (world, call, performTool) => {
        const reply = performTool(world, call);
        if (call.arguments.workflow === workflow) turned(world, { ...reply, status: 201 }, workflow);
        return reply;
      }),
  }),
  remembering("explains an observation as it did before", "MCP-TOOL-EXPLAIN", "explain_observation"),
  remembering("gives the recent issues of a file as it did before", "MCP-TOOL-RECENT", "recent_issues"),
  listing("lists no fixes by the tool", "MCP-TOOL-JOBS", "list_jobs", (rows) =>
    rows.filter(({ workflow }) => workflow !== "fix"),
  ),
  listing("lists no discoveries by the tool", "MCP-TOOL-JOBS", "list_jobs", (rows) =>
    rows.filter(({ workflow }) => workflow !== "discover"),
  ),
  listing("lists no retries by the tool", "MCP-TOOL-JOBS", "list_jobs", (rows, _call, { jobs }) =>
    rows.filter(({ id }) => !jobs[String(id)]?.retry_of),
  ),
  refusingCalls("gives no recent issues of a file", "MCP-TOOL-RECENT", "recent_issues"),
  saying("has no recent issues for any file", "MCP-TOOL-RECENT", "recent_issues", () => ({ issues: [] })),
  instead("gives the issues of all files for the recent ones of one", "MCP-TOOL-RECENT", "recent_issues", (_, call) => {
    const { repo, branch } = call.arguments;
    return { ...withArguments(call, { repo: `${repo}@${branch}` }), purpose: "list_observations" };
  }),
  saying("gives no issue of a file that is in another file too", "MCP-TOOL-RECENT", "recent_issues", (body) => ({
    ...body,
    issues: (body as { issues: { locations: unknown[] }[] }).issues.filter(({ locations }) => locations.length === 1),
  })),
  refusingCalls("explains no observation", "MCP-TOOL-EXPLAIN", "explain_observation"),
  instead("explains another observation than it was asked about", "MCP-TOOL-EXPLAIN", "explain_observation", (world, call) => {
    const asked = world.observations[String(call.arguments.ref)];
    const other = Object.values(world.observations).find(({ repo, ref }) => repo === asked?.repo && ref !== asked.ref);
    return other ? withArguments(call, { ref: other.ref }) : call;
  }),
  filling("explains the first observation where none is named", "MCP-TOOL-EXPLAIN", "explain_observation", (world) => ({
    ref: Object.keys(world.observations)[0],
  })),
  saying("says pending of every job", "MCP-TOOL-STATUS", "job_status", (job) => ({ ...job, status: "pending" })),
  refusingCalls("lists no jobs by the tool", "MCP-TOOL-JOBS", "list_jobs"),
  listing("leaves the newest job out of the tool's list", "MCP-TOOL-JOBS", "list_jobs", ([_, ...older]) => older),
  filling("lists only pending jobs by the tool unless asked for others", "MCP-TOOL-JOBS-FILTER", "list_jobs", () => ({
    status: "pending",
  })),
  refusingCalls("wants a status to list jobs by", "MCP-TOOL-JOBS-FILTER", "list_jobs", ({ status }) => status === undefined),
  having("cancel_job", "MCP-TOOL-NOCANCEL"),
  having("abort_job", "MCP-TOOL-NOCANCEL"),
  refusingCalls("retries no job by the tool", "MCP-TOOL-RETRY", "retry_job"),
  instead("says that a job is retried by the tool and starts none", "MCP-TOOL-RETRY", "retry_job", (_, call) => ({
    ...call,
    purpose: "job_status",
  })),
  {
    name: "submits an audit where no workflow is named",
    breaks: "MCP-TOOL-SUBMIT",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "submit_job" ? withArguments(call, { workflow: "audit", ...call.arguments }) : call),
  },
  {
    name: "lists the oldest jobs first",
    breaks: "MCP-TOOL-JOBS-ORDER",
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const { data } = reply.body as { data?: unknown[] };
      return call.purpose === "list_jobs" && data
        ? { ...reply, body: { ...(reply.body as object), data: data.toReversed() } }
        : reply;
    },
  },
  {
    name: "explains nothing that is closed",
    breaks: "MCP-TOOL-EXPLAIN",
    ...onTool("explain_observation", (world, call, performTool) =>
      performTool(
        world,
        rowOf(world, call.arguments.ref)?.status === "closed" ? { ...call, arguments: { ref: "SERVICE-0" } } : call,
      ),
    ),
  },
  {
    name: "lists jobs of one status by the tool with the oldest first",
    breaks: "MCP-TOOL-JOBS-ORDER",
    ...onTool("list_jobs", (world, call, performTool) => {
      const reply = performTool(world, call);
      return call.arguments.status ? withRows<Shown>(reply, (rows) => rows.toReversed()) : reply;
    }),
  },
  {
    name: "lists what retries a job by the tool as the oldest",
    breaks: "MCP-TOOL-JOBS-ORDER",
    ...onTool("list_jobs", (world, call, performTool) =>
      withRows<Shown>(performTool(world, call), (rows) => {
        const isRetry = ({ id }: Shown) => Boolean(world.jobs[String(id)]?.retry_of);
        return [...rows.filter((row) => !isRetry(row)), ...rows.filter(isRetry)];
      }),
    ),
  },
];
