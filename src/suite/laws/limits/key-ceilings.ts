import fc from "fast-check";
import type { CaseOutcome, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { VIEW_SCOPES } from "../../statements/roles.js";
import { KEY_CREATION_NEEDS } from "../../statements/setup-steps.js";
import { createInconclusive } from "../outcome.js";
import { assertResponse, prepare } from "../steps.js";
import { completeEvidence, groupCovers, listPoints, listPointsOver } from "./judged-points.js";
import { UNBOUNDED_STEPS } from "./key-budget.js";
import { type Ceilings, createRoleKey, formatKeyId, listKeyChanges } from "./keys.js";
import { createRoleLimit, type RateLimit } from "./rate-limit.js";
import { REST_SECONDS, type RetryPlan, tryLimit } from "./rate-trial.js";

/** The ceilings of a new key, and PATCHes that set or lower them. PATCHes with null or a higher value are refused and change nothing. */
interface Case {
  made: Ceilings;
  patches: Patch[];
  course: RetryPlan;
}

type Patch = { sets: readonly ("requests_per_minute" | "dollars_per_hour")[]; wrong: "no" | "clears" | "raises" };

const ROLE = "bounded";
/** A ceiling in dollars that the first run uses up. */
const CENT_IN_DOLLARS = 0.01;
/** Ceilings of requests per minute, from the creation to the last PATCH, each lower than the one before. */
const RATE_CEILINGS = [20, 12, 7, 3];
/** Ceilings in dollars per hour, above the cost of any run. The last one is a cent. */
const DOLLAR_CEILINGS = [1_000_000, 500_000, 400_000, 300_000];

const RATE_POINT = { ceiling: ["requests_per_minute"] } as const;
const MONEY_POINT = { ceiling: ["dollars_per_hour"] } as const;

/** KEY-PATCH-*: the last accepted ceilings of both kinds apply. */
export const keyCeilings: Property<Case> = {
  id: "key-ceilings",
  title: "The last accepted ceilings of a key apply, even after refused PATCHes",
  proves: [
    "KEY-FIELD-RPM",
    "KEY-FIELD-DOLLARS",
    "KEY-PATCH-SET",
    "KEY-PATCH-LOWER",
    "KEY-PATCH-UNCHANGED",
    "RETRY-AFTER-429",
    "RETRY-AFTER-HELPS",
  ],
  needs: ["worlds", "clock", "drive.finish-job", ...KEY_CREATION_NEEDS, "repos.2"],
  effects: ["read", "write", "paid"],
  covers: groupCovers([
    ...listPoints(
      createLimit(3, ["KEY-PATCH-SET", "KEY-PATCH-LOWER", "KEY-PATCH-UNCHANGED", "KEY-FIELD-RPM"]),
      completeEvidence([]),
      RATE_POINT,
    ),
    ...["KEY-PATCH-SET", "KEY-PATCH-LOWER"].flatMap((clause) => listPointsOver(clause, "rest", MONEY_POINT)),
  ]),
  runs: 8,
  max: 12,
  cases: () => {
    const fields = ["requests_per_minute", "dollars_per_hour"] as const;
    const patch = fc.record({
      sets: fc.subarray([...fields], { minLength: 1 }),
      wrong: fc.constantFrom("no" as const, "no" as const, "clears" as const, "raises" as const),
    });
    const both = { requests_per_minute: 20, dollars_per_hour: 1_000_000 };
    return fc.record({
      made: fc.constantFrom<Ceilings>({}, { requests_per_minute: 20 }, { dollars_per_hour: 1_000_000 }, both),
      // the first PATCH sets a ceiling; the second changes only one of the two
      patches: fc
        .tuple(fc.subarray([...fields], { minLength: 1 }), fc.constantFrom(...fields), fc.array(patch, { maxLength: 1 }))
        .map(([first, one, more]): Patch[] => [{ sets: first, wrong: "no" }, { sets: [one], wrong: "no" }, ...more]),
      course: fc.record({ gapSeconds: fc.integer({ min: 2, max: 20 }), rests: fc.boolean() }),
    });
  },
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { made, patches, course }: Case): Promise<CaseOutcome> {
  const { steps, rate, money } = patchHistory(made, patches);
  const setupFailure = await prepare(sut, steps);
  if (setupFailure) return setupFailure;
  const judgedPoints: JudgedPoint[] = [];
  const before = [...steps];
  if (money) {
    const spent = await spendCent(sut);
    if (!spent.ok) return createInconclusive(spent.why);
    before.push(...spent.steps);
    const assertion = {
      step: SECOND_RUN,
      clauses: money,
      why: "the key starts paid work although its last dollar ceiling is used up",
    };
    const caseOutcome = await assertResponse(sut, assertion, { needed: before });
    if (caseOutcome) return caseOutcome;
    judgedPoints.push(...money.flatMap((clause) => listPointsOver(clause, "rest", MONEY_POINT)));
  }
  const waitResult = rate ? await sut.wait(REST_SECONDS) : undefined;
  if (!rate || !waitResult?.ok) return createOutcome(judgedPoints, judgedPoints.length);
  const limit = createLimit(rate.rpm, rate.clauses);
  const result = await tryLimit(sut, limit, {
    course,
    before: [...before, REST_STEP],
    between: listKeyChanges(sut.offers, ROLE, VIEW_SCOPES),
  });
  if ("verdict" in result) return result;
  if (!result.ok) return createInconclusive(result.why);
  return createOutcome([...judgedPoints, ...listPoints(limit, result, RATE_POINT)], result.subjects);
}

/** Starts a run, unless the key is already refused, and finishes it, because the charge may happen at its end. Then the cent is spent. */
async function spendCent(sut: SystemUnderTest): Promise<{ ok: true; steps: Step[] } | { ok: false; why: string }> {
  const sent = await sut.send(FIRST_RUN);
  if (!sent.ok) return sent;
  const isStarted = sent.response.status < 300;
  const ended = isStarted ? await sut.drive("finish-job", FINISH_FIRST_RUN.with) : { ok: true as const };
  if (!ended.ok) return ended;
  const waitResult = await sut.wait(REST_SECONDS);
  return waitResult.ok ? { ok: true, steps: [FIRST_RUN, ...(isStarted ? [FINISH_FIRST_RUN] : []), REST_STEP] } : waitResult;
}

function createOutcome(judgedPoints: readonly JudgedPoint[], subjects: number): CaseOutcome {
  return subjects > 0 ? { verdict: "passed", subjects, judged: judgedPoints } : createInconclusive("the key has no ceiling");
}

const REST_STEP: Step = { clock: { by: `${REST_SECONDS}s` } };
const run = (repo: string, workflow: string): Step => ({
  rest: `POST /api/repos/${repo}/jobs`,
  as: ROLE,
  query: { force: "true" },
  json: { workflow, params: {} },
  retry: false,
});
const FIRST_RUN: Step = { ...run("{repo}", "standard_audit"), save: { first_run: "/id" } };
const FINISH_FIRST_RUN = { drive: "finish-job", with: { job_id: "{first_run}", outcome: "success" } };
const SECOND_RUN = {
  ...run("{repo2}", "audit"),
  expect: {
    status: [402, 429],
    json: { error: { in: [{ type: "rate_limit_error", code: "rate_limit_budget" }, { type: "billing_error" }] } },
  },
};

/** The steps that set a key's ceilings, the resulting rate, and the clauses of each ceiling. */
interface History {
  steps: Step[];
  rate?: { rpm: number; clauses: readonly string[] };
  money?: readonly string[];
}

type Field = keyof Ceilings;

/** Returns the steps of a case. The last dollar ceiling is a cent, so that a run uses it up; earlier ones are above the cost of a run. */
function patchHistory(ceilings: Ceilings, patches: readonly Patch[]): History {
  const lastOfMoney = patches.findLastIndex(({ sets, wrong }) => wrong === "no" && sets.includes("dollars_per_hour"));
  const amount = (at: number) => (at === lastOfMoney ? CENT_IN_DOLLARS : (DOLLAR_CEILINGS[at + 1] ?? CENT_IN_DOLLARS));
  const first = { ...ceilings, ...(ceilings.dollars_per_hour !== undefined && { dollars_per_hour: amount(-1) }) };
  const now: Ceilings = { ...first };
  const clauses: Record<Field, string[]> = { requests_per_minute: ["KEY-FIELD-RPM"], dollars_per_hour: ["KEY-FIELD-DOLLARS"] };
  const steps: Step[] = [createRoleKey(ROLE, first)];
  for (const [at, { sets, wrong }] of patches.entries()) {
    const fields = wrong === "no" ? sets : sets.filter((field) => now[field] !== undefined);
    if (fields.length === 0) continue;
    const lower: Required<Ceilings> = { requests_per_minute: RATE_CEILINGS[at + 1] ?? 1, dollars_per_hour: amount(at) };
    const json = Object.fromEntries(fields.map((field) => [field, patchValue(wrong, lower[field])]));
    steps.push(patchStep(json, wrong));
    for (const field of fields) {
      if (wrong !== "no") clauses[field] = [...new Set([...clauses[field], "KEY-PATCH-UNCHANGED"])];
      else clauses[field] = [now[field] === undefined ? "KEY-PATCH-SET" : "KEY-PATCH-LOWER"];
      if (wrong === "no") Object.assign(now, { [field]: lower[field] });
    }
  }
  const { requests_per_minute: rpm, dollars_per_hour: dollars } = now;
  return {
    steps,
    ...(rpm !== undefined && { rate: { rpm, clauses: clauses.requests_per_minute } }),
    ...(dollars !== undefined && { money: clauses.dollars_per_hour }),
  };
}

function patchValue(wrong: Patch["wrong"], lower: number | string): unknown {
  return wrong === "clears" ? null : wrong === "raises" ? 10_000_000 : lower;
}

/** Other properties judge the refusal itself; here the ceiling must stay. */
function patchStep(json: object, wrong: Patch["wrong"]): Step {
  const given = { status: wrong === "no" ? "2xx" : { lt: 500 } };
  return { rest: `PATCH /api/keys/{${formatKeyId(ROLE)}}`, session: "admin", json, given };
}

function createLimit(rpm: number, clauses: readonly string[]): RateLimit {
  const figures = { min: rpm, max: rpm, kind: "key ceiling" } as const;
  return createRoleLimit({ name: `a ceiling of ${rpm}`, ...figures, clauses, requests: UNBOUNDED_STEPS }, ROLE);
}
