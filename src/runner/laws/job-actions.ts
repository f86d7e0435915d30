import type { Step } from "../scenario/format.js";
import type { Claim } from "./check.js";
import { SPARE, SPARE_SLUG } from "./set-up.js";

/** What must be seen of the jobs of one workflow: none, one under way, one cancelled, or a retry under way beside its parent. */
export interface JobState {
  status: "none" | "started" | "cancelled" | "retried";
}

type Act = "submit" | "cancel" | "retry";

/** One workflow a thing, so that a list by workflow tells them apart. */
const WORKFLOWS = ["audit", "standard_audit"];
const IN_FLIGHT = "(pending|running)";

/** The request of a change of a job and what then is; undefined where it would say nothing. Cancelling is REST only. */
export function jobAction(
  act: Act,
  by: "rest" | "tool",
  thing: number,
  { status }: JobState,
): { step: Step; job: JobState } | undefined {
  const workflow = WORKFLOWS[thing];
  const job_id = `{job${thing}}`;
  if (act === "submit" && status === "none") {
    const place = { owner: "{binding.spare.owner}", repo: "{binding.spare.repo}", branch: "{binding.spare.branch}" };
    const step: Step =
      by === "rest"
        ? { rest: `POST /api/repos/${SPARE}/jobs`, json: { workflow, params: {} } }
        : { mcp: { tool: "submit_job", arguments: { ...place, workflow } } };
    return { step, job: { status: "started" } };
  }
  if (act === "cancel" && status === "started")
    return { step: { rest: `POST /api/jobs/${job_id}/cancel` }, job: { status: "cancelled" } };
  if (act === "retry" && status === "cancelled") {
    const step: Step =
      by === "rest"
        ? { rest: `POST /api/jobs/${job_id}/retry`, json: {} }
        : { mcp: { tool: "retry_job", arguments: { job_id } } };
    return { step, job: { status: "retried" } };
  }
  return undefined;
}

/** What both surfaces must show of a job after a change. A server may take a while to show a new job, or to end a cancelled one. */
export function jobClaims(thing: number, { status }: JobState, by: "rest" | "tool"): Claim[] {
  const workflow = WORKFLOWS[thing] ?? "";
  const id = `{job${thing}}`;
  const soon = { within: "20s", every: "2s" };
  const list: Step = { rest: `GET /api/repos/${SPARE}/jobs`, query: { workflow, limit: 200 }, until: soon };
  const tell = (says: unknown): Step => ({
    mcp: { tool: "job_status", arguments: { job_id: id } },
    until: soon,
    expect: { says },
  });
  const byTool = (step: Step, why: string): Claim => ({
    step: { ...step, expect: step.expect ?? {} },
    clauses: ["MCP-TOOL-STATUS", "JOB-FIELD-MCP-BASE"],
    why,
  });
  switch (status) {
    case "none":
      return [];
    case "started": {
      const only = [{ workflow, repo_name: SPARE_SLUG, status: { matches: `^${IN_FLIGHT}$` } }];
      return [
        {
          step: { ...list, expect: { status: 200, json: { data: only } }, save: { [`job${thing}`]: "/data/0/id" } },
          clauses: [by === "tool" ? "MCP-TOOL-SUBMIT" : "JOB-GET-ROUTE"],
          why: "the job that was submitted is not listed by REST",
        },
        byTool(tell({ contains: id }), "the tool does not show the job"),
        byTool(tell({ matches: `\\b${IN_FLIGHT}\\b` }), "the tool does not show the status of the job"),
        byTool(tell({ contains: workflow }), "the tool does not show the workflow of the job"),
      ];
    }
    case "cancelled":
      return [
        {
          step: { rest: `GET /api/jobs/${id}`, until: soon, expect: { status: 200, json: { status: "cancelled" } } },
          clauses: ["JOB-CANCEL-PENDING"],
          why: "REST does not show the job as cancelled",
        },
        byTool(tell({ contains: "cancelled" }), "the tool does not show the job as cancelled"),
      ];
    case "retried": {
      const child = { workflow, id: { not: id }, status: { matches: `^${IN_FLIGHT}$` } };
      return [
        {
          step: { ...list, expect: { status: 200, json: { data: { length: 2, contains: child } } } },
          clauses: [by === "tool" ? "MCP-TOOL-RETRY" : "JOB-GET-ROUTE"],
          why: "the retry is not listed by REST beside its parent",
        },
      ];
    }
    default:
      return status satisfies never;
  }
}
