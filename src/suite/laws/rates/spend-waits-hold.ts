import fc from "fast-check";
import type { CaseOutcome, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { cancelledJob, KEY_CREATION_NEEDS, REGISTRATION, REGISTRATION_NEEDS } from "../../statements/setup-steps.js";
import { failed, inconclusive } from "../blame.js";
import { prepare } from "../prepare.js";
import { coversOf } from "./judged.js";
import { keyWith } from "./keys.js";
import { judgeRefusal, type Shortage } from "./refusal.js";
import { secondsToWait } from "./retry-after.js";

const ROLE = "spender";
const KIND = "key spend ceiling";
/** SPEND-CODE: what is used up, and its code. */
const HOUR: Shortage = {
  name: "a used-up hour of dollars",
  own: { code: "rate_limit_budget", clause: "SPEND-CODE" },
};
/** Runs that a ceiling of about one run's price may let through. */
const MOST_RUNS = 5;
/** How far apart in the hour it is asked: a refusal puts the end of the hour off for nobody. */
const FURTHER_SECONDS = 300;

const SUBMIT: Step = {
  rest: "POST /api/repos/{repo}/jobs",
  query: { force: "true" },
  json: { workflow: "standard_audit", params: {} },
  save: { run: "/id" },
};
const CANCEL: readonly Step[] = [
  { rest: "POST /api/jobs/{run}/cancel" },
  {
    rest: "GET /api/jobs/{run}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status: "cancelled" } },
  },
];

/** Everything that draws on a spend ceiling, the submission that uses it up last. */
const PAID: readonly { operation: string; step: Step }[] = [
  { operation: "POST /api/repos", step: { rest: "POST /api/repos", json: REGISTRATION } },
  { operation: "POST /api/jobs/{job_id}/retry", step: { rest: "POST /api/jobs/{job}/retry", json: {} } },
  { operation: "POST /api/observations/{ref}/fix", step: { rest: "POST /api/observations/{fixable}/fix", json: {} } },
  { operation: "POST /api/repos/{owner}/{repo}/{branch}/jobs", step: SUBMIT },
];

const needed: readonly Step[] = [
  {
    rest: "GET /api/observations",
    query: { kind: "finding", status: "new", category: "correctness", repo: "{slug}", limit: 1 },
    save: { fixable: "/data/0/ref" },
  },
  ...cancelledJob(),
  {
    rest: "GET /api/forecasts/lookup",
    query: { workflow: "standard_audit" },
    given: { status: 200, json: { cost_high: { gt: 0 } } },
    save: { price: "/cost_high" },
  },
  keyWith(ROLE, { dollars_per_hour: "{price}" }),
];

/** RETRY-AFTER-429, SPEND-CODE: a used-up hour says for how long to wait as well, on all that draws on it, and that helps. */
export const spendWaitsHold: Property<null> = {
  id: "spend-waits-hold",
  title: "A 429 for a used-up hour says truly for how long to wait, whatever was asked",
  proves: ["RETRY-AFTER-429", "RETRY-AFTER-HELPS", "SPEND-CODE"],
  needs: ["worlds", "clock", ...KEY_CREATION_NEEDS, ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid", "destructive"],
  covers: coversOf(PAID.flatMap(({ operation }) => pointsOf(operation))),
  runs: 1,
  most: 1,
  cases: () => fc.constant(null),
  run: spend,
};

async function spend(sut: SystemUnderTest): Promise<CaseOutcome> {
  const unready = await prepare(sut, needed);
  if (unready) return unready;
  const submit = { ...SUBMIT, as: ROLE, retry: false };
  const before: Step[] = [...needed];
  for (let runs = 0; ; runs++) {
    const sent = await sut.send(submit);
    if (!sent.ok) return inconclusive(sent.why);
    if (sent.response.status >= 300 && runs > 0) break;
    if (sent.response.status >= 300 || runs === MOST_RUNS) return inconclusive("a price of one run is no ceiling here");
    // a job in flight would answer for the next submission, which would then cost nothing
    const cancelled = await prepare(sut, CANCEL);
    if (cancelled) return cancelled;
    before.push(submit, ...CANCEL);
  }
  const judged: JudgedPoint[] = [];
  let seconds: number | undefined;
  for (const { operation, step } of PAID) {
    const further = await sut.wait(FURTHER_SECONDS);
    if (!further.ok) return inconclusive(further.why);
    before.push({ clock: { by: `${FURTHER_SECONDS}s` } });
    const asked = { ...step, as: ROLE, retry: false };
    const sent = await sut.send(asked);
    if (!sent.ok) return inconclusive(sent.why);
    const odd = judgeRefusal(HOUR, before, asked, sent.response);
    if (odd) return odd;
    if (sent.response.status === 429) judged.push(...pointsOf(operation));
    if (sent.response.status < 300) before.push(asked);
    seconds = sent.response.status === 429 ? secondsToWait(sent.response) : undefined;
  }
  const byTool: Step = { mcp: { tool: "list_observations", arguments: {} }, as: ROLE, retry: false };
  const told = sut.offers("surface.mcp") ? await sut.send(byTool) : undefined;
  const odd = told?.ok ? judgeRefusal(HOUR, before, byTool, told.response) : undefined;
  if (odd) return odd;
  if (seconds === undefined) return { verdict: "passed", subjects: PAID.length, judged }; // by 402, which says nothing of a wait
  return (await waitAndSubmit(sut, seconds, [...before, submit])) ?? { verdict: "passed", subjects: judged.length, judged };
}

/** RETRY-AFTER-HELPS: what was served from a fresh hour is served again when the wait is over. */
async function waitAndSubmit(sut: SystemUnderTest, seconds: number, before: readonly Step[]): Promise<CaseOutcome | undefined> {
  const waited = await sut.wait(seconds + 1);
  if (!waited.ok) return inconclusive(waited.why);
  const submit = before.at(-1) as Step;
  const sent = await sut.send(submit);
  if (!sent.ok) return inconclusive(sent.why);
  const { status } = sent.response;
  if (status !== 429 && status !== 402) return undefined;
  return failed(["RETRY-AFTER-HELPS"], "a submission is refused again after Retry-After of a used-up hour", [
    ...before.slice(0, -1),
    { ...submit, given: { status: 429 }, save: { wait: "header:retry-after" } },
    { clock: { by: "{wait}s" } },
    { clock: { by: "1s" } },
    { ...submit, expect: { status: "2xx", body: { not: { contains: "rate_limit_budget" } } } },
  ]);
}

function pointsOf(operation: string): JudgedPoint[] {
  return [
    ...["RETRY-AFTER-429", "ERR-TYPE-RATE", "ERR-CODE-RATE"].map((clause) => ({
      ...{ clause, surface: "rest", covers: { "kind of limit": KIND } },
    })),
    { clause: "SPEND-CODE", surface: "rest", covers: { operation } },
  ];
}
