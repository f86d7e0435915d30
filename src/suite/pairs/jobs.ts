import { bodyJson } from "../../engine/http/exchange.js";
import type { JudgedPoint, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import {
  inFlightStatuses,
  isInFlight,
  type JobStatus,
  jobStatuses,
  jobTransition,
  repeatedRetry,
  wrongStatusClauses,
} from "../statements/jobs.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import { REGISTRATION, REGISTRATION_NEEDS, SPARE } from "../statements/setup-steps.js";
import { toolStatement } from "../statements/tools.js";
import { workflowsOnEveryPlan } from "../statements/workflows.js";
import { ASIDE, play, type RowAssertion, type Script } from "./script.js";
import { type PairRow, propertyOfTable } from "./table.js";

type Act = "cancel" | "retry";

interface JobPair extends PairRow {
  status: JobStatus;
  act: Act;
  by: "rest" | "tool";
  workflow: string;
}

/** MCP-TOOL-NOCANCEL: cancelling is REST only. */
const ACTS: readonly { act: Act; by: "rest" | "tool" }[] = [
  { act: "cancel", by: "rest" },
  { act: "retry", by: "rest" },
  { act: "retry", by: "tool" },
];
const FLIGHT = { matches: `^(${inFlightStatuses.join("|")})$` };
const SOON = { within: "20s", every: "2s" };
const RETRY_TOOL = toolStatement("retry_job").clause;
const COPY = "JOB-RETRY-WORKFLOW";

const rows: readonly JobPair[] = jobStatuses.flatMap((status, turn) =>
  ACTS.flatMap(({ act, by }) =>
    workflowsOf(status, act, turn).map((workflow): JobPair => {
      const judges = judgesOf({ status, act, by, workflow });
      return { name: `${act} by ${by} of ${workflow}, ${status}`, status, act, by, workflow, judges };
    }),
  ),
);

/** A retry takes over the workflow, so each is retried; for all else one is as good as another, so they take turns. */
function workflowsOf(status: JobStatus, act: Act, turn: number): readonly string[] {
  const all = workflowsOnEveryPlan;
  return act === "retry" && jobTransition(status, act) ? all : all.slice(turn % all.length).slice(0, 1);
}

function judgesOf({ status, act, by, workflow }: Omit<JobPair, "name" | "judges">): JudgedPoint[] {
  const on = (clause: string, covers: JudgedPoint["covers"], surface = by === "rest" ? "rest" : "mcp") => ({
    clause,
    surface,
    covers,
  });
  const line = jobTransition(status, act);
  if (act === "cancel") return [line ? on(line.clause, {}) : on(wrongStatusClauses.cancel, { "finished status": status })];
  if (!line) return by === "rest" ? [on(wrongStatusClauses.retry, { "unretryable status": status })] : [];
  const copy = on(COPY, { "started workflow": workflow });
  if (by === "tool") return [copy, on(RETRY_TOOL, { "retryable status": status })];
  return [
    copy,
    on(line.clause, { "retryable status": status }),
    on(repeatedRetry.inFlight.clause, { "in-flight status": "pending" }),
  ];
}

/** JOB-*: what a job of each status becomes of each thing that is asked of it, on each surface that can ask. */
export const jobPairs = propertyOfTable<JobPair, undefined>({
  id: "pairs-of-job-status-and-action",
  title: "A job of each status, cancelled and retried on each surface, becomes what the table says, and else stays as it is",
  kind: "pairs of job status and action",
  needs: ["worlds", "drive.finish-job", ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid"],
  proves: [...rows.flatMap(({ judges }) => judges.map(({ clause }) => clause)), "JOB-RETRY-INFLIGHT-NOTHING"],
  rows,
  async open(sut) {
    const sent = await sut.send({ rest: "POST /api/repos", json: REGISTRATION });
    return sent.ok && sent.response.status < 300
      ? { ok: true, context: undefined }
      : { ok: false, why: "the spare repository cannot be registered" };
  },
  async tryRow(sut, _, row) {
    if (row.by === "tool" && !sut.offers("surface.mcp")) return { verdict: "unsaid", why: "there is no tool server" };
    const outcome = await play(sut, scriptOf(row));
    await settle(sut, row.workflow);
    if (outcome.verdict === "kept") sut.coverage.reach("job transitions", `${row.status}: ${row.act}`);
    if (outcome.verdict !== "failed") return outcome;
    return { ...outcome, steps: [{ rest: "POST /api/repos", json: REGISTRATION }, ...outcome.steps] };
  },
});

function scriptOf({ status, act, by, workflow }: JobPair): Script {
  const setUp = [...jobIn(status, workflow), { ...jobsOf(workflow), save: { count: "/data/length" } }];
  const line = jobTransition(status, act);
  if (act === "cancel") return { setUp, assertions: cancelling(status, line?.clause) };
  return { setUp, assertions: line ? retrying(by, workflow, line.clause) : refusing(by, status, workflow) };
}

function cancelling(status: JobStatus, clause: string | undefined): RowAssertion[] {
  const rest = "POST /api/jobs/{job}/cancel";
  if (clause === undefined)
    return [
      {
        step: { rest, expect: { status: ["2xx", "4xx"] } },
        clauses: [wrongStatusClauses.cancel],
        why: `cancelling a ${status} job is no fault of the server`,
      },
      shownAs(status, wrongStatusClauses.cancel),
    ];
  const ended = { rest: "GET /api/jobs/{job}", until: SOON, expect: { status: 200, json: { status: "cancelled" } } };
  return [
    { step: { rest, expect: { status: "2xx" } }, clauses: [clause], why: `a ${status} job cannot be cancelled`, excused: ASIDE },
    { step: ended, clauses: [clause], why: `a ${status} job that was cancelled is not shown so` },
  ];
}

function retrying(by: "rest" | "tool", workflow: string, clause: string): RowAssertion[] {
  const child = { id: { not: "{job}" }, workflow, status: FLIGHT };
  const one = { status: 200, json: { data: { contains: child, length: "{more}" } } };
  const more: RowAssertion = {
    step: { ...jobsOf(workflow), save: { more: "/data/length" }, expect: { status: 200, json: { data: { contains: child } } } },
    clauses: [by === "tool" ? RETRY_TOOL : clause, COPY],
    why: `a retry of a job of ${workflow} is not listed`,
  };
  const nothing: RowAssertion = {
    step: { ...jobsOf(workflow), expect: one },
    clauses: ["JOB-RETRY-INFLIGHT-NOTHING"],
    why: "a second retry has made a job",
  };
  if (by === "tool") {
    const mcp = { tool: "retry_job", arguments: { job_id: "{job}" } };
    const why = "the tool does not retry it";
    return [
      { step: { mcp, expect: { content: { type: "string" } } }, clauses: [RETRY_TOOL], why, excused: ASIDE },
      more,
      { step: { mcp, expect: { status: { lt: 500 } } }, clauses: [RETRY_TOOL], why, excused: ASIDE },
      nothing,
    ];
  }
  const rest = "POST /api/jobs/{job}/retry";
  const { status, clause: again } = repeatedRetry.inFlight;
  return [
    {
      step: { rest, json: {}, expect: { status: 201, json: child }, save: { child: "/id" } },
      clauses: [clause],
      why: "a retry makes no new job",
      excused: ASIDE,
    },
    more,
    {
      step: { rest, json: {}, expect: { status, json: { id: "{child}" } } },
      clauses: [again],
      why: "a second retry is not answered with the first",
      excused: ASIDE,
    },
    nothing,
  ];
}

function refusing(by: "rest" | "tool", status: JobStatus, workflow: string): RowAssertion[] {
  const clauses = [wrongStatusClauses.retry];
  const same = { in: [{ error: { code: { type: "string" } } }, { id: "{job}" }] };
  const asked: RowAssertion =
    by === "rest"
      ? {
          step: { rest: "POST /api/jobs/{job}/retry", json: {}, expect: { status: [200, "4xx"], json: same } },
          ...{ clauses, why: `a ${status} job is retried`, excused: ASIDE },
        }
      : {
          step: { mcp: { tool: "retry_job", arguments: { job_id: "{job}" } }, expect: { status: { lt: 500 } } },
          ...{ clauses, why: `the tool fails of a ${status} job`, excused: ASIDE },
        };
  const nothing = { step: { ...jobsOf(workflow), expect: { status: 200, json: { data: { length: "{count}" } } } } };
  return [
    asked,
    { ...nothing, clauses, why: `retrying a ${status} job makes another` },
    shownAs(status, wrongStatusClauses.retry),
  ];
}

/** Time moves a job on that is in flight, and nothing cancels it. */
function shownAs(status: JobStatus, clause: string): RowAssertion {
  const shown = isInFlight(status) ? { not: "cancelled" } : status;
  return {
    step: { rest: "GET /api/jobs/{job}", expect: { status: 200, json: { fields: { status: shown } } } },
    clauses: [clause],
    why: `a ${status} job is no longer so`,
  };
}

/** A job that was brought to a status: `{job}`. */
function jobIn(status: JobStatus, workflow: string): Step[] {
  const rest = `POST /api/repos/${SPARE}/jobs`;
  const started: Step = {
    rest,
    query: { force: "true" },
    json: { workflow, params: {} },
    given: { status: 201 },
    save: { job: "/id" },
  };
  const is = (shown: JobStatus, until = SOON): Step => ({
    rest: "GET /api/jobs/{job}",
    until,
    given: { status: 200, json: { status: shown } },
  });
  const running = [started, is("running", { within: "5m", every: "2s" })];
  const finished = (outcome: string): Step => ({ drive: "finish-job", with: { job_id: "{job}", outcome } });
  switch (status) {
    case "pending":
      return [started, { rest: "GET /api/jobs/{job}", given: { status: 200, json: { status: "pending" } } }];
    case "running":
      return running;
    case "completed":
      return [...running, finished("success"), is(status)];
    case "failed":
      return [...running, finished("failure"), is(status)];
    case "cancelled":
      return [started, { rest: "POST /api/jobs/{job}/cancel" }, is(status)];
    default:
      return status satisfies never;
  }
}

function jobsOf(workflow: string): Step {
  return { rest: `GET /api/repos/${SPARE}/jobs`, query: { workflow, limit: PAGE_LIMIT } };
}

/** Ends what a row has left in flight, so that no job of it answers for one of the next. */
async function settle(sut: SystemUnderTest, workflow: string): Promise<void> {
  const sent = await sut.send(jobsOf(workflow));
  const body = sent.ok ? bodyJson(sent.response) : undefined;
  const data = body?.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data : [];
  for (const row of data.filter(isRecord).filter(({ status }) => isInFlight(String(status)))) {
    await sut.send({ rest: `POST /api/jobs/${row.id}/cancel` });
    await sut.send({ rest: `GET /api/jobs/${row.id}`, until: SOON, expect: { json: { status: "cancelled" } } });
  }
}
