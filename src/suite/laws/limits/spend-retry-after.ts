import fc from "fast-check";
import type { CaseOutcome, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { createCancelledJob, KEY_CREATION_NEEDS, REGISTRATION, REGISTRATION_NEEDS } from "../../statements/setup-steps.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { prepare } from "../steps.js";
import { groupCovers } from "./judged-points.js";
import { createRoleKey } from "./keys.js";
import { judgeRefusal, readWaitSeconds, type Shortage } from "./refusal.js";

const ROLE = "spender";
const LIMIT_KIND = "key spend ceiling";
/** SPEND-CODE: the shortage, and its code. */
const HOUR_SHORTAGE: Shortage = {
  name: "a used-up dollars_per_hour",
  own: { code: "rate_limit_budget", clause: "SPEND-CODE" },
};
/** Maximum number of runs under a ceiling of about one run's price. */
const MAX_RUNS = 5;
/** Seconds between the requests. A refusal must not extend the hour. */
const FURTHER_SECONDS = 300;

const SUBMIT_STEP: Step = {
  rest: "POST /api/repos/{repo}/jobs",
  query: { force: "true" },
  json: { workflow: "standard_audit", params: {} },
  save: { run: "/id" },
};
const CANCEL_STEPS: readonly Step[] = [
  { rest: "POST /api/jobs/{run}/cancel" },
  {
    rest: "GET /api/jobs/{run}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status: "cancelled" } },
  },
];

/** Every paid operation; the submission that uses up the ceiling comes last. */
const PAID_STEPS: readonly { operation: string; step: Step }[] = [
  { operation: "POST /api/repos", step: { rest: "POST /api/repos", json: REGISTRATION } },
  { operation: "POST /api/jobs/{job_id}/retry", step: { rest: "POST /api/jobs/{job}/retry", json: {} } },
  { operation: "POST /api/observations/{ref}/fix", step: { rest: "POST /api/observations/{fixable}/fix", json: {} } },
  { operation: "POST /api/repos/{owner}/{repo}/{branch}/jobs", step: SUBMIT_STEP },
];

const preparationSteps: readonly Step[] = [
  {
    rest: "GET /api/observations",
    query: { kind: "finding", status: "new", category: "correctness", repo: "{slug}", limit: 1 },
    save: { fixable: "/data/0/ref" },
  },
  ...createCancelledJob(),
  {
    rest: "GET /api/forecasts/lookup",
    query: { workflow: "standard_audit" },
    given: { status: 200, json: { cost_high: { gt: 0 } } },
    save: { price: "/cost_high" },
  },
  createRoleKey(ROLE, { dollars_per_hour: "{price}" }),
];

/** RETRY-AFTER-429, SPEND-CODE: every paid operation gets a Retry-After when the hour is used up, and waiting helps. */
export const spendRetryAfter: Property<null> = {
  id: "spend-retry-after",
  title: "A 429 for a used-up dollars_per_hour has a correct Retry-After on every paid operation",
  proves: ["RETRY-AFTER-429", "RETRY-AFTER-HELPS", "SPEND-CODE"],
  needs: ["worlds", "clock", ...KEY_CREATION_NEEDS, ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid", "destructive"],
  covers: groupCovers(PAID_STEPS.flatMap(({ operation }) => listPoints(operation))),
  runs: 1,
  max: 1,
  cases: () => fc.constant(null),
  run: runCase,
};

async function runCase(sut: SystemUnderTest): Promise<CaseOutcome> {
  const setupFailure = await prepare(sut, preparationSteps);
  if (setupFailure) return setupFailure;
  const submit = { ...SUBMIT_STEP, as: ROLE, retry: false };
  const before: Step[] = [...preparationSteps];
  for (let runs = 0; ; runs++) {
    const sent = await sut.send(submit);
    if (!sent.ok) return createInconclusive(sent.why);
    if (sent.response.status >= 300 && runs > 0) break;
    if (sent.response.status >= 300 || runs === MAX_RUNS)
      return createInconclusive("a ceiling of one run's price refuses no run");
    // the server would answer the next submission with the job in flight, at no cost
    const cancelled = await prepare(sut, CANCEL_STEPS);
    if (cancelled) return cancelled;
    before.push(submit, ...CANCEL_STEPS);
  }
  const judgedPoints: JudgedPoint[] = [];
  let seconds: number | undefined;
  for (const { operation, step } of PAID_STEPS) {
    const waitResult = await sut.wait(FURTHER_SECONDS);
    if (!waitResult.ok) return createInconclusive(waitResult.why);
    before.push({ clock: { by: `${FURTHER_SECONDS}s` } });
    const request = { ...step, as: ROLE, retry: false };
    const sent = await sut.send(request);
    if (!sent.ok) return createInconclusive(sent.why);
    const failure = judgeRefusal(HOUR_SHORTAGE, before, request, sent.response);
    if (failure) return failure;
    if (sent.response.status === 429) judgedPoints.push(...listPoints(operation));
    if (sent.response.status < 300) before.push(request);
    seconds = sent.response.status === 429 ? readWaitSeconds(sent.response) : undefined;
  }
  const byTool: Step = { mcp: { tool: "list_observations", arguments: {} }, as: ROLE, retry: false };
  const toolResponse = sut.offers("surface.mcp") ? await sut.send(byTool) : undefined;
  const failure = toolResponse?.ok ? judgeRefusal(HOUR_SHORTAGE, before, byTool, toolResponse.response) : undefined;
  if (failure) return failure;
  if (seconds === undefined) return { verdict: "passed", subjects: PAID_STEPS.length, judged: judgedPoints }; // refused with 402, which has no Retry-After
  return (
    (await waitAndSubmit(sut, seconds, [...before, submit])) ?? {
      verdict: "passed",
      subjects: judgedPoints.length,
      judged: judgedPoints,
    }
  );
}

/** RETRY-AFTER-HELPS: after the wait the server accepts the submission again. */
async function waitAndSubmit(sut: SystemUnderTest, seconds: number, before: readonly Step[]): Promise<CaseOutcome | undefined> {
  const waitResult = await sut.wait(seconds + 1);
  if (!waitResult.ok) return createInconclusive(waitResult.why);
  const submit = before.at(-1) as Step;
  const sent = await sut.send(submit);
  if (!sent.ok) return createInconclusive(sent.why);
  const { status } = sent.response;
  if (status === 402) return createInconclusive("the workspace has no credit for another run");
  if (status !== 429) return undefined;
  return createFailure(
    ["RETRY-AFTER-HELPS"],
    "the server refuses a submission after the Retry-After of a used-up dollars_per_hour",
    [
      ...before.slice(0, -1),
      { ...submit, given: { status: 429 }, save: { wait: "header:retry-after" } },
      { clock: { by: "{wait}s" } },
      { clock: { by: "1s" } },
      { ...submit, expect: { status: "2xx", body: { not: { contains: "rate_limit_budget" } } } },
    ],
  );
}

function listPoints(operation: string): JudgedPoint[] {
  return [
    ...["RETRY-AFTER-429", "ERR-TYPE-RATE", "ERR-CODE-RATE"].map((clause) => ({
      ...{ clause, surface: "rest", covers: { "kind of limit": LIMIT_KIND } },
    })),
    { clause: "SPEND-CODE", surface: "rest", covers: { operation } },
  ];
}
