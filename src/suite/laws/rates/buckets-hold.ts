import fc from "fast-check";
import type { CaseOutcome, JudgedPoint, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Covers } from "../../../engine/scenario/dimensions.js";
import type { Step } from "../../../engine/scenario/format.js";
import { pathBuckets } from "../../statements/buckets.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import { KEY_CREATION_NEEDS, REGISTRATION_NEEDS } from "../../statements/setup-steps.js";
import { inconclusive } from "../blame.js";
import { prepare } from "../prepare.js";
import { type BucketDraw, bucketDraws, drawnUpon, HELPER, limitOf, ownRepository } from "./bucket-draws.js";
import { UNBOUNDED } from "./budgets-hold.js";
import { changesOf } from "./changes.js";
import { type Course, holdRate, type Neighbour, type RateResult, REST_SECONDS } from "./hold.js";
import { coversOf, everything, pointsOf, type Values } from "./judged.js";
import { keyWith } from "./keys.js";
import { drawnBy, type RateLimit } from "./rate.js";

/** In which order which ways to use buckets up are tried, and a ceiling of a key below each bucket and one above it. */
interface Case {
  order: number[];
  course: Course;
  /** How much of a bucket a ceiling below it leaves, in hundredths; at most a half less one, so that the two cannot be taken for each other. */
  below: number;
  above: number;
}

/** Every clause of a bucket that the cases judge. */
const CLAUSES = Object.values(pathBuckets).flatMap(({ clauses }) => clauses);
const SHARED = ["BUCKET-ENFORCED", "BUCKET-PER-KEY", "BUCKET-ADDITIONAL", "BUCKET-CODE", "RETRY-AFTER-429", "RETRY-AFTER-HELPS"];
const COMBINED = ["LIMIT-EFFECTIVE", "LIMIT-EFFECTIVE-KEY", "LIMIT-EFFECTIVE-PATH", "KEY-FIELD-RPM", "KEY-CEILING-TIGHTEN"];

/** BUCKET-*, LIMIT-EFFECTIVE: each bucket alone, and with a ceiling of the key on either side of it. */
export const bucketsHold: Property<Case> = {
  id: "buckets-hold",
  title:
    "A path bucket lets its number a minute through and not one more, or the key's ceiling where that is lower; others stay free",
  proves: [...new Set([...CLAUSES, ...SHARED, ...COMBINED])],
  needs: ["worlds", "clock", `key.${HELPER}`, ...REGISTRATION_NEEDS],
  effects: ["read", "write", "paid", "destructive"],
  covers: covers(),
  runs: 2,
  most: 2,
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
  run: holdAll,
};

async function holdAll(sut: SystemUnderTest, { order, course, below, above }: Case): Promise<CaseOutcome> {
  const unready = await prepare(sut, [ownRepository]);
  if (unready) return unready;
  const makesKeys = KEY_CREATION_NEEDS.every(sut.offers);
  const judged: JudgedPoint[] = [];
  let subjects = 0;
  let unsaid = "nothing was tried";
  for (const draw of order.flatMap((index) => bucketDraws[index] ?? [])) {
    const { most } = limitOf(draw);
    const ceilings = makesKeys ? [ceilingBelow(most, below), 2 * most + 2 + above] : [];
    for (const rpm of [undefined, ...ceilings]) {
      const limit = limitWith(draw, rpm);
      const again = rpm === undefined || limit.kind === "key ceiling" ? { course } : {};
      const result = await holdOne(sut, { draw, limit, rpm, ...again });
      if ("verdict" in result) return result;
      if (!result.ok) unsaid = result.why;
      if (!result.ok) continue;
      subjects += result.subjects;
      judged.push(...pointsOf(limit, result, valuesOf(draw, limit)));
      sut.coverage.reach("buckets", draw.bucket);
    }
  }
  return subjects > 0 ? { verdict: "passed", subjects, judged } : inconclusive(unsaid);
}

/** One bucket used up in one way, by `full` from rest or by a new key with a ceiling. */
interface DrawTrial {
  draw: BucketDraw;
  limit: RateLimit;
  rpm: number | undefined;
  /** Where none is given, the first refusal is enough. */
  course?: Course;
}

async function holdOne(sut: SystemUnderTest, { draw, limit, course, rpm }: DrawTrial): Promise<RateResult> {
  const role = roleOf(draw, rpm);
  const needed = [...drawnUpon(sut.offers), ...(rpm === undefined ? [] : [keyWith(role, { requests_per_minute: rpm })])];
  const rested = rpm === undefined ? await sut.wait(REST_SECONDS) : { ok: true };
  const unready = await prepare(sut, needed);
  if (!rested.ok || unready) return { ok: false, why: unready?.verdict === "inconclusive" ? unready.why : "no rest" };
  const neighbours = rpm === undefined ? neighboursOf(draw, sut.offers) : [];
  const between = changesOf(sut.offers, rpm === undefined ? undefined : role);
  return holdRate(sut, limit, { ...(course && { course }), before: [ownRepository, ...needed], neighbours, between });
}

function roleOf({ bucket }: BucketDraw, rpm: number | undefined): string {
  return rpm === undefined ? DEFAULT_ROLE : `held_to_${rpm}_${bucket}`;
}

function ceilingBelow(most: number, hundredths: number): number {
  return Math.max(1, Math.floor((((most - 2) / 2) * hundredths) / 100));
}

/** LIMIT-EFFECTIVE: of a bucket and a ceiling the lower one. */
function limitWith(draw: BucketDraw, rpm: number | undefined): RateLimit {
  const bucket = limitOf(draw);
  if (rpm === undefined) return { ...bucket, clauses: [...bucket.clauses, "LIMIT-EFFECTIVE"] };
  const limit = drawnBy(bucket, roleOf(draw, rpm));
  if (rpm >= bucket.least)
    return { ...limit, clauses: [...bucket.clauses.slice(0, 1), "LIMIT-EFFECTIVE", "LIMIT-EFFECTIVE-PATH"] };
  return {
    ...limit,
    ...{ kind: "key ceiling", name: `a ceiling of ${rpm} below the bucket ${draw.bucket}`, least: rpm, most: rpm },
    clauses: ["LIMIT-EFFECTIVE", "LIMIT-EFFECTIVE-KEY", "KEY-FIELD-RPM"],
  };
}

/** What a try covers, beside how many operations were asked in turn. */
function valuesOf({ operations }: BucketDraw, { kind }: RateLimit): Values {
  return { operation: operations, "least figure": [kind === "path bucket" ? "bucket" : "key ceiling"] };
}

/** BUCKET-*-COMBINED, BUCKET-ADDITIONAL, BUCKET-PER-KEY: its own operations are refused, those of every other bucket and of none are not, nor is another key. */
function neighboursOf({ bucket }: BucketDraw, offers: (need: string) => boolean): Neighbour[] {
  const offered = bucketDraws.filter(({ needs }) => needs.every(offers));
  const ofBucket = offered.filter((one) => one.bucket === bucket);
  const own = ofBucket.flatMap(({ requests, operations }) => byOperation(requests, operations));
  const others = ofBucket.flatMap(({ requests, elsewhere = requests, operations }) => byOperation(elsewhere, operations));
  const undo = ofBucket[0]?.undo;
  const combined = (pathBuckets[bucket].clauses as readonly string[]).at(-1) ?? "";
  return [
    ...own.map(([operation, step]) => ({
      step: besides(step),
      clause: combined,
      refused: true,
      values: { operation: [operation] },
    })),
    ...UNBOUNDED.map((step) => ({ step, clause: "BUCKET-ADDITIONAL", refused: false })),
    ...offered
      .filter((one) => one.bucket !== bucket)
      .flatMap((other) =>
        other.requests.map((request, at) => ({
          ...{ step: besides(request), ...(other.undo && { undo: other.undo }), clause: "BUCKET-ADDITIONAL", refused: false },
          values: { "full bucket": [bucket], operation: other.operations.slice(at, at + 1) },
        })),
      ),
    ...[HELPER, "free"]
      .filter((role) => offers(`key.${role}`))
      .flatMap((as) =>
        others.map(([operation, step]) => ({
          ...{ step: { ...besides(step), as }, ...(undo && { undo }), clause: "BUCKET-PER-KEY", refused: false },
          values: { operation: [operation] },
        })),
      ),
  ];
}

/** One request of each operation: of those that are asked twice in a round the last. */
function byOperation(requests: readonly Step[], operations: readonly string[]): [operation: string, step: Step][] {
  return [...new Map(requests.map((step, at) => [operations[at] ?? "", step]))];
}

/** A request of a series that stands alone. Only that of what is there already does not say which of the series it is. */
function besides(step: Step): Step {
  return JSON.parse(JSON.stringify(step).replaceAll("-{i}", "")) as Step;
}

/** What the cases can judge, for the lint. */
function covers(): Record<string, Covers> {
  const points = bucketDraws.flatMap((draw) =>
    [undefined, 1, 1000].flatMap((rpm) => {
      const limit = limitWith(draw, rpm);
      return pointsOf(limit, everything(neighboursOf(draw, () => true)), valuesOf(draw, limit));
    }),
  );
  return coversOf(points);
}
