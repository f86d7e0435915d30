import fc from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { keyBudgets } from "../../statements/buckets.js";
import { createInconclusive } from "../outcome.js";
import { completeEvidence, groupCovers, listPoints } from "./judged-points.js";
import { computeBounds, createRoleLimit, type RateLimit } from "./rate-limit.js";
import { type RequestAtLimit, type RetryPlan, tryLimit } from "./rate-trial.js";

/** Reads without a path bucket, which only the budget of their key limits. BUCKET-NONE. */
export const UNBOUNDED_STEPS: readonly Step[] = [
  { rest: "GET /api/jobs", query: { limit: 1 } },
  { rest: "GET /api/observations", query: { limit: 1 } },
  { rest: "GET /api/forecasts/lookup", query: { workflow: "audit" } },
];

/** Reads with a path bucket. They count against the budget of their key too. */
const BOUNDED_STEPS: readonly Step[] = [{ rest: "GET /api/repos", query: { limit: 1 } }];

const { rpm, clause } = keyBudgets.free;

/** BUDGET-FREE. A scenario checks the Paid budget, because it takes thousands of requests. */
const keyBudgetLimit: RateLimit = createRoleLimit(
  {
    ...{ name: "the budget of a key on Free", kind: "plan budget", ...computeBounds(rpm) },
    clauses: [clause, "LIMIT-EFFECTIVE"],
    requests: UNBOUNDED_STEPS.slice(0, 1),
  },
  "free",
);

/** Every request of the key is refused, and a request of another key is not. */
const otherRequests: readonly RequestAtLimit[] = [
  ...[...UNBOUNDED_STEPS, ...BOUNDED_STEPS].map((step) => ({
    ...{ step: { ...step, as: "free" }, clause, refused: true },
    values: { mix: ["several in turn"] },
  })),
  {
    step: { ...(UNBOUNDED_STEPS[0] as Step), as: "full" },
    clause: "BUDGET-UNSHARED",
    refused: false,
    values: { plan: ["free"] },
  },
];

const FIGURE_POINTS = { "least figure": ["plan budget"] } as const;

/** BUDGET-*: all requests of a key share one budget, and keys do not share it. */
export const keyBudget: Property<RetryPlan> = {
  id: "key-budget",
  title: "A Free key has about 600 requests a minute for all routes together, and shares them with no other key",
  proves: [clause, "BUDGET-UNSHARED", "LIMIT-EFFECTIVE", "LIMIT-EFFECTIVE-KEY", "RETRY-AFTER-429", "RETRY-AFTER-HELPS"],
  needs: ["worlds", "clock", "key.free"],
  effects: ["read", "write"], // it uses up a limit that other clients may need
  covers: groupCovers(listPoints(keyBudgetLimit, completeEvidence(otherRequests), FIGURE_POINTS)),
  runs: 1,
  max: 1,
  cases: () => fc.record({ gapSeconds: fc.integer({ min: 2, max: 5 }), rests: fc.constant(false) }),
  run: runCase,
};

async function runCase(sut: SystemUnderTest, course: RetryPlan): Promise<CaseOutcome> {
  const result = await tryLimit(sut, keyBudgetLimit, { course, before: [], neighbours: otherRequests });
  if ("verdict" in result) return result;
  if (!result.ok) return createInconclusive(result.why);
  return { verdict: "passed", subjects: result.subjects, judged: listPoints(keyBudgetLimit, result, FIGURE_POINTS) };
}
