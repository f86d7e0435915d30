import fc from "fast-check";
import type { CaseOutcome, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Covers } from "../../../engine/scenario/dimensions.js";
import type { Step } from "../../../engine/scenario/format.js";
import { listVariables } from "../../../engine/scenario/interpolate.js";
import { pathBuckets } from "../../statements/buckets.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import { KEY_CREATION_NEEDS, REGISTRATION_NEEDS } from "../../statements/setup-steps.js";
import { createInconclusive } from "../outcome.js";
import { prepare } from "../steps.js";
import { type BucketDraw, bucketDraws, createLimit, drawResources, HELPER_KEY_ROLE, ownRepository } from "./bucket-draws.js";
import { completeEvidence, groupCovers, listPoints, type Values } from "./judged-points.js";
import { UNBOUNDED_STEPS } from "./key-budget.js";
import { createRoleKey, listKeyChanges } from "./keys.js";
import { createRoleLimit, type RateLimit } from "./rate-limit.js";
import { type RateResult, REST_SECONDS, type RequestAtLimit, type RetryPlan, tryLimit } from "./rate-trial.js";

/** The order of the draws, and a ceiling of a key below and above each bucket. */
interface Case {
  order: number[];
  course: RetryPlan;
  /** The ceiling below a bucket, in percent of the largest one that cannot be mistaken for the bucket (about half of it). */
  below: number;
  above: number;
}

/** Every clause of a bucket. */
const BUCKET_CLAUSES = Object.values(pathBuckets).flatMap(({ clauses }) => clauses);
const SHARED_CLAUSES = [
  "BUCKET-ENFORCED",
  "BUCKET-PER-KEY",
  "BUCKET-ADDITIONAL",
  "BUCKET-CODE",
  "RETRY-AFTER-429",
  "RETRY-AFTER-HELPS",
];
const COMBINED_CLAUSES = [
  "LIMIT-EFFECTIVE",
  "LIMIT-EFFECTIVE-KEY",
  "LIMIT-EFFECTIVE-PATH",
  "KEY-FIELD-RPM",
  "KEY-CEILING-TIGHTEN",
];

/** BUCKET-*, LIMIT-EFFECTIVE: tests each bucket alone, and with a key ceiling on either side of it. */
export const pathBucketRates: Property<Case> = {
  id: "path-buckets",
  title: "A path bucket, or a lower ceiling of the key, allows exactly its requests a minute and limits nothing else",
  proves: [...new Set([...BUCKET_CLAUSES, ...SHARED_CLAUSES, ...COMBINED_CLAUSES])],
  needs: ["worlds", "clock", `key.${HELPER_KEY_ROLE}`, ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid", "destructive"],
  covers: covers(),
  runs: 2,
  max: 2,
  cases: ({ offers, coverage }) => {
    const known = bucketDraws.flatMap(({ needs }, index) => (needs.every(offers) ? [index] : []));
    coverage.expect("buckets", new Set(known.map((index) => bucketDraws[index]?.bucket ?? "")));
    return fc.record({
      order: fc.shuffledSubarray(known, { minLength: known.length }),
      course: fc.record({ gapSeconds: fc.integer({ min: 2, max: 20 }), rests: fc.boolean() }),
      below: fc.integer({ min: 1, max: 99 }),
      above: fc.integer({ min: 0, max: 300 }),
    });
  },
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { order, course, below, above }: Case): Promise<CaseOutcome> {
  const setupFailure = await prepare(sut, [ownRepository]);
  if (setupFailure) return setupFailure;
  const makesKeys = KEY_CREATION_NEEDS.every(sut.offers);
  const judgedPoints: JudgedPoint[] = [];
  let subjects = 0;
  let why = "nothing was tried";
  for (const draw of order.flatMap((index) => bucketDraws[index] ?? [])) {
    const { max } = createLimit(draw);
    const ceilings = makesKeys ? [computeCeiling(max, below), 2 * max + 2 + above] : [];
    for (const rpm of [undefined, ...ceilings]) {
      const limit = createDrawnLimit(draw, rpm);
      const again = rpm === undefined || limit.kind === "key ceiling" ? { course } : {};
      const result = await tryDraw(sut, { draw, limit, rpm, ...again });
      if ("verdict" in result) return result;
      if (!result.ok) why = result.why;
      if (!result.ok) continue;
      subjects += result.subjects;
      judgedPoints.push(...listPoints(limit, result, listValues(draw, limit)));
      sut.coverage.reach("buckets", draw.bucket);
    }
  }
  return subjects > 0 ? { verdict: "passed", subjects, judged: judgedPoints } : createInconclusive(why);
}

/** One bucket and one draw, by `full` with an unused bucket or by a new key with a ceiling. */
interface DrawTrial {
  draw: BucketDraw;
  limit: RateLimit;
  rpm: number | undefined;
  /** Without `course`, the trial ends at the first refusal. */
  course?: RetryPlan;
}

async function tryDraw(sut: SystemUnderTest, { draw, limit, course, rpm }: DrawTrial): Promise<RateResult> {
  const role = findRole(draw, rpm);
  const restResult = rpm === undefined ? await sut.wait(REST_SECONDS) : { ok: true };
  const steps = [
    ...(await prepareResources(sut)),
    ...(rpm === undefined ? [] : [createRoleKey(role, { requests_per_minute: rpm })]),
  ];
  const setupFailure = await prepare(sut, rpm === undefined ? [] : steps.slice(-1));
  if (!restResult.ok || setupFailure)
    return { ok: false, why: setupFailure?.verdict === "inconclusive" ? setupFailure.why : "the clock could not be advanced" };
  if (!draw.requests.every((step) => isKnown(sut, step))) return { ok: false, why: `the target has nothing for ${limit.name}` };
  const otherRequests = rpm === undefined ? listNeighbours(draw, sut.offers).filter(({ step }) => isKnown(sut, step)) : [];
  const between = listKeyChanges(sut.offers, rpm === undefined ? undefined : role);
  return tryLimit(sut, limit, {
    ...(course && { course }),
    before: [ownRepository, ...steps],
    neighbours: otherRequests,
    between,
  });
}

/** Creates the resources of the draws that the server allows. Returns the steps that worked. */
async function prepareResources(sut: SystemUnderTest): Promise<Step[]> {
  const done: Step[] = [];
  for (const step of drawResources(sut.offers)) if (!(await prepare(sut, [step]))) done.push(step);
  return done;
}

/** Returns whether the resources that a request names exist. */
function isKnown(sut: SystemUnderTest, step: Step): boolean {
  return listVariables(step).every((name) => name === "i" || sut.lookup(name) !== undefined);
}

function findRole({ bucket }: BucketDraw, rpm: number | undefined): string {
  return rpm === undefined ? DEFAULT_ROLE : `held_to_${rpm}_${bucket}`;
}

function computeCeiling(max: number, hundredths: number): number {
  return Math.max(1, Math.floor((((max - 2) / 2) * hundredths) / 100));
}

/** Returns the lower of a bucket and a ceiling. LIMIT-EFFECTIVE. */
function createDrawnLimit(draw: BucketDraw, rpm: number | undefined): RateLimit {
  const bucket = createLimit(draw);
  if (rpm === undefined) return { ...bucket, alsoJudged: ["LIMIT-EFFECTIVE", ...(bucket.alsoJudged ?? [])] };
  const limit = createRoleLimit(bucket, findRole(draw, rpm));
  // without a ceiling the bucket was enforced
  if (rpm >= bucket.min)
    return { ...limit, clauses: ["LIMIT-EFFECTIVE", "LIMIT-EFFECTIVE-PATH"], alsoJudged: bucket.clauses.slice(0, 1) };
  return {
    ...limit,
    ...{ kind: "key ceiling", name: `a ceiling of ${rpm} below the bucket ${draw.bucket}`, min: rpm, max: rpm },
    clauses: ["LIMIT-EFFECTIVE-KEY", "KEY-FIELD-RPM"],
    alsoJudged: ["LIMIT-EFFECTIVE"],
  };
}

/** Returns the covered dimension values of a draw. */
function listValues({ operations }: BucketDraw, { kind }: RateLimit): Values {
  return { operation: operations, "least figure": [kind === "path bucket" ? "bucket" : "key ceiling"] };
}

/**
 * Returns the requests to send while the bucket is used up. BUCKET-*-COMBINED: its operations are refused. BUCKET-ADDITIONAL, BUCKET-PER-KEY: other
 * buckets, requests without a bucket and other keys are not.
 */
function listNeighbours({ bucket }: BucketDraw, offers: (need: string) => boolean): RequestAtLimit[] {
  const offered = bucketDraws.filter(({ needs }) => needs.every(offers));
  const ofBucket = offered.filter((bucketDraw) => bucketDraw.bucket === bucket);
  const own = ofBucket.flatMap(({ requests, operations }) => listLastRequests(requests, operations));
  const others = ofBucket.flatMap(({ requests, elsewhere = requests, operations }) => listLastRequests(elsewhere, operations));
  const undo = ofBucket[0]?.undo;
  const combined = (pathBuckets[bucket].clauses as readonly string[]).at(-1) ?? "";
  return [
    ...own.map(([operation, step]) => ({
      step: removeCounter(step),
      clause: combined,
      refused: true,
      values: { operation: [operation] },
    })),
    ...UNBOUNDED_STEPS.map((step) => ({ step, clause: "BUCKET-ADDITIONAL", refused: false })),
    ...offered
      .filter((bucketDraw) => bucketDraw.bucket !== bucket)
      .flatMap((other) =>
        other.requests.map((request, at) => ({
          ...{
            step: removeCounter(request),
            ...(other.undo && { undo: other.undo }),
            clause: "BUCKET-ADDITIONAL",
            refused: false,
          },
          values: { "full bucket": [bucket], operation: other.operations.slice(at, at + 1) },
        })),
      ),
    ...[HELPER_KEY_ROLE, "free"]
      .filter((role) => offers(`key.${role}`))
      .flatMap((as) =>
        others.map(([operation, step]) => ({
          ...{ step: { ...removeCounter(step), as }, ...(undo && { undo }), clause: "BUCKET-PER-KEY", refused: false },
          values: { operation: [operation] },
        })),
      ),
  ];
}

/** Returns one request of each operation: the last one where a draw has several. */
function listLastRequests(requests: readonly Step[], operations: readonly string[]): [operation: string, step: Step][] {
  return [...new Map(requests.map((step, at) => [operations[at] ?? "", step]))];
}

/** Returns a request without its counter. */
function removeCounter(step: Step): Step {
  return JSON.parse(JSON.stringify(step).replaceAll("-{i}", "")) as Step;
}

/** Returns what the cases can judge, for the lint. */
function covers(): Record<string, Covers> {
  const points = bucketDraws.flatMap((draw) =>
    [undefined, 1, 1000].flatMap((rpm) => {
      const limit = createDrawnLimit(draw, rpm);
      return listPoints(limit, completeEvidence(listNeighbours(draw, () => true)), listValues(draw, limit));
    }),
  );
  return groupCovers(points);
}
