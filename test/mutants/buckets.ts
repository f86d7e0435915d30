import { contract } from "../../src/contract/load.js";
import { routes } from "../../src/contract/routes.js";
import type { BucketName, ClauseId } from "../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import type { RateWindow, World } from "../../src/service/world/world.js";
import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { performUnchanged } from "./helpers/observations.js";
import {
  emptyBucket,
  getBucket,
  getWindows,
  limitHit,
  reduceBucket,
  shareBucket,
  withCeiling,
  withSwappedWindows,
} from "./helpers/rates.js";
import { resetRoute } from "./helpers/routes.js";
import { getBody, getKey, getRoute, type Mutant, type WrapCall, withError, withTemporaryFields, wrapRoute } from "./mutant.js";

const buckets = Object.keys(contract.limits.buckets) as BucketName[];

const pairs = buckets.flatMap((bucket, at) => buckets.slice(at + 1).map((other) => [bucket, other] as const));

/** Mutants that break a clause of BUCKET-ADDITIONAL-*, BUCKET-CODE-*, BUCKET-ENFORCED-*, BUCKET-JOB-*, BUCKET-NONE-*, BUCKET-OBS-*, BUCKET-PER-* or BUCKET-REPO-*. */
export const bucketsMutants: Mutant[] = [
  ...buckets.map(
    (bucket): Mutant => ({
      name: `leaves the bucket ${bucket} unlimited instead of limiting it`,
      breaks: getClause(bucket),
      around: emptyBucket(bucket),
    }),
  ),
  ...buckets.map((bucket): Mutant => {
    const { rpm } = contract.limits.buckets[bucket];
    return {
      name: `allows one request a minute fewer in the bucket ${bucket} instead of the stated number`,
      breaks: getClause(bucket),
      around: reduceBucket(bucket, rpm - 1, rpm),
    };
  }),
  ...buckets.map(
    (bucket): Mutant => ({
      name: `counts the bucket ${bucket} by the second instead of by the minute`,
      breaks: getClause(bucket),
      around: forgetCount(bucket, 1000),
    }),
  ),
  ...mutantPerValue("BUCKET-ENFORCED", "bucketed route", "leaves * without a bucket instead of limiting it", (route) =>
    wrapRoute(route, emptyBucket(getBucket(route))),
  ),
  ...mutantPerValue(
    "BUCKET-JOB-START",
    "starting operation",
    "leaves * out of the bucket of starts instead of counting it there",
    (route) => wrapRoute(route, emptyBucket(getBucket(route))),
  ),
  ...mutantPerValue(
    "BUCKET-OBS-TRIAGE",
    "triage action",
    "leaves * out of the bucket of triage instead of counting it there",
    (route) => wrapRoute(route, emptyBucket(getBucket(route))),
  ),
  ...(["BUCKET-JOB-COMBINED", "BUCKET-OBS-COMBINED"] as const).flatMap((clause) => {
    const dimension = clause === "BUCKET-JOB-COMBINED" ? "starting operation" : "triage action";
    return [
      ...mutantPerValue(clause, dimension, "counts * in a bucket of one route instead of the shared bucket", (route) =>
        wrapRoute(route, setApart(getBucket(route))),
      ),
      ...mutantPerValue(clause, dimension, "limits * by its own count alone instead of by the shared count", (route) =>
        wrapRoute(route, ignoreBucket(getBucket(route))),
      ),
    ];
  }),
  ...mutantPerValue(
    "BUCKET-CODE",
    "bucketed route",
    "answers a full bucket with the code of a used-up budget on * instead of its own code",
    (route) =>
      wrapRoute(
        route,
        changeMatchingResponses(isFullBucket, (response) => withError(response, { code: "rate_limit_budget" })),
      ),
  ),
  ...mutantPerValue(
    "BUCKET-NONE",
    "budget-only route",
    "limits * to a hundred requests a minute instead of leaving it to the budget",
    (route) => wrapRoute(route, withCeiling(100)),
  ),
  ...mutantPerValue("BUCKET-PER-KEY", "bucketed route", "counts all keys together on * instead of each key alone", (route) =>
    wrapRoute(route, shareBucket(getBucket(route))),
  ),
  ...mutantPerValue(
    "BUCKET-ADDITIONAL",
    "full bucket",
    "refuses every request of a key whose bucket is full (*) instead of requests of that bucket alone",
    (bucket) => refuseWhileFull((full) => full.includes(bucket as BucketName)),
  ),
  ...mutantPerValue(
    "BUCKET-ADDITIONAL",
    "bucketed route",
    "refuses * while a bucket of other paths is full instead of serving it",
    (route) =>
      wrapRoute(
        route,
        refuseWhileFull((full) => full.some((bucket) => bucket !== getBucket(route))),
      ),
  ),
  ...pairs.map(
    ([one, other]): Mutant => ({
      name: `counts the buckets ${one} and ${other} together instead of apart`,
      breaks: "BUCKET-ADDITIONAL",
      value: { surface: "rest", dimension: "full bucket", value: one },
      around: mergeBuckets(one, other),
    }),
  ),
  ...(
    [
      ["BUCKET-JOB-START", "POST /api/repos/{owner}/{repo}/{branch}/jobs", "with force", (call) => "force" in call.query],
      [
        "BUCKET-JOB-START",
        "POST /api/repos/{owner}/{repo}/{branch}/jobs",
        "with an Idempotency-Key",
        (call) => call.idempotencyKey !== undefined,
      ],
      ["BUCKET-JOB-LIST", "GET /api/repos/{owner}/{repo}/{branch}/jobs", "of one workflow", (call) => "workflow" in call.query],
      ["BUCKET-REPO-LIST", "GET /api/repos", "without a limit", (call) => !("limit" in call.query)],
      [
        "BUCKET-REPO-RESET",
        "POST /api/repos/{owner}/{repo}/{branch}/reset",
        "of the history",
        (call) => "history" in getBody(call),
      ],
    ] satisfies [ClauseId, string, string, (call: Parameters<WrapCall>[1]) => boolean][]
  ).map(
    ([breaks, route, form, isMeant]): Mutant => ({
      name: `leaves ${route} ${form} uncounted instead of counting it`,
      breaks,
      around: (world, call, perform) =>
        getRoute(call) === route && isMeant(call) ? restoreCount(world, call, perform) : perform(world, call),
    }),
  ),
  {
    name: "halves the bucket of repository lists on Free instead of giving every plan the same",
    breaks: "BUCKET-REPO-LIST",
    around: (world, call, perform) => {
      const isFree = world.workspaces[getKey(world, call)?.workspace ?? ""]?.plan === "free";
      return (isFree ? reduceBucket("list_repos", 30, 60) : performUnchanged)(world, call, perform);
    },
  },
  {
    name: "limits only the first minute instead of every minute",
    breaks: "BUCKET-REPO-RESET",
    around: wrapRoute(resetRoute, (world, call, perform) => {
      const window = world.rates[getKey(world, call)?.id ?? ""]?.[routes[resetRoute].bucket ?? ""];
      const since = window?.since;
      const response = perform(world, call);
      if (window && since !== undefined) window.since = since;
      return response;
    }),
  },
];

/** Restores the count of a request in its windows. */
function restoreCount(...[world, call, perform]: Parameters<WrapCall>): ReturnType<WrapCall> {
  const id = getKey(world, call)?.id ?? "";
  const before = structuredClone(world.rates[id]);
  const response = perform(world, call);
  if (before && response.status < 300) world.rates[id] = before;
  return response;
}

function getClause(bucket: BucketName): ClauseId {
  return contract.limits.buckets[bucket].clause as ClauseId;
}

function isFullBucket(response: ServiceResponse, call: IncomingCall, world: World): boolean {
  return response.status === 429 && limitHit(world, call, response) === "path bucket";
}

/** Forgets the count of a bucket this many milliseconds after its window began. */
function forgetCount(bucket: string, afterMs: number): WrapCall {
  return (world, call, perform) => {
    const windows = getWindows(world, getKey(world, call)?.id);
    if (world.now >= (windows[bucket]?.since ?? world.now) + afterMs) delete windows[bucket];
    return perform(world, call);
  };
}

/** Counts two buckets in one window. */
function mergeBuckets(one: BucketName, other: BucketName): WrapCall {
  return (world, call, perform) => {
    const windows = getWindows(world, getKey(world, call)?.id);
    const common = windows[one] ?? windows[other];
    if (common) windows[one] = windows[other] = common;
    return perform(world, call);
  };
}

/** Refuses as for a used-up budget while some buckets are full. */
function refuseWhileFull(isClosed: (full: BucketName[]) => boolean): WrapCall {
  return (world, call, perform) => {
    const windows = getWindows(world, getKey(world, call)?.id);
    const fullBuckets = buckets.filter((name) => isFull(world, windows[name], contract.limits.buckets[name].rpm));
    const isOther = !fullBuckets.some((name) => contract.limits.buckets[name].routes.includes(getRoute(call) as never));
    if (!windows.plan || !isOther || !isClosed(fullBuckets)) return perform(world, call);
    return withTemporaryFields(windows.plan, { used: 1e6 }, () => perform(world, call));
  };
}

function isFull({ now }: World, window: RateWindow | undefined, rpm: number): boolean {
  return window !== undefined && window.used >= rpm && now < window.since + 60_000;
}

/** Counts some calls in another window of the same bucket. */
function setApart(bucket: string): WrapCall {
  return (world, call, perform) =>
    withSwappedWindows(getWindows(world, getKey(world, call)?.id), bucket, "apart", () => perform(world, call));
}

/** Counts some calls in the common window, but checks another one. */
function ignoreBucket(bucket: string): WrapCall {
  return (world, call, perform) => {
    const id = getKey(world, call)?.id;
    const response = withSwappedWindows(getWindows(world, id), bucket, `apart ${getRoute(call)}`, () => perform(world, call));
    const common = getWindows(world, id)[bucket];
    if (common && response.status !== 429) common.used++;
    return response;
  };
}
