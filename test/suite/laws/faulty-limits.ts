import type { ServiceResponse } from "../../../src/service/call.js";
import type { World } from "../../../src/service/world/world.js";
import {
  type Fault,
  getBody,
  getKey,
  getRoute,
  param,
  type WrapCall,
  withBody,
  withoutHeader,
  wrapRoute,
} from "../../mutants/mutant.js";
import type { FaultyServer } from "./faulty-servers.js";

const MINUTE_MS = 60_000;
const BUCKETS: Record<string, { route: string; rpm: number }> = {
  register: { route: "POST /api/repos", rpm: 10 },
  list_repos: { route: "GET /api/repos", rpm: 60 },
  submit: { route: "POST /api/repos/{owner}/{repo}/{branch}/jobs", rpm: 30 },
  list_repo_jobs: { route: "GET /api/repos/{owner}/{repo}/{branch}/jobs", rpm: 120 },
  reset: { route: "POST /api/repos/{owner}/{repo}/{branch}/reset", rpm: 5 },
  fix: { route: "POST /api/observations/{ref}/fix", rpm: 30 },
  ticket: { route: "POST /api/observations/{ref}/publish-ticket", rpm: 30 },
  triage: { route: "POST /api/observations/{ref}/acknowledge", rpm: 60 },
};
const CLAUSES = {
  register: "BUCKET-REPO-REGISTER",
  list_repos: "BUCKET-REPO-LIST",
  submit: "BUCKET-JOB-START",
  list_repo_jobs: "BUCKET-JOB-LIST",
  reset: "BUCKET-REPO-RESET",
  fix: "BUCKET-OBS-FIX",
  ticket: "BUCKET-OBS-TICKET",
  triage: "BUCKET-OBS-TRIAGE",
} as const;
type BucketName = keyof typeof CLAUSES;
const names = Object.keys(CLAUSES) as BucketName[];
const TRIAGE = ["dismiss", "reopen", "complete", "acknowledge"].map((act) => `POST /api/observations/{ref}/${act}`);

/** Returns the rate windows of the key of a call. */
function getWindows(world: World, call: Parameters<WrapCall>[1]): World["rates"][string] {
  return world.rates[getKey(world, call)?.id ?? ""] ?? {};
}

/** Lets one more through in every window of a bucket but the first. */
function widerLater(bucket: string, rpm: number): WrapCall {
  const begun = new WeakMap<object, { first: number; spared: number }>();
  return (world, call, perform) => {
    const window = getWindows(world, call)[bucket];
    const key = getKey(world, call);
    if (window && key && window.used >= rpm) {
      const known = begun.get(key) ?? { first: window.since, spared: window.since };
      if (known.spared !== window.since) window.used = rpm - 1;
      begun.set(key, { ...known, spared: window.since });
    } else if (window && key && !begun.has(key)) begun.set(key, { first: window.since, spared: window.since });
    return perform(world, call);
  };
}

/** Changes the wait in a 429 of one kind. */
function changeWait(
  isOfKind: (response: ServiceResponse, call: Parameters<WrapCall>[1], world: World) => boolean,
  change: (retryAfter: string) => string | undefined,
): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    if (response.status !== 429 || !isOfKind(response, call, world)) return response;
    const retryAfter = change(String(response.headers["retry-after"]));
    return retryAfter === undefined
      ? withoutHeader(response, "retry-after")
      : { ...response, headers: { ...response.headers, "retry-after": retryAfter } };
  };
}

const isOfBucket = (bucket: string) => (response: ServiceResponse, call: Parameters<WrapCall>[1], world: World) =>
  response.rule.code === "rate_limit_qps" &&
  (bucket === "triage" ? TRIAGE.includes(getRoute(call) ?? "") : getRoute(call) === BUCKETS[bucket]?.route) &&
  !getKey(world, call)?.requests_per_minute;
const isOfBudget = (_: ServiceResponse, call: Parameters<WrapCall>[1]) => getRoute(call) === "GET /api/jobs";
const isOfCeiling = (response: ServiceResponse, call: Parameters<WrapCall>[1], world: World) =>
  response.rule.code === "rate_limit_qps" && Boolean(getKey(world, call)?.requests_per_minute);
const isOfMoney = (response: ServiceResponse) => response.rule.code === "rate_limit_budget";

const retryAfterChanges: readonly [what: string, change: (retryAfter: string) => string | undefined][] = [
  ["says nothing of the wait", () => undefined],
  ["says a wait in tenths", (retryAfter) => `${retryAfter}.5`],
  ["says a date to wait for", () => "Wed, 21 Oct 2026 07:28:00 GMT"],
  ["says a wait of zero seconds", () => "0"],
];

const kinds: readonly [kind: string, law: string, isOfKind: Parameters<typeof changeWait>[0], shows: RegExp][] = [
  ...names.map((bucket): (typeof kinds)[number] => [`the bucket ${bucket}`, "path-buckets", isOfBucket(bucket), /retry-after/]),
  ["the budget of a plan", "key-budget", isOfBudget, /retry-after/],
  ["the ceiling of a key", "key-ceilings", isOfCeiling, /retry-after/],
  ["a used-up hour", "spend-retry-after", isOfMoney, /retry-after/],
];

/** Counts requests of different kinds separately, against a common limit. */
function countSeparately(limit: string, part: (call: Parameters<WrapCall>[1]) => string): WrapCall {
  return (world, call, perform) => {
    const id = getKey(world, call)?.id;
    if (id === undefined) return perform(world, call);
    const windows = { ...world.rates[id] };
    const ownRateWindow = windows[`${limit} ${part(call)}`];
    if (ownRateWindow) windows[limit] = ownRateWindow;
    else delete windows[limit];
    world.rates[id] = windows;
    const response = perform(world, call);
    const rateWindowAfter = world.rates[id]?.[limit];
    if (rateWindowAfter) world.rates[id] = { ...world.rates[id], [`${limit} ${part(call)}`]: rateWindowAfter };
    return response;
  };
}

/** Counts two buckets in one. */
function mergeBuckets(one: string, other: string): WrapCall {
  return (world, call, perform) => {
    const id = getKey(world, call)?.id;
    if (id === undefined) return perform(world, call);
    const newest = () => {
      const [a, b] = [world.rates[id]?.[one], world.rates[id]?.[other]];
      if (!a || !b) return a ?? b;
      return a.since === b.since ? (a.used >= b.used ? a : b) : a.since > b.since ? a : b;
    };
    const share = () => {
      const common = newest();
      if (common) world.rates[id] = { ...world.rates[id], [one]: { ...common }, [other]: { ...common } };
    };
    share();
    const response = perform(world, call);
    share();
    return response;
  };
}

/** Does with the body of a PATCH something else. */
function changePatchBody(change: (body: Record<string, unknown>) => Record<string, unknown>): WrapCall {
  return wrapRoute("PATCH /api/keys/{key_id}", (world, call, perform) => {
    const body = getBody(call);
    const changed = Object.fromEntries(Object.keys(body).map((name) => [name, undefined]));
    return perform(world, withBody(call, { ...changed, ...change(body) }));
  });
}

const fault = (name: string, law: string, blames: FaultyServer["blames"], around: WrapCall, shows: RegExp[] = []): FaultyServer =>
  ({ name, law, blames, shows, around }) as FaultyServer & Extract<Fault, { around: unknown }>;

/** Faults in limits that show after the first window, beside another limit, or in one kind of 429. */
export const faultyLimits: readonly FaultyServer[] = [
  ...names.map((name) =>
    fault(
      `is wider by one after the first window in the bucket ${name}`,
      "path-buckets",
      CLAUSES[name],
      widerLater(name, BUCKETS[name]?.rpm ?? 0),
    ),
  ),
  fault("is wider by one after the first window of a ceiling", "key-ceilings", "KEY-PATCH-LOWER", widenCeilingLater()),
  ...kinds.flatMap(([kind, law, isOfKind, shows]) =>
    retryAfterChanges.map(([what, change]) =>
      fault(`${what} of ${kind}`, law, "RETRY-AFTER-429", changeWait(isOfKind, change), [shows]),
    ),
  ),
  ...kinds.map(([kind, law, isOfKind]) =>
    fault(
      `says half of the wait of ${kind}`,
      law,
      "RETRY-AFTER-HELPS",
      changeWait(isOfKind, (retryAfter) => String(Math.floor(Number(retryAfter) / 2))),
    ),
  ),
  fault(
    "counts the budget of a key by route",
    "key-budget",
    "BUDGET-FREE",
    countSeparately("plan", (call) => getRoute(call) ?? ""),
  ),
  fault(
    "counts the ceiling of a key by route",
    "key-ceilings",
    "KEY-PATCH-LOWER",
    countSeparately("key", (call) => getRoute(call) ?? ""),
  ),
  fault(
    "counts submissions and retries apart",
    "path-buckets",
    "BUCKET-JOB-COMBINED",
    countSeparately("submit", (call) => getRoute(call) ?? ""),
  ),
  fault(
    "counts each triage action apart",
    "path-buckets",
    "BUCKET-OBS-COMBINED",
    countSeparately("triage", (call) => getRoute(call) ?? ""),
  ),
  ...(
    [
      ["fix", "ticket"],
      ["submit", "fix"],
      ["register", "list_repos"],
      ["reset", "list_repo_jobs"],
      ["triage", "ticket"],
    ] as const
  ).map(([one, other]) =>
    fault(`counts the buckets ${one} and ${other} in one`, "path-buckets", "BUCKET-ADDITIONAL", mergeBuckets(one, other)),
  ),
  fault(
    "obeys the requests of a PATCH of both ceilings and forgets the dollars",
    "key-ceilings",
    "KEY-PATCH-LOWER",
    changePatchBody(({ requests_per_minute, dollars_per_hour, ...rest }) => ({
      ...rest,
      ...(requests_per_minute === undefined ? { dollars_per_hour } : { requests_per_minute }),
    })),
  ),
  fault(
    "obeys no PATCH of the dollars",
    "key-ceilings",
    "KEY-PATCH-LOWER",
    changePatchBody(({ dollars_per_hour: _, ...rest }) => rest),
  ),
  fault("clears a ceiling of requests when the dollars are patched", "key-ceilings", "KEY-FIELD-RPM", forgetRequests()),
];

function widenCeilingLater(): WrapCall {
  return (world, call, perform) => {
    const rpm = getKey(world, call)?.requests_per_minute;
    const window = getWindows(world, call).key;
    if (rpm && window && window.used === rpm && window.since > world.epoch + 8 * MINUTE_MS && !firstRequests.has(window)) {
      firstRequests.add(window);
      window.used -= 1;
    }
    return perform(world, call);
  };
}
const firstRequests = new WeakSet<object>();

function forgetRequests(): WrapCall {
  return wrapRoute("PATCH /api/keys/{key_id}", (world, call, perform) => {
    const response = perform(world, call);
    const key = world.keys[param(call, "key_id")];
    if (
      key &&
      response.status < 300 &&
      getBody(call).dollars_per_hour !== undefined &&
      getBody(call).requests_per_minute === undefined
    )
      key.requests_per_minute = null;
    return response;
  });
}
