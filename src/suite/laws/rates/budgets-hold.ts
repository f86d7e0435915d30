import fc from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { keyBudgets } from "../../statements/buckets.js";
import { inconclusive } from "../blame.js";
import { type Course, holdRate, type Neighbour } from "./hold.js";
import { coversOf, everything, pointsOf } from "./judged.js";
import { about, drawnBy, type RateLimit } from "./rate.js";

/** Reads without a bucket: only the budget of their key bounds them. BUCKET-NONE. */
export const UNBOUNDED: readonly Step[] = [
  { rest: "GET /api/jobs", query: { limit: 1 } },
  { rest: "GET /api/observations", query: { limit: 1 } },
  { rest: "GET /api/forecasts/lookup", query: { workflow: "audit" } },
];

/** Reads with a bucket, on which the budget of their key draws too. */
const BOUNDED: readonly Step[] = [{ rest: "GET /api/repos", query: { limit: 1 } }];

const { rpm, clause } = keyBudgets.free;

/** BUDGET-FREE: of Paid the figure alone is asked, by a scenario, as it takes thousands of requests. */
const budget: RateLimit = drawnBy(
  {
    ...{ name: "the budget of a key on Free", kind: "plan budget", ...about(rpm) },
    clauses: [clause, "LIMIT-EFFECTIVE"],
    requests: UNBOUNDED.slice(0, 1),
  },
  "free",
);

/** Whatever the key asks is refused, and no other key is. */
const neighbours: readonly Neighbour[] = [
  ...[...UNBOUNDED, ...BOUNDED].map((step) => ({
    ...{ step: { ...step, as: "free" }, clause, refused: true },
    values: { mix: ["several in turn"] },
  })),
  { step: { ...(UNBOUNDED[0] as Step), as: "full" }, clause: "BUDGET-UNSHARED", refused: false, values: { plan: ["free"] } },
];

const LEAST = { "least figure": ["plan budget"] } as const;

/** BUDGET-*: the budget of a key is one, whichever routes it asks, and its own. */
export const budgetsHold: Property<Course> = {
  id: "budgets-hold",
  title: "A Free key has about six hundred requests a minute over all routes together, and none of another key's",
  proves: [clause, "BUDGET-UNSHARED", "LIMIT-EFFECTIVE", "LIMIT-EFFECTIVE-KEY", "RETRY-AFTER-429", "RETRY-AFTER-HELPS"],
  needs: ["worlds", "clock", "key.free"],
  effects: ["read", "write"], // it takes from a limit what others may need
  covers: coversOf(pointsOf(budget, everything(neighbours), LEAST)),
  runs: 1,
  most: 1,
  cases: () => fc.record({ gapSeconds: fc.integer({ min: 2, max: 5 }), rests: fc.constant(false) }),
  run: useUpFree,
};

async function useUpFree(sut: SystemUnderTest, course: Course): Promise<CaseOutcome> {
  const result = await holdRate(sut, budget, { course, before: [], neighbours });
  if ("verdict" in result) return result;
  if (!result.ok) return inconclusive(result.why);
  return { verdict: "passed", subjects: result.subjects, judged: pointsOf(budget, result, LEAST) };
}
