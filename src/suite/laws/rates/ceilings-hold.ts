import fc from "fast-check";
import type { CaseOutcome, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { VIEW_SCOPES } from "../../statements/roles.js";
import { KEY_CREATION_NEEDS } from "../../statements/setup-steps.js";
import { assertAnswer } from "../assertion.js";
import { inconclusive } from "../blame.js";
import { prepare } from "../prepare.js";
import { UNBOUNDED } from "./budgets-hold.js";
import { changesOf } from "./changes.js";
import { type Course, holdRate, REST_SECONDS } from "./hold.js";
import { coversOf, everything, pointsOf, pointsOver } from "./judged.js";
import { type Ceilings, keyIdOf, keyWith } from "./keys.js";
import { drawnBy, type RateLimit } from "./rate.js";

/** The ceilings that a key is made with, and those that PATCHes set or lower in turn; `null` and more are refused and change nothing. */
interface Case {
  made: Ceilings;
  patches: Patch[];
  course: Course;
}

type Patch = { sets: readonly ("requests_per_minute" | "dollars_per_hour")[]; wrong: "no" | "clears" | "raises" };

const ROLE = "bounded";
/** So little that the first run uses it up, whatever it costs. */
const CENT = 0.01;
/** Ceilings of requests, from that of the key's making to the last PATCH: each less than the one before. */
const RATES = [20, 12, 7, 3];
/** Ceilings of money, more than any run costs, until a cent. */
const AMOUNTS = [1_000_000, 500_000, 400_000, 300_000];

const RATE = { ceiling: ["requests_per_minute"] } as const;
const MONEY = { ceiling: ["dollars_per_hour"] } as const;

/** KEY-PATCH-*: the last ceilings of both kinds hold, however they came to be. */
export const ceilingsHold: Property<Case> = {
  id: "ceilings-hold",
  title: "Both ceilings of a key hold as they were last set, whatever else was patched and refused between",
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
  covers: coversOf([
    ...pointsOf(limitOf(3, ["KEY-PATCH-SET", "KEY-PATCH-LOWER", "KEY-PATCH-UNCHANGED", "KEY-FIELD-RPM"]), everything([]), RATE),
    ...["KEY-PATCH-SET", "KEY-PATCH-LOWER"].flatMap((clause) => pointsOver(clause, "rest", MONEY)),
  ]),
  runs: 8,
  most: 12,
  cases: () => {
    const fields = ["requests_per_minute", "dollars_per_hour"] as const;
    const patch = fc.record({
      sets: fc.subarray([...fields], { minLength: 1 }),
      wrong: fc.constantFrom("no" as const, "no" as const, "clears" as const, "raises" as const),
    });
    const both = { requests_per_minute: 20, dollars_per_hour: 1_000_000 };
    return fc.record({
      made: fc.constantFrom<Ceilings>({}, { requests_per_minute: 20 }, { dollars_per_hour: 1_000_000 }, both),
      // the first sets something, so that there is a ceiling in any case; the next one touches but one of the two
      patches: fc
        .tuple(fc.subarray([...fields], { minLength: 1 }), fc.constantFrom(...fields), fc.array(patch, { maxLength: 1 }))
        .map(([first, one, more]): Patch[] => [{ sets: first, wrong: "no" }, { sets: [one], wrong: "no" }, ...more]),
      course: fc.record({ gapSeconds: fc.integer({ min: 2, max: 20 }), rests: fc.boolean() }),
    });
  },
  run: hold,
};

async function hold(sut: SystemUnderTest, { made, patches, course }: Case): Promise<CaseOutcome> {
  const { steps, rate, money } = historyOf(made, patches);
  const unready = await prepare(sut, steps);
  if (unready) return unready;
  const judged: JudgedPoint[] = [];
  const before = [...steps];
  if (money) {
    const spent = await spendCent(sut);
    if (!spent.ok) return inconclusive(spent.why);
    before.push(...spent.steps);
    const assertion = {
      step: SECOND_RUN,
      clauses: money,
      why: "a key starts paid work though its last ceiling of money is used up",
    };
    const found = await assertAnswer(sut, assertion, { needed: before });
    if (found) return found;
    judged.push(...money.flatMap((clause) => pointsOver(clause, "rest", MONEY)));
  }
  const rested = rate ? await sut.wait(REST_SECONDS) : undefined;
  if (!rate || !rested?.ok) return outcomeOf(judged, judged.length);
  const limit = limitOf(rate.rpm, rate.clauses);
  const result = await holdRate(sut, limit, {
    course,
    before: [...before, REST],
    between: changesOf(sut.offers, ROLE, VIEW_SCOPES),
  });
  if ("verdict" in result) return result;
  if (!result.ok) return inconclusive(result.why);
  return outcomeOf([...judged, ...pointsOf(limit, result, RATE)], result.subjects);
}

/** Starts a run, unless that is refused already, and has it end, as it may be charged only then; after that the cent is spent. */
async function spendCent(sut: SystemUnderTest): Promise<{ ok: true; steps: Step[] } | { ok: false; why: string }> {
  const sent = await sut.send(FIRST_RUN);
  if (!sent.ok) return sent;
  const isStarted = sent.response.status < 300;
  const ended = isStarted ? await sut.drive("finish-job", FINISH.with) : { ok: true as const };
  if (!ended.ok) return ended;
  const waited = await sut.wait(REST_SECONDS);
  return waited.ok ? { ok: true, steps: [FIRST_RUN, ...(isStarted ? [FINISH] : []), REST] } : waited;
}

function outcomeOf(judged: readonly JudgedPoint[], subjects: number): CaseOutcome {
  return subjects > 0 ? { verdict: "passed", subjects, judged } : inconclusive("the key has no ceiling");
}

const REST: Step = { clock: { by: `${REST_SECONDS}s` } };
const run = (repo: string, workflow: string): Step => ({
  rest: `POST /api/repos/${repo}/jobs`,
  as: ROLE,
  query: { force: "true" },
  json: { workflow, params: {} },
  retry: false,
});
const FIRST_RUN: Step = { ...run("{repo}", "standard_audit"), save: { first_run: "/id" } };
const FINISH = { drive: "finish-job", with: { job_id: "{first_run}", outcome: "success" } };
const SECOND_RUN = {
  ...run("{repo2}", "audit"),
  expect: {
    status: [402, 429],
    json: { error: { in: [{ type: "rate_limit_error", code: "rate_limit_budget" }, { type: "billing_error" }] } },
  },
};

/** The steps that lead to a key's ceilings, what then is its ceiling of requests, and the clauses by which each holds. */
interface History {
  steps: Step[];
  rate?: { rpm: number; clauses: readonly string[] };
  money?: readonly string[];
}

type Field = keyof Ceilings;

/** The last figure of money is a cent, so that it can be used up; all before are more than a run costs. */
function historyOf(made: Ceilings, patches: readonly Patch[]): History {
  const lastOfMoney = patches.findLastIndex(({ sets, wrong }) => wrong === "no" && sets.includes("dollars_per_hour"));
  const amount = (at: number) => (at === lastOfMoney ? CENT : (AMOUNTS[at + 1] ?? CENT));
  const first = { ...made, ...(made.dollars_per_hour !== undefined && { dollars_per_hour: amount(-1) }) };
  const now: Ceilings = { ...first };
  const clauses: Record<Field, string[]> = { requests_per_minute: ["KEY-FIELD-RPM"], dollars_per_hour: ["KEY-FIELD-DOLLARS"] };
  const steps: Step[] = [keyWith(ROLE, first)];
  for (const [at, { sets, wrong }] of patches.entries()) {
    const fields = wrong === "no" ? sets : sets.filter((field) => now[field] !== undefined);
    if (fields.length === 0) continue;
    const lower: Required<Ceilings> = { requests_per_minute: RATES[at + 1] ?? 1, dollars_per_hour: amount(at) };
    const json = Object.fromEntries(fields.map((field) => [field, figure(wrong, lower[field])]));
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

function figure(wrong: Patch["wrong"], lower: number | string): unknown {
  return wrong === "clears" ? null : wrong === "raises" ? 10_000_000 : lower;
}

/** What is refused is judged elsewhere; here it must not be done. */
function patchStep(json: object, wrong: Patch["wrong"]): Step {
  const given = { status: wrong === "no" ? "2xx" : { lt: 500 } };
  return { rest: `PATCH /api/keys/{${keyIdOf(ROLE)}}`, session: "admin", json, given };
}

function limitOf(rpm: number, clauses: readonly string[]): RateLimit {
  const figures = { least: rpm, most: rpm, kind: "key ceiling" } as const;
  return drawnBy({ name: `a ceiling of ${rpm}`, ...figures, clauses, requests: UNBOUNDED }, ROLE);
}
