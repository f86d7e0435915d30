import fc from "fast-check";
import type { Found, Property, Scene } from "../property/property.js";
import type { RequestText, Step } from "../scenario/format.js";
import type { WireResponse } from "../wire/exchange.js";
import { failed, inconclusive, whereOf } from "./blame.js";
import { BUCKETS, type Bucket } from "./buckets.js";
import { prepare } from "./check.js";

/** A bucket, which of its requests empties it and which is tried afterwards, and how long is waited in between. */
interface Case {
  bucket: number;
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
  proves: [...SHARED, ...BUCKETS.flatMap(({ clauses }) => clauses)],
  needs: ["worlds", "clock"],
  effects: ["read", "write", "paid", "destructive"],
  runs: 28,
  cases: ({ offers, coverage }) => {
    const known = BUCKETS.flatMap((bucket, index) => (bucket.needs.every(offers) ? [index] : []));
    coverage.expect("buckets", known.map(nameOf));
    const unseen = known.filter((index) => coverage.visits("buckets", nameOf(index)) === 0);
    return fc.record({
      bucket: fc.constantFrom(...(unseen.length > 0 && unseen.length < known.length ? unseen : known)),
      drain: fc.nat(3),
      after: fc.nat(3),
      waitSeconds: fc.oneof(fc.constant(60), fc.integer({ min: 1, max: 60 })),
    });
  },
  play: drain,
};

/** A bucket in use: its requests, the steps so far and what the first refusal said. */
interface Drained {
  bucket: Bucket;
  request: Step;
  steps: readonly Step[];
  refusal: WireResponse;
}

async function drain(scene: Scene, { bucket: index, drain: first, after, waitSeconds }: Case): Promise<Found> {
  const bucket = BUCKETS[index];
  if (!bucket) return inconclusive("there is no such bucket");
  const unready = await prepare(scene, bucket.setUp);
  if (unready) return unready;
  scene.coverage.reach("buckets", nameOf(index));
  const begun = await scene.now();
  const request = bucket.requests[first % bucket.requests.length] as Step;
  const most = 2 * bucket.perMinute + 2;
  const emptied = await burst(scene, request, most);
  if (!emptied.ok) return inconclusive(emptied.why);
  const { passed, refusal } = emptied;
  if (passed < bucket.perMinute || !refusal) return blameCount(bucket, request, passed);
  const drained: Drained = { bucket, request, refusal, steps: [...bucket.setUp, burstStep(request, most)] };
  const spilled = await lookAround(scene, drained, bucket.requests[after % bucket.requests.length] as Step);
  if (spilled) return spilled;
  return refill(scene, drained, { begun, waitSeconds, request: bucket.requests[after % bucket.requests.length] as Step });
}

function nameOf(index: number): string {
  return BUCKETS[index]?.clauses[0] ?? "";
}

/** BUCKET-PER-KEY, BUCKET-ADDITIONAL, BUCKET-*-COMBINED: what a full bucket refuses and what it does not. */
async function lookAround(scene: Scene, { bucket, request, steps }: Drained, combined: Step): Promise<Found | undefined> {
  const standing = { status: 429 };
  const open = { status: { not: 429 } };
  const checks: [Step, string, Step["expect"], boolean][] = [
    [{ ...combined, effect: "write" }, bucket.clauses.at(-1) ?? "", standing, true],
    [{ rest: "GET /api/observations", query: { limit: 1 } }, "BUCKET-ADDITIONAL", open, false],
    ...(scene.offers("key.no_delete")
      ? [[{ ...request, as: "no_delete" }, "BUCKET-PER-KEY", open, false] as [Step, string, Step["expect"], boolean]]
      : []),
  ];
  const begun = await scene.now();
  for (const [step, clause, expect, refused] of checks) {
    const sent = await scene.send({ ...step, asIs: true });
    if (!sent.ok) return inconclusive(sent.why);
    if ((sent.response.status === 429) === refused) continue;
    if (refused && (await scene.now()).getTime() !== begun.getTime()) continue; // time went on, so there may be room again
    const why = refused ? "goes through a bucket that it shares" : "is refused because of another bucket";
    return failed([clause], `${whereOf(step)} ${why}`, [...steps, { ...step, asIs: true, ...(expect && { expect }) }]);
  }
  return undefined;
}

/** After a wait of a minute at most no more than the minute's number pass, if time stood otherwise; after Retry-After at least one does. */
async function refill(
  scene: Scene,
  { bucket, refusal, steps }: Drained,
  { begun, waitSeconds, request }: { begun: Date; waitSeconds: number; request: Step },
): Promise<Found> {
  const { perMinute, clauses } = bucket;
  const waited = await scene.wait(waitSeconds);
  if (!waited.ok) return inconclusive(waited.why);
  const again = await burst(scene, request, perMinute + 2);
  if (!again.ok) return inconclusive(again.why);
  const passedMs = (await scene.now()).getTime() - begun.getTime();
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
  const rested = await scene.wait(seconds + 1);
  if (!rested.ok) return inconclusive(rested.why);
  const last = await scene.send({ ...request, asIs: true });
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

async function burst(scene: Scene, request: Step, most: number): Promise<Burst> {
  for (let passed = 0; passed < most; passed++) {
    const sent = await scene.send({ ...request, asIs: true });
    if (!sent.ok) return { ok: false, why: sent.why };
    if (sent.response.status === 429) return { ok: true, passed, refusal: sent.response };
    if (sent.response.status >= 500) return { ok: false, why: `status ${sent.response.status} came between` };
  }
  return { ok: true, passed: most };
}

function blameCount({ perMinute, clauses, setUp }: Bucket, request: Step, passed: number): Found {
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
