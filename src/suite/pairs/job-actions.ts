import { parseBodyJson } from "../../engine/http/exchange.js";
import type { JudgedPoint, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { createInconclusive } from "../laws/outcome.js";
import {
  findJobTransition,
  inFlightStatuses,
  isInFlight,
  type JobStatus,
  jobStatuses,
  repeatedRetry,
  wrongStatusClauses,
} from "../statements/jobs.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import { REGISTRATION, REGISTRATION_NEEDS, SPARE } from "../statements/setup-steps.js";
import { findToolStatement } from "../statements/tools.js";
import { workflowsOnEveryPlan } from "../statements/workflows.js";
import { createTableProperty, type PairRow } from "./pair-table.js";
import { type RowAssertion, runScript, type Script, UNJUDGED_STATUSES } from "./row-script.js";

type JobAction = "cancel" | "retry";

interface JobPair extends PairRow {
  status: JobStatus;
  act: JobAction;
  by: "rest" | "tool";
  workflow: string;
  /** Whether a retry of the job runs already. */
  isRetried?: true;
}

/** MCP-TOOL-NOCANCEL: only REST can cancel a job. */
const JOB_ACTION_FORMS: readonly { act: JobAction; by: "rest" | "tool" }[] = [
  { act: "cancel", by: "rest" },
  { act: "retry", by: "rest" },
  { act: "retry", by: "tool" },
];
const IN_FLIGHT_STATUS = { matches: `^(${inFlightStatuses.join("|")})$` };
const SHORT_WAIT = { within: "20s", every: "2s" };
const RETRY_TOOL = findToolStatement("retry_job").clause;
const RETRY = {
  rest: { rest: "POST /api/jobs/{job}/retry", json: {} },
  tool: { mcp: { tool: "retry_job", arguments: { job_id: "{job}" } } },
} as const;
/** The steps that retry the job `{job}`, until its retry `{child}` runs. */
const retryRunning: readonly Step[] = [
  { ...RETRY.rest, given: { status: 201 }, save: { child: "/id" } },
  {
    rest: "GET /api/jobs/{child}",
    until: { within: "5m", every: "2s" },
    given: { status: 200, json: { status: "running" } },
  },
];
/** Matches when the run of the retry has ended: then a second retry starts another job. */
const retryEnded: RowAssertion["step"] = {
  rest: "GET /api/jobs/{child}",
  expect: { status: 200, json: { status: { matches: "^(completed|failed)$" } } },
};
const COPY_CLAUSE = "JOB-RETRY-WORKFLOW";
const SECOND_RETRY_CLAUSE = repeatedRetry.inFlight.clause;

const rows: readonly JobPair[] = [
  ...jobStatuses.flatMap((status, index) =>
    JOB_ACTION_FORMS.flatMap(({ act, by }) =>
      listWorkflows(status, act, index).map((workflow): JobPair => {
        const judges = listJudges({ status, act, by, workflow });
        return { name: `${act} by ${by} of ${workflow}, ${status}`, status, act, by, workflow, judges };
      }),
    ),
  ),
  ...jobStatuses
    .filter((status) => findJobTransition(status, "retry"))
    .flatMap((status) => (["rest", "tool"] as const).map((by) => createRetriedRow(status, by))),
];

function createRetriedRow(status: JobStatus, by: JobPair["by"]): JobPair {
  const [workflow = ""] = workflowsOnEveryPlan;
  const judges =
    by === "rest" ? [{ clause: SECOND_RETRY_CLAUSE, surface: "rest", covers: { "in-flight status": "running" } }] : [];
  const name = `retry by ${by} of ${workflow}, ${status}, while its retry runs`;
  return { name, status, act: "retry", by, workflow, isRetried: true, judges };
}

/** Returns the workflows of a row. A retry copies the workflow, so every workflow is retried; other actions use one in turn. */
function listWorkflows(status: JobStatus, act: JobAction, index: number): readonly string[] {
  const all = workflowsOnEveryPlan;
  return act === "retry" && findJobTransition(status, act) ? all : all.slice(index % all.length).slice(0, 1);
}

function listJudges({ status, act, by, workflow }: Omit<JobPair, "name" | "judges">): JudgedPoint[] {
  const on = (clause: string, covers: JudgedPoint["covers"], surface = by === "rest" ? "rest" : "mcp") => ({
    clause,
    surface,
    covers,
  });
  const line = findJobTransition(status, act);
  if (act === "cancel") return [line ? on(line.clause, {}) : on(wrongStatusClauses.cancel, { "finished status": status })];
  if (!line) return by === "rest" ? [on(wrongStatusClauses.retry, { "unretryable status": status })] : [];
  const copy = on(COPY_CLAUSE, { "started workflow": workflow });
  if (by === "tool") return [copy, on(RETRY_TOOL, { "retryable status": status })];
  return [copy, on(line.clause, { "retryable status": status }), on(SECOND_RETRY_CLAUSE, { "in-flight status": "pending" })];
}

/** JOB-*: the result of each action on a job of each status, on each surface that has the action. */
export const jobPairs = createTableProperty<JobPair, undefined>({
  id: "pairs-of-job-status-and-action",
  title: "Cancel and retry of a job in each status, on each surface, have the result of the table, and change nothing else",
  kind: "pairs of job status and action",
  needs: ["worlds", "drive.finish-job", ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid"],
  proves: [...rows.flatMap(({ judges }) => judges.map(({ clause }) => clause)), "JOB-RETRY-INFLIGHT-NOTHING"],
  rows,
  async open(sut) {
    const stepResult = await sut.send({ rest: "POST /api/repos", json: REGISTRATION });
    return stepResult.ok && stepResult.response.status < 300
      ? { ok: true, context: undefined }
      : { ok: false, why: "the spare repository cannot be registered" };
  },
  async tryRow(sut, _, row) {
    if (row.by === "tool" && !sut.offers("surface.mcp")) return createInconclusive("the target has no tool server");
    const outcome = await runScript(sut, createScript(row));
    await cancelRemaining(sut, row.workflow);
    if (outcome.verdict === "passed") sut.coverage.reach("job transitions", `${row.status}: ${row.act}`);
    if (outcome.verdict !== "failed") return outcome;
    return { ...outcome, steps: [{ rest: "POST /api/repos", json: REGISTRATION }, ...outcome.steps] };
  },
});

function createScript({ status, act, by, workflow, isRetried }: JobPair): Script {
  const stepsBefore = [...createJobSteps(status, workflow), ...(isRetried ? retryRunning : [])];
  const setup = [...stepsBefore, { ...createListStep(workflow), save: { count: "/data/length" } }];
  if (isRetried)
    return { setup, assertions: expectSecondRetry(by, workflow, "{count}").map((one) => ({ ...one, voidedBy: retryEnded })) };
  const line = findJobTransition(status, act);
  if (act === "cancel") return { setup, assertions: expectCancel(status, line?.clause) };
  return { setup, assertions: line ? expectRetry(by, workflow, line.clause) : expectRefusal(by, status, workflow) };
}

function expectCancel(status: JobStatus, clause: string | undefined): RowAssertion[] {
  const rest = "POST /api/jobs/{job}/cancel";
  if (clause === undefined)
    return [
      {
        step: { rest, expect: { status: ["2xx", "4xx"] } },
        clauses: [wrongStatusClauses.cancel],
        why: `cancelling a ${status} job causes a server failure`,
      },
      expectShown(status, wrongStatusClauses.cancel),
    ];
  const ended = { rest: "GET /api/jobs/{job}", until: SHORT_WAIT, expect: { status: 200, json: { status: "cancelled" } } };
  return [
    {
      step: { rest, expect: { status: "2xx" } },
      clauses: [clause],
      why: `a ${status} job cannot be cancelled`,
      excused: UNJUDGED_STATUSES,
    },
    { step: ended, clauses: [clause], why: `a cancelled ${status} job is not shown as cancelled` },
  ];
}

function expectRetry(by: "rest" | "tool", workflow: string, clause: string): RowAssertion[] {
  const child = { id: { not: "{job}" }, workflow, status: IN_FLIGHT_STATUS };
  const more: RowAssertion = {
    step: {
      ...createListStep(workflow),
      save: { more: "/data/length" },
      expect: { status: 200, json: { data: { contains: child } } },
    },
    clauses: [by === "tool" ? RETRY_TOOL : clause, COPY_CLAUSE],
    why: `the list of jobs lacks the retry of a job of ${workflow}`,
  };
  if (by === "tool")
    return [
      {
        step: { ...RETRY.tool, expect: { content: { type: "string" } } },
        ...expectNoRetry(RETRY_TOOL, "the tool does not retry the job"),
      },
      ...[more, ...expectSecondRetry(by, workflow, "{more}")],
    ];
  return [
    {
      step: { ...RETRY.rest, expect: { status: 201, json: child }, save: { child: "/id" } },
      ...expectNoRetry(clause, "a retry creates no new job"),
    },
    ...[more, ...expectSecondRetry(by, workflow, "{more}")],
  ];
}

/** A second retry returns the first (the tool may refuse), and the number of jobs stays. */
function expectSecondRetry(by: "rest" | "tool", workflow: string, count: string): RowAssertion[] {
  const { status } = repeatedRetry.inFlight;
  const one = {
    status: 200,
    json: { data: { contains: { id: { not: "{job}" }, workflow, status: IN_FLIGHT_STATUS }, length: count } },
  };
  return [
    by === "tool"
      ? {
          step: { ...RETRY.tool, expect: { status: { lt: 500 } } },
          ...expectNoRetry(RETRY_TOOL, "the tool does not retry the job"),
        }
      : {
          step: { ...RETRY.rest, expect: { status, json: { id: "{child}" } } },
          ...expectNoRetry(SECOND_RETRY_CLAUSE, "a second retry does not return the first"),
        },
    {
      step: { ...createListStep(workflow), expect: one },
      clauses: ["JOB-RETRY-INFLIGHT-NOTHING"],
      why: "a second retry creates another job",
    },
  ];
}

function expectNoRetry(clause: string, why: string): Omit<RowAssertion, "step"> {
  return { clauses: [clause], why, excused: UNJUDGED_STATUSES };
}

function expectRefusal(by: "rest" | "tool", status: JobStatus, workflow: string): RowAssertion[] {
  const clauses = [wrongStatusClauses.retry];
  const same = { in: [{ error: { code: { type: "string" } } }, { id: "{job}" }] };
  const sentStep: RowAssertion =
    by === "rest"
      ? {
          step: { rest: "POST /api/jobs/{job}/retry", json: {}, expect: { status: [200, "4xx"], json: same } },
          ...{ clauses, why: `a ${status} job is retried`, excused: UNJUDGED_STATUSES },
        }
      : {
          step: { mcp: { tool: "retry_job", arguments: { job_id: "{job}" } }, expect: { status: { lt: 500 } } },
          ...{ clauses, why: `the tool fails for a ${status} job`, excused: UNJUDGED_STATUSES },
        };
  const nothing = { step: { ...createListStep(workflow), expect: { status: 200, json: { data: { length: "{count}" } } } } };
  return [
    sentStep,
    { ...nothing, clauses, why: `retrying a ${status} job creates another` },
    expectShown(status, wrongStatusClauses.retry),
  ];
}

/** An in-flight job may change its status, but nothing cancels it. */
function expectShown(status: JobStatus, clause: string): RowAssertion {
  const shown = isInFlight(status) ? { not: "cancelled" } : status;
  return {
    step: { rest: "GET /api/jobs/{job}", expect: { status: 200, json: { fields: { status: shown } } } },
    clauses: [clause],
    why: `a ${status} job is no longer ${status}`,
  };
}

/** Returns the steps that bring a job `{job}` to a status. */
function createJobSteps(status: JobStatus, workflow: string): Step[] {
  const rest = `POST /api/repos/${SPARE}/jobs`;
  const step: Step = {
    rest,
    query: { force: "true" },
    json: { workflow, params: {} },
    given: { status: 201 },
    save: { job: "/id" },
  };
  const is = (shown: JobStatus, until = SHORT_WAIT): Step => ({
    rest: "GET /api/jobs/{job}",
    until,
    given: { status: 200, json: { status: shown } },
  });
  const steps = [step, is("running", { within: "5m", every: "2s" })];
  const finished = (outcome: string): Step => ({ drive: "finish-job", with: { job_id: "{job}", outcome } });
  switch (status) {
    case "pending":
      return [step, { rest: "GET /api/jobs/{job}", given: { status: 200, json: { status: "pending" } } }];
    case "running":
      return steps;
    case "completed":
      return [...steps, finished("success"), is(status)];
    case "failed":
      return [...steps, finished("failure"), is(status)];
    case "cancelled":
      return [step, { rest: "POST /api/jobs/{job}/cancel" }, is(status)];
    default:
      return status satisfies never;
  }
}

function createListStep(workflow: string): Step {
  return { rest: `GET /api/repos/${SPARE}/jobs`, query: { workflow, limit: PAGE_LIMIT } };
}

/** Cancels the in-flight jobs of a row, so that none answers for a job of the next row. */
async function cancelRemaining(sut: SystemUnderTest, workflow: string): Promise<void> {
  const stepResult = await sut.send(createListStep(workflow));
  const body = stepResult.ok ? parseBodyJson(stepResult.response) : undefined;
  const data = body?.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data : [];
  for (const row of data.filter(isRecord).filter(({ status }) => isInFlight(String(status)))) {
    await sut.send({ rest: `POST /api/jobs/${row.id}/cancel` });
    await sut.send({ rest: `GET /api/jobs/${row.id}`, until: SHORT_WAIT, expect: { json: { status: "cancelled" } } });
  }
}
