import type { Step } from "../../../engine/scenario/format.js";
import { findJobTransition, inFlightStatuses, isInFlight, type JobStatus, jobStatuses } from "../../statements/jobs.js";
import { PAGE_LIMIT } from "../../statements/lists.js";
import { SPARE, SPARE_SLUG, SPARE_TRIPLE } from "../../statements/setup-steps.js";
import { findToolStatement } from "../../statements/tools.js";
import type { Assertion } from "../steps.js";

/** The expected jobs of one workflow: the status of the first job (null while there is none), and whether a retry of it is in flight. */
export interface JobState {
  status: JobStatus | null;
  retried: boolean;
}

/** No job yet. */
export const absentJob: JobState = { status: null, retried: false };

type JobAction = "submit" | "cancel" | "retry";

/** One workflow for each item, so that a list by workflow separates them. */
const WORKFLOWS = ["audit", "standard_audit"];
const IN_FLIGHT_PATTERN = `(${inFlightStatuses.join("|")})`;
/** The statuses of a job that no client cancelled. The duration of a run is open. */
const NOT_CANCELLED = `(${jobStatuses.filter((status) => status !== "cancelled").join("|")})`;

/** Returns the steps of a job action and the state after it; undefined where the result is open. */
export function createJobStep(
  act: JobAction,
  by: "rest" | "tool",
  item: number,
  { status, retried }: JobState,
): { steps: Step[]; job: JobState } | undefined {
  const line = findJobTransition(status, act);
  if (!line || retried) return undefined;
  const inFlight = { given: { status: 200, json: { status: { matches: `^${IN_FLIGHT_PATTERN}$` } } } };
  const before: Step[] = act === "cancel" ? [{ rest: `GET /api/jobs/{job${item}}`, ...inFlight }] : [];
  const job = { status: line.to, retried: line.newJob !== undefined };
  return { steps: [...before, createRequest(act, by, item)], job };
}

/** MCP-TOOL-NOCANCEL: only REST can cancel a job. */
function createRequest(act: JobAction, by: "rest" | "tool", item: number): Step {
  const workflow = WORKFLOWS[item];
  const job_id = `{job${item}}`;
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

/**
 * Returns the state of a job that both surfaces must show after an action. A server may delay a new job, or the end of a
 * cancelled one.
 */
export function createJobAssertions(item: number, { status, retried }: JobState, by: "rest" | "tool"): Assertion[] {
  if (status === null) return [];
  if (retried) return [retryListed(item, by)];
  return isInFlight(status) ? expectStarted(item, by) : expectEnded(item, status);
}

const SHORT_WAIT = { within: "20s", every: "2s" };

function expectStarted(item: number, by: "rest" | "tool"): Assertion[] {
  const workflow = WORKFLOWS[item] ?? "";
  const only = [{ workflow, repo_name: SPARE_SLUG, status: { matches: `^${NOT_CANCELLED}$` } }];
  return [
    {
      step: {
        ...createListJobsStep(workflow),
        expect: { status: 200, json: { data: only } },
        save: { [`job${item}`]: "/data/0/id" },
      },
      clauses: [by === "tool" ? findToolStatement("submit_job").clause : "JOB-GET-ROUTE"],
      why: "REST does not list the submitted job",
    },
    expectShownByTool(item, { contains: `{job${item}}` }, "the tool does not show the job"),
    expectShownByTool(item, { matches: `\\b${NOT_CANCELLED}\\b` }, "the tool does not show the status of the job"),
    expectShownByTool(item, { contains: workflow }, "the tool does not show the workflow of the job"),
  ];
}

function expectEnded(item: number, status: JobStatus): Assertion[] {
  return [
    {
      step: { rest: `GET /api/jobs/{job${item}}`, until: SHORT_WAIT, expect: { status: 200, json: { status } } },
      clauses: ["JOB-CANCEL-PENDING"],
      why: `REST does not show the job as ${status}`,
    },
    expectShownByTool(item, { contains: status }, `the tool does not show the job as ${status}`),
  ];
}

function retryListed(item: number, by: "rest" | "tool"): Assertion {
  const workflow = WORKFLOWS[item] ?? "";
  const child = { workflow, id: { not: `{job${item}}` }, status: { matches: `^${NOT_CANCELLED}$` } };
  return {
    step: { ...createListJobsStep(workflow), expect: { status: 200, json: { data: { length: 2, contains: child } } } },
    clauses: [by === "tool" ? findToolStatement("retry_job").clause : "JOB-GET-ROUTE"],
    why: "REST does not list the retry together with its parent",
  };
}

function createListJobsStep(workflow: string): Step {
  return { rest: `GET /api/repos/${SPARE}/jobs`, query: { workflow, limit: PAGE_LIMIT }, until: SHORT_WAIT };
}

function expectShownByTool(item: number, content: unknown, why: string): Assertion {
  return {
    step: { mcp: { tool: "job_status", arguments: { job_id: `{job${item}}` } }, until: SHORT_WAIT, expect: { content } },
    clauses: [findToolStatement("job_status").clause, "JOB-FIELD-MCP-BASE"],
    why,
  };
}
