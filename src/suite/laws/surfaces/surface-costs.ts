import { readBodyText } from "../../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { createTableProperty, type PairRow, type RowOutcome } from "../../pairs/pair-table.js";
import { findUnmetNeed } from "../../pairs/row-script.js";
import { isRefusal } from "../../response-rules.js";
import { REGISTRATION, REGISTRATION_NEEDS, SPARE, SPARE_TRIPLE } from "../../statements/setup-steps.js";
import type { ToolPurpose } from "../../statements/tools.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { prepare } from "../steps.js";
import { readObject } from "./single-reads.js";

type Surface = "rest" | "tool";

/** Paid work that a route and a tool start. Each piece has a number, because a server starts the same work once. */
interface PaidWork extends PairRow {
  tool: ToolPurpose;
  workflow: string;
  needs: readonly string[];
  /** Returns the steps that make a piece of work possible. */
  setup(by: Surface, piece: number): readonly Step[];
  /** Returns the step that starts a piece of work. */
  start(by: Surface, piece: number): Step;
}

const CREDIT_CLAUSE = "JOB-SUBMIT-CREDIT";
/** Number of pieces that the credit pays for, by the forecast. */
const PAID_FOR = 6.5;
/** Number of pieces after which a server without a refusal charges later. */
const MAX_RUNS = 12;
const WORKFLOW = "standard_audit";

const rows: readonly PaidWork[] = [
  createWork("submit_job", WORKFLOW, {
    setup: () => [],
    start: (by, piece) =>
      by === "rest"
        ? createSubmission(by, piece)
        : { mcp: { tool: "submit_job", arguments: { ...SPARE_TRIPLE, workflow: WORKFLOW, params: createParams(by, piece) } } },
  }),
  createWork("retry_job", WORKFLOW, {
    setup: (by, piece) => [
      { ...createSubmission(by, piece), save: { [`${by}${piece}`]: "/id" } },
      { rest: `POST /api/jobs/{${by}${piece}}/cancel` },
      {
        rest: `GET /api/jobs/{${by}${piece}}`,
        until: { within: "20s", every: "2s" },
        given: { status: 200, json: { status: "cancelled" } },
      },
    ],
    start: (by, piece) =>
      by === "rest"
        ? { rest: `POST /api/jobs/{${by}${piece}}/retry`, json: {} }
        : { mcp: { tool: "retry_job", arguments: { job_id: `{${by}${piece}}` } } },
  }),
  createWork("submit_fix", "fix", {
    setup: (by, piece) => [
      {
        drive: "find",
        with: { repo: SPARE, observation: { kind: "finding", priority: "P1", title: `Paid ${by} ${piece} {unique}` } },
        save: { [`${by}${piece}`]: "/result/ref" },
      },
    ],
    start: (by, piece) =>
      by === "rest"
        ? { rest: `POST /api/observations/{${by}${piece}}/fix`, json: {} }
        : { mcp: { tool: "submit_fix", arguments: { ref: `{${by}${piece}}` } } },
  }),
];

function createWork(tool: ToolPurpose, workflow: string, steps: Pick<PaidWork, "setup" | "start">): PaidWork {
  const needs = workflow === "fix" ? ["drive.find"] : ["binding.job_params.texts"];
  return {
    name: tool,
    judges: [{ clause: CREDIT_CLAUSE, surface: "mcp", covers: { "paid operation": tool } }],
    tool,
    workflow,
    needs,
    ...steps,
  };
}

function createSubmission(by: Surface, piece: number): Step {
  return { rest: `POST /api/repos/${SPARE}/jobs`, json: { workflow: WORKFLOW, params: createParams(by, piece) } };
}

function createParams(by: Surface, piece: number) {
  return { "{binding.job_params.texts}": [`${by}-${piece}-{unique}`] };
}

/**
 * JOB-SUBMIT-CREDIT: a credit pays for as many runs by a tool as by REST. A server may charge by actual use, so only
 * a factor of two is a failure.
 */
export const surfaceCosts = createTableProperty<PaidWork, undefined>({
  id: "surface-costs",
  title: "The same credit pays for about as many runs by a tool as by REST",
  kind: "costs on both surfaces",
  needs: ["worlds", "surface.mcp", "drive.set-credit", ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid"],
  proves: [CREDIT_CLAUSE],
  rows,
  async open(sut) {
    const failure = await prepare(sut, [{ rest: "POST /api/repos", json: REGISTRATION }]);
    return failure ? { ok: false, why: "the spare repository cannot be registered" } : { ok: true, context: undefined };
  },
  tryRow,
});

async function tryRow(sut: SystemUnderTest, _: undefined, row: PaidWork): Promise<RowOutcome> {
  const unmet = findUnmetNeed(sut, [row.start("tool", 0)], row.needs);
  if (unmet) return unmet;
  const { cost_mid: price } =
    (await readObject(sut, { rest: "GET /api/forecasts/lookup", query: { workflow: row.workflow } })) ?? {};
  if (typeof price !== "number" || price <= 0) return createInconclusive("the forecast shows no price");
  const usd = price * PAID_FOR;
  const byRest = await startAll(sut, row, "rest", usd);
  if (!byRest.ok) return createInconclusive(byRest.why);
  if (byRest.count < 3 || byRest.count >= MAX_RUNS) return createInconclusive("the credit is not charged when a run starts");
  const byTool = await startAll(sut, row, "tool", usd);
  if (!byTool.ok) return createInconclusive(byTool.why);
  const [n, m] = [byRest.count, byTool.count];
  if (n > m / 2 && m > n / 2) return { verdict: "passed", judged: true };
  const last = row.start("tool", m < n ? m : n * 2);
  return createFailure([CREDIT_CLAUSE], `a credit pays for ${n} runs by REST and for ${m} by ${row.tool}`, [
    { rest: "POST /api/repos", json: REGISTRATION },
    ...createSteps(row, "rest", usd, n),
    { ...row.start("rest", n), given: { status: 402 } },
    ...createSteps(row, "tool", usd, m < n ? m : n * 2),
    { ...last, expect: m < n ? { content: { not: { contains: "billing_error" } } } : { refused: true } },
  ]);
}

/** Returns the steps that make all pieces possible, set the credit and start some pieces. */
function createSteps({ setup, start }: PaidWork, by: Surface, usd: number, count: number): Step[] {
  const pieces = Array.from({ length: MAX_RUNS }, (_, piece) => piece);
  const accepted = by === "rest" ? { status: "2xx" } : { content: { type: "string" } };
  return [
    { drive: "set-credit", with: { usd: 100_000 } },
    ...pieces.flatMap((piece) => setup(by, piece)),
    { drive: "set-credit", with: { usd } },
    ...pieces.slice(0, count).map((piece) => ({ ...start(by, piece), given: accepted })),
  ];
}

/** Starts pieces of work until the credit is used up. Returns the number of pieces that were accepted. */
async function startAll(
  sut: SystemUnderTest,
  row: PaidWork,
  by: Surface,
  usd: number,
): Promise<{ ok: true; count: number } | { ok: false; why: string }> {
  const failure = await prepare(sut, createSteps(row, by, usd, 0));
  if (failure?.verdict === "inconclusive") return { ok: false, why: failure.why };
  for (let piece = 0; piece < MAX_RUNS; piece++) {
    const sent = await sut.send(row.start(by, piece));
    if (!sent.ok) return sent;
    const { status } = sent.response;
    const isRefused = by === "rest" ? status === 402 : isRefusal(sent.response);
    const isForRate = by === "tool" && readBodyText(sent.response).includes("rate_limit"); // a refusal for an hourly spend or a rate, not for the credit
    if (isRefused && !isForRate) return { ok: true, count: piece };
    if (status >= 300 || isForRate) return { ok: false, why: `${row.tool} by ${by} returned status ${status}` };
  }
  return { ok: true, count: MAX_RUNS };
}
