import type { Step } from "../../engine/scenario/format.js";
import { inFlightStatuses, isInFlight, type JobStatus, jobTransition } from "../statements/jobs.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import { SPARE, SPARE_SLUG, SPARE_TRIPLE } from "../statements/setup-steps.js";
import { toolStatement } from "../statements/tools.js";
import type { Assertion } from "./assertion.js";

/** What must be seen of the jobs of one workflow: the first one's status, none while there is no job, and whether a retry is under way beside it. */
export interface JobState {
  status: JobStatus | null;
  retried: boolean;
}

/** No job yet. */
export const noJob: JobState = { status: null, retried: false };

type Act = "submit" | "cancel" | "retry";

/** One workflow a thing, so that a list by workflow tells them apart. */
const WORKFLOWS = ["audit", "standard_audit"];
const IN_FLIGHT = `(${inFlightStatuses.join("|")})`;

/** The request of a change of a job and what then is; undefined where it would say nothing. */
export function jobAction(
  act: Act,
  by: "rest" | "tool",
  thing: number,
  { status, retried }: JobState,
): { step: Step; job: JobState } | undefined {
  const line = jobTransition(status, act);
  if (!line || retried) return undefined;
  return { step: requestOf(act, by, thing), job: { status: line.to, retried: line.newJob !== undefined } };
}

/** MCP-TOOL-NOCANCEL: cancelling is REST only. */
function requestOf(act: Act, by: "rest" | "tool", thing: number): Step {
  const workflow = WORKFLOWS[thing];
  const job_id = `{job${thing}}`;
  switch (act) {
    case "submit":
      return by === "rest"
        ? { rest: `POST /api/repos/${SPARE}/jobs`, json: { workflow, params: {} } }
        : { mcp: { tool: "submit_job", arguments: { ...SPARE_TRIPLE, workflow } } };
    case "cancel":
      return { rest: `POST /api/jobs/${job_id}/cancel` };
    case "retry":
      return by === "rest"
        ? { rest: `POST /api/jobs/${job_id}/retry`, json: {} }
        : { mcp: { tool: "retry_job", arguments: { job_id } } };
    default:
      return act satisfies never;
  }
}

/** What both surfaces must show of a job after a change. A server may take a while to show a new job, or to end a cancelled one. */
export function jobAssertions(thing: number, { status, retried }: JobState, by: "rest" | "tool"): Assertion[] {
  if (status === null) return [];
  if (retried) return [retryListed(thing, by)];
  return isInFlight(status) ? started(thing, by) : ended(thing, status);
}

const SOON = { within: "20s", every: "2s" };

function started(thing: number, by: "rest" | "tool"): Assertion[] {
  const workflow = WORKFLOWS[thing] ?? "";
  const only = [{ workflow, repo_name: SPARE_SLUG, status: { matches: `^${IN_FLIGHT}$` } }];
  return [
    {
      step: { ...listOf(workflow), expect: { status: 200, json: { data: only } }, save: { [`job${thing}`]: "/data/0/id" } },
      clauses: [by === "tool" ? toolStatement("submit_job").clause : "JOB-GET-ROUTE"],
      why: "the job that was submitted is not listed by REST",
    },
    shownByTool(thing, { contains: `{job${thing}}` }, "the tool does not show the job"),
    shownByTool(thing, { matches: `\\b${IN_FLIGHT}\\b` }, "the tool does not show the status of the job"),
    shownByTool(thing, { contains: workflow }, "the tool does not show the workflow of the job"),
  ];
}

function ended(thing: number, status: JobStatus): Assertion[] {
  return [
    {
      step: { rest: `GET /api/jobs/{job${thing}}`, until: SOON, expect: { status: 200, json: { status } } },
      clauses: ["JOB-CANCEL-PENDING"],
      why: `REST does not show the job as ${status}`,
    },
    shownByTool(thing, { contains: status }, `the tool does not show the job as ${status}`),
  ];
}

function retryListed(thing: number, by: "rest" | "tool"): Assertion {
  const workflow = WORKFLOWS[thing] ?? "";
  const child = { workflow, id: { not: `{job${thing}}` }, status: { matches: `^${IN_FLIGHT}$` } };
  return {
    step: { ...listOf(workflow), expect: { status: 200, json: { data: { length: 2, contains: child } } } },
    clauses: [by === "tool" ? toolStatement("retry_job").clause : "JOB-GET-ROUTE"],
    why: "the retry is not listed by REST beside its parent",
  };
}

function listOf(workflow: string): Step {
  return { rest: `GET /api/repos/${SPARE}/jobs`, query: { workflow, limit: PAGE_LIMIT }, until: SOON };
}

function shownByTool(thing: number, content: unknown, why: string): Assertion {
  return {
    step: { mcp: { tool: "job_status", arguments: { job_id: `{job${thing}}` } }, until: SOON, expect: { content } },
    clauses: [toolStatement("job_status").clause, "JOB-FIELD-MCP-BASE"],
    why,
  };
}
