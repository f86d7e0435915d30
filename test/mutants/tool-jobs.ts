import { mutantPerValue, wrapTool } from "./family.js";
import { changeWorkflow } from "./helpers/jobs.js";
import { getRow } from "./helpers/observations.js";
import {
  addForbiddenTool,
  createRefusingToolMutant,
  inventArguments,
  listOtherRows,
  performOtherCall,
  repeatEarlierResult,
  reportOtherResult,
} from "./helpers/tools.js";
import { type Mutant, type Shown, withArguments, withRows } from "./mutant.js";

/** Mutants that break a clause of MCP-TOOL-EXPLAIN-*, MCP-TOOL-JOBS-*, MCP-TOOL-NOCANCEL-*, MCP-TOOL-RECENT-*, MCP-TOOL-RETRY-*, MCP-TOOL-STATUS-* or MCP-TOOL-SUBMIT-*. */
export const toolJobsMutants: Mutant[] = [
  ...[
    ["audit", "standard_audit"],
    ["standard_audit", "audit"],
  ].map(([workflow, other]) =>
    performOtherCall(
      `starts ${other} for ${workflow} by the tool instead of the submitted workflow`,
      "MCP-TOOL-SUBMIT",
      "submit_job",
      (_, call) => (call.arguments.workflow === workflow ? withArguments(call, { ...call.arguments, workflow: other }) : call),
    ),
  ),
  ...mutantPerValue("MCP-TOOL-STATUS", "job status", "finds no job by the tool that is * instead of showing it", {
    mcp: (status) =>
      wrapTool("job_status", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        return performTool(world, isMeant ? { ...call, arguments: { job_id: "none" } } : call);
      }),
  }),
  ...mutantPerValue(
    "MCP-TOOL-JOBS-FILTER",
    "job status",
    "ignores the tool's filter for jobs that are * instead of applying it",
    {
      mcp: (status) =>
        wrapTool("list_jobs", (world, call, performTool) => {
          const { status: asked, ...rest } = call.arguments;
          return performTool(world, asked === status ? { ...call, arguments: rest } : call);
        }),
    },
  ),
  ...mutantPerValue(
    "MCP-TOOL-JOBS-FILTER",
    "job status",
    "refuses the tool's filter for jobs that are * instead of applying it",
    {
      mcp: (status) =>
        wrapTool("list_jobs", (world, call, performTool) =>
          performTool(world, call.arguments.status === status ? { ...call, arguments: { status: "none" } } : call),
        ),
    },
  ),
  ...mutantPerValue("MCP-TOOL-RETRY", "retryable status", "refuses to retry by the tool a job that is * instead of retrying it", {
    mcp: (status) =>
      wrapTool("retry_job", (world, call, performTool) => {
        const isMeant = world.jobs[String(call.arguments.job_id)]?.status === status;
        return performTool(world, isMeant ? { ...call, arguments: { job_id: "none" } } : call);
      }),
  }),
  ...mutantPerValue("MCP-TOOL-SUBMIT", "submitted workflow", "refuses to submit * by the tool instead of submitting it", {
    mcp: (workflow) =>
      wrapTool("submit_job", (world, call, performTool) =>
        performTool(
          world,
          call.arguments.workflow === workflow ? { ...call, arguments: { ...call.arguments, repo: "none" } } : call,
        ),
      ),
  }),
  ...mutantPerValue("MCP-TOOL-SUBMIT", "submitted workflow", "submits by the tool another workflow than * instead of that one", {
    mcp: (workflow) =>
      wrapTool("submit_job", (world, call, performTool) => {
        const response = performTool(world, call);
        if (call.arguments.workflow === workflow) changeWorkflow(world, { ...response, status: 201 }, workflow);
        return response;
      }),
  }),
  repeatEarlierResult(
    "repeats the first explanation of an observation instead of its current state",
    "MCP-TOOL-EXPLAIN",
    "explain_observation",
  ),
  repeatEarlierResult(
    "repeats the first list of recent issues of a file instead of the current one",
    "MCP-TOOL-RECENT",
    "recent_issues",
  ),
  listOtherRows("leaves fixes out of the tool's jobs instead of listing them", "MCP-TOOL-JOBS", "list_jobs", (rows) =>
    rows.filter(({ workflow }) => workflow !== "fix"),
  ),
  listOtherRows("leaves discoveries out of the tool's jobs instead of listing them", "MCP-TOOL-JOBS", "list_jobs", (rows) =>
    rows.filter(({ workflow }) => workflow !== "discover"),
  ),
  listOtherRows(
    "leaves retries out of the tool's jobs instead of listing them",
    "MCP-TOOL-JOBS",
    "list_jobs",
    (rows, _call, { jobs }) => rows.filter(({ id }) => !jobs[String(id)]?.retry_of),
  ),
  createRefusingToolMutant("answers no list of recent issues instead of one", "MCP-TOOL-RECENT", "recent_issues"),
  reportOtherResult(
    "lists no recent issues for any file instead of those of the file",
    "MCP-TOOL-RECENT",
    "recent_issues",
    () => ({
      issues: [],
    }),
  ),
  performOtherCall(
    "lists the issues of all files as recent issues of one instead of its own",
    "MCP-TOOL-RECENT",
    "recent_issues",
    (_, call) => {
      const { repo, branch } = call.arguments;
      return { ...withArguments(call, { repo: `${repo}@${branch}` }), purpose: "list_observations" };
    },
  ),
  reportOtherResult(
    "leaves out issues that another file shares instead of listing them",
    "MCP-TOOL-RECENT",
    "recent_issues",
    (body) => ({
      ...body,
      issues: (body as { issues: { locations: unknown[] }[] }).issues.filter(({ locations }) => locations.length === 1),
    }),
  ),
  createRefusingToolMutant("explains no observation instead of the named one", "MCP-TOOL-EXPLAIN", "explain_observation"),
  performOtherCall(
    "explains another observation instead of the named one",
    "MCP-TOOL-EXPLAIN",
    "explain_observation",
    (world, call) => {
      const observation = world.observations[String(call.arguments.ref)];
      const otherObservation = Object.values(world.observations).find(
        ({ repo, ref }) => repo === observation?.repo && ref !== observation.ref,
      );
      return otherObservation ? withArguments(call, { ref: otherObservation.ref }) : call;
    },
  ),
  inventArguments(
    "explains the first observation without a ref instead of refusing the call",
    "MCP-TOOL-EXPLAIN",
    "explain_observation",
    (world) => ({
      ref: Object.keys(world.observations)[0],
    }),
  ),
  reportOtherResult("shows every job as pending instead of its status", "MCP-TOOL-STATUS", "job_status", (job) => ({
    ...job,
    status: "pending",
  })),
  createRefusingToolMutant("lists no jobs by the tool instead of all", "MCP-TOOL-JOBS", "list_jobs"),
  listOtherRows(
    "leaves the newest job out of the tool's list instead of listing it",
    "MCP-TOOL-JOBS",
    "list_jobs",
    ([_, ...older]) => older,
  ),
  inventArguments("lists only pending jobs by the tool by default instead of all", "MCP-TOOL-JOBS-FILTER", "list_jobs", () => ({
    status: "pending",
  })),
  {
    name: "ignores the tool's filter for jobs beside a page size instead of applying it",
    breaks: "MCP-TOOL-JOBS-FILTER",
    ...wrapTool("list_jobs", (world, call, performTool) => {
      const { status: _, ...others } = call.arguments;
      return performTool(world, others.limit === undefined ? call : { ...call, arguments: others });
    }),
  },
  createRefusingToolMutant(
    "requires a status to list jobs by the tool instead of leaving it optional",
    "MCP-TOOL-JOBS-FILTER",
    "list_jobs",
    ({ status }) => status === undefined,
  ),
  addForbiddenTool("cancel_job", "MCP-TOOL-NOCANCEL"),
  addForbiddenTool("abort_job", "MCP-TOOL-NOCANCEL"),
  createRefusingToolMutant("retries no job by the tool instead of the named one", "MCP-TOOL-RETRY", "retry_job"),
  performOtherCall(
    "answers that a job is retried by the tool and starts none instead of one",
    "MCP-TOOL-RETRY",
    "retry_job",
    (_, call) => ({
      ...call,
      purpose: "job_status",
    }),
  ),
  {
    name: "lists the oldest jobs first by the tool instead of the newest",
    breaks: "MCP-TOOL-JOBS-ORDER",
    aroundTool(world, call, performTool) {
      const response = performTool(world, call);
      const { data } = response.body as { data?: unknown[] };
      return call.purpose === "list_jobs" && data
        ? { ...response, body: { ...(response.body as object), data: data.toReversed() } }
        : response;
    },
  },
  {
    name: "refuses to explain a closed observation instead of explaining it",
    breaks: "MCP-TOOL-EXPLAIN",
    ...wrapTool("explain_observation", (world, call, performTool) =>
      performTool(
        world,
        getRow(world, call.arguments.ref)?.status === "closed" ? { ...call, arguments: { ref: "SERVICE-0" } } : call,
      ),
    ),
  },
  {
    name: "lists jobs of one status by the tool oldest first instead of newest first",
    breaks: "MCP-TOOL-JOBS-ORDER",
    ...wrapTool("list_jobs", (world, call, performTool) => {
      const response = performTool(world, call);
      return call.arguments.status ? withRows<Shown>(response, (rows) => rows.toReversed()) : response;
    }),
  },
  {
    name: "lists a retry by the tool as the oldest job instead of the newest",
    breaks: "MCP-TOOL-JOBS-ORDER",
    ...wrapTool("list_jobs", (world, call, performTool) =>
      withRows<Shown>(performTool(world, call), (rows) => {
        const isRetry = ({ id }: Shown) => Boolean(world.jobs[String(id)]?.retry_of);
        return [...rows.filter((row) => !isRetry(row)), ...rows.filter(isRetry)];
      }),
    ),
  },
];
