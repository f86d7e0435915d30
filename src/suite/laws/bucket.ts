import fc from "fast-check";
import type { WireResponse } from "../../engine/http/exchange.js";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { RequestText, Step } from "../../engine/scenario/format.js";
import { failed, inconclusive, whereOf } from "./blame.js";
import { type Bucket, type BucketName, bucketNames, bucketOf } from "./buckets.js";
import { prepare } from "./prepare.js";

/** A bucket, which of its requests empties it and which is tried afterwards, and how long is waited in between. */
interface Case {
  bucket: BucketName;
  drain: number;
  after: number;
  waitSeconds: number;
}

const SHARED = ["BUCKET-ENFORCED", "BUCKET-PER-KEY", "BUCKET-ADDITIONAL", "RETRY-AFTER-HELPS"];

/**
 * BUCKET-*: N requests pass, a 429 comes by the one after 2N + 1, and whatever window is counted by, no more than N pass in the minute that
 * follows. The last can be held against a server only while its clock stands.
 */
export const bucketsHold: Property<Case> = {
  id: "buckets-hold",
  title: "A path bucket lets its number a minute through and not one more, and leaves other keys and paths alone",
  proves: [...SHARED, ...bucketNames.flatMap((name) => bucketOf(name).clauses)],
  needs: ["worlds", "clock"],
  effects: ["read", "write", "paid", "destructive"],
  runs: 28,
  cases: ({ offers, coverage }) => {
    const known = bucketNames.filter((name) => bucketOf(name).needs.every(offers));
    coverage.expect("buckets", known.map(pointOf));
    const unseen = known.filter((name) => coverage.visits("buckets", pointOf(name)) === 0);
    return fc.record({
      bucket: fc.constantFrom(...(unseen.length > 0 && unseen.length < known.length ? unseen : known)),
      drain: fc.nat(3),
      after: fc.nat(3),
      waitSeconds: fc.oneof(fc.constant(60), fc.integer({ min: 1, max: 60 })),
    });
  },
  run: drain,
};

/** A bucket that is empty: the request that emptied it, the steps so far and what the first refusal said. */
interface EmptyBucket {
  bucket: Bucket;
  request: Step;
  steps: readonly Step[];
  refusal: WireResponse;
}

async function drain(sut: SystemUnderTest, { bucket: name, drain: first, after, waitSeconds }: Case): Promise<CaseOutcome> {
  const bucket = bucketOf(name);
  const unready = await prepare(sut, bucket.setUp);
  if (unready) return unready;
  sut.coverage.reach("buckets", pointOf(name));
  const begun = await sut.now();
  const request = bucket.requests[first % bucket.requests.length] as Step;
  const most = 2 * bucket.perMinute + 2;
  const emptied = await burst(sut, request, most);
  if (!emptied.ok) return inconclusive(emptied.why);
  const { passed, refusal } = emptied;
  if (passed < bucket.perMinute || !refusal) return blameCount(bucket, request, passed);
  const empty: EmptyBucket = { bucket, request, refusal, steps: [...bucket.setUp, burstStep(request, most)] };
  const spilled = await lookAround(sut, empty, bucket.requests[after % bucket.requests.length] as Step);
  if (spilled) return spilled;
  return refill(sut, empty, { begun, waitSeconds, request: bucket.requests[after % bucket.requests.length] as Step });
}

/** The point of coverage that a bucket is. */
function pointOf(name: BucketName): string {
  return bucketOf(name).clauses[0] ?? "";
}

/** BUCKET-PER-KEY, BUCKET-ADDITIONAL, BUCKET-*-COMBINED: what a full bucket refuses and what it does not. */
async function lookAround(
  sut: SystemUnderTest,
  { bucket, request, steps }: EmptyBucket,
  combined: Step,
): Promise<CaseOutcome | undefined> {
  const standing = { status: 429 };
  const open = { status: { not: 429 } };
  const checks: [Step, string, Step["expect"], boolean][] = [
    [{ ...combined, effect: "write" }, bucket.clauses.at(-1) ?? "", standing, true],
    [{ rest: "GET /api/observations", query: { limit: 1 } }, "BUCKET-ADDITIONAL", open, false],
    ...(sut.offers("key.no_delete")
      ? [[{ ...request, as: "no_delete" }, "BUCKET-PER-KEY", open, false] as [Step, string, Step["expect"], boolean]]
      : []),
  ];
  const begun = await sut.now();
  for (const [step, clause, expect, refused] of checks) {
    const sent = await sut.send({ ...step, asIs: true });
    if (!sent.ok) return inconclusive(sent.why);
    if ((sent.response.status === 429) === refused) continue;
    if (refused && (await sut.now()).getTime() !== begun.getTime()) continue; // time went on, so there may be room again
    const why = refused ? "goes through a bucket that it shares" : "is refused because of another bucket";
    return failed([clause], `${whereOf(step)} ${why}`, [...steps, { ...step, asIs: true, ...(expect && { expect }) }]);
  }
  return undefined;
}

/** After a wait of a minute at most no more than the minute's number pass, if time stood otherwise; after Retry-After at least one does. */
async function refill(
  sut: SystemUnderTest,
  { bucket, refusal, steps }: EmptyBucket,
  { begun, waitSeconds, request }: { begun: Date; waitSeconds: number; request: Step },
): Promise<CaseOutcome> {
  const { perMinute, clauses } = bucket;
  const waited = await sut.wait(waitSeconds);
  if (!waited.ok) return inconclusive(waited.why);
  const again = await burst(sut, request, perMinute + 2);
  if (!again.ok) return inconclusive(again.why);
  const passedMs = (await sut.now()).getTime() - begun.getTime();
  if (passedMs === waitSeconds * 1000 && again.passed > perMinute)
    return failed(
      [clauses[0] ?? "", "BUCKET-ENFORCED"],
      `${whereOf(request)}: ${again.passed} or more pass in one minute, not ${perMinute}`,
      [
        ...steps,
        { clock: { by: `${waitSeconds}s` } },
        {
          ...burstStep(request, perMinute + 2),
          expect: { first429: { gte: 1, lte: perMinute + 1 } },
        },
      ],
    );
  const refused = again.refusal ?? refusal;
  const seconds = Number(refused.headers["retry-after"]);
  if (!Number.isInteger(seconds)) return { verdict: "passed", subjects: perMinute };
  const rested = await sut.wait(seconds + 1);
  if (!rested.ok) return inconclusive(rested.why);
  const last = await sut.send({ ...request, asIs: true });
  if (!last.ok) return inconclusive(last.why);
  if (last.response.status !== 429) return { verdict: "passed", subjects: 2 * perMinute };
  const drained = { ...burstStep(request, 2 * perMinute + 2), save: { wait: "header:retry-after" } };
  const waiting = [{ clock: { by: "{wait}s" } }, { clock: { by: "1s" } }];
  const passes = { ...request, asIs: true, expect: { status: { not: 429 } } };
  return failed(["RETRY-AFTER-HELPS"], `${whereOf(request)} is refused again after Retry-After`, [
    ...steps.slice(0, -1),
    drained,
    ...waiting,
    passes,
  ]);
}

type Burst = { ok: true; passed: number; refusal?: WireResponse } | { ok: false; why: string };

async function burst(sut: SystemUnderTest, request: Step, most: number): Promise<Burst> {
  for (let passed = 0; passed < most; passed++) {
    const sent = await sut.send({ ...request, asIs: true });
    if (!sent.ok) return { ok: false, why: sent.why };
    if (sent.response.status === 429) return { ok: true, passed, refusal: sent.response };
    if (sent.response.status >= 500) return { ok: false, why: `status ${sent.response.status} came between` };
  }
  return { ok: true, passed: most };
}

function blameCount({ perMinute, clauses, setUp }: Bucket, request: Step, passed: number): CaseOutcome {
  const most = 2 * perMinute + 2;
  return failed(
    [clauses[0] ?? "", "BUCKET-ENFORCED"],
    `${whereOf(request)}: ${passed} of ${most} pass where ${perMinute} a minute do`,
    [...setUp, { ...burstStep(request, most), expect: { first429: { gte: perMinute + 1, lte: most } } }],
  );
}

function burstStep({ effect, save: _s, ...request }: Step, n: number): Step {
  return { burst: { ...(request as RequestText), n }, ...(effect && { effect }) };
}
