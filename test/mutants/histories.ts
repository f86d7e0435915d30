import { routes } from "../../src/contract/routes.js";
import type { DismissalCategory } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import type { Job, Key, Observation, World } from "../../src/service/world/world.js";
import {
  answering,
  bodyOf,
  keyOf,
  type Mutant,
  observationOf,
  onRoute,
  param,
  routeOf,
  type Shown,
  showing,
  withAnswer,
  withQuery,
  withRows,
  withScopes,
  withShown,
} from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const retry = "POST /api/jobs/{job_id}/retry";
const reset = "POST /api/repos/{owner}/{repo}/{branch}/reset";
const job = "GET /api/jobs/{job_id}";
const list = "GET /api/observations";
const patch = "PATCH /api/keys/{key_id}";
const reopen = "POST /api/observations/{ref}/reopen";
const lane = "GET /api/repos/{owner}/{repo}/{branch}/fix-prs";
const dismiss = "POST /api/observations/{ref}/dismiss";

const firstCategories = new WeakMap<Observation, DismissalCategory | null>();

const firstAttempts = new WeakMap<Observation, string>();
const closedOnce = new WeakSet<Observation>();
const firstCeilings = new WeakMap<Key, Pick<Key, "requests_per_minute" | "dollars_per_hour">>();

/** Faults that show only on what has a history: a retry, a page, a wait, a change, a minute or a dismissal that is not the first. */
export const historyMutants: Mutant[] = [
  {
    name: "notes the retry of a retry with the job that was retried first",
    breaks: "JOB-RETRY-INFLIGHT",
    around: onRoute(retry, (world, call, perform) => {
      const reply = perform(world, call);
      const job = jobOf(world, call);
      const first = world.jobs[job?.retry_of ?? ""];
      if (reply.status === 201 && job && first) [first.retried_by, job.retried_by] = [job.retried_by, null];
      return reply;
    }),
  },
  {
    name: "takes force=false for true",
    breaks: "DEDUPE-COMPLETED",
    around: onRoute(submit, (world, call, perform) =>
      perform(world, call.query.force ? withQuery(call, { force: "true" }) : call),
    ),
  },
  {
    name: "matches the newest of identical jobs alone",
    breaks: "DEDUPE-COMPLETED",
    around: onRoute(submit, (world, call, perform) => {
      const jobs = Object.values(world.jobs);
      const newest = new Map(jobs.map((job) => [job.fingerprint, job]));
      const older = jobs.filter((job) => job.status === "completed" && newest.get(job.fingerprint) !== job);
      for (const job of older) job.status = "failed";
      const reply = perform(world, call);
      for (const job of older) job.status = "completed";
      return reply;
    }),
  },
  {
    name: "lists locations on the first page alone",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: onRoute(list, (world, call, perform) =>
      perform(world, call.query.cursor ? withQuery(call, { include: undefined }) : call),
    ),
  },
  {
    name: "lists no locations where an order is asked for",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: onRoute(list, (world, call, perform) =>
      perform(world, call.query.order ? withQuery(call, { include: undefined }) : call),
    ),
  },
  {
    name: "takes a limit above 100 for 100",
    breaks: "PAGE-LIMIT-FILLED",
    around: onRoute(list, (world, call, perform) => {
      const limit = Number(call.query.limit?.[0]);
      return perform(world, limit > 100 && limit <= 200 ? withQuery(call, { limit: "100" }) : call);
    }),
  },
  {
    name: "says when the key may ask again where the bucket is full for longer",
    breaks: "RETRY-AFTER-HELPS",
    around: onRoute(reset, (world, call, perform) => {
      const reply = perform(world, call);
      const key = keyOf(world, call);
      const window = world.rates[key?.id ?? ""]?.key;
      if (reply.status !== 429 || !window || window.used < (key?.requests_per_minute ?? Number.POSITIVE_INFINITY)) return reply;
      const seconds = Math.ceil((window.since + 60_000 - world.now) / 1000);
      return { ...reply, headers: { ...reply.headers, "retry-after": String(seconds) } };
    }),
  },
  {
    name: "compares a ceiling with that of the beginning",
    breaks: "KEY-PATCH-RAISE",
    around: onRoute(patch, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      if (!key) return perform(world, call);
      const { requests_per_minute, dollars_per_hour } = key;
      const first = firstCeilings.get(key) ?? { requests_per_minute, dollars_per_hour };
      firstCeilings.set(key, first);
      Object.assign(key, first);
      const reply = perform(world, call);
      const kept = { requests_per_minute, dollars_per_hour };
      Object.assign(key, reply.status < 300 ? { ...kept, ...bodyOf(call) } : kept);
      return reply;
    }),
  },
  {
    name: "reopens an observation once only",
    breaks: "OBS-REOPEN-OPENS",
    around: onRoute(reopen, (world, call, perform) => {
      const observation = observationOf(world, call);
      if (!observation?.reopen_reason) return perform(world, call);
      const { status } = observation;
      observation.status = "new";
      const reply = perform(world, call);
      observation.status = status;
      return reply;
    }),
  },
  {
    name: "keeps a key by its first day alone",
    breaks: "IDEMPOTENCY-MATCH",
    around: onRoute(submit, (world, call, perform) => {
      const before = { ...world.submissions };
      const reply = perform(world, call);
      for (const [name, submission] of Object.entries(before)) world.submissions[name] ??= submission;
      for (const [name, { at }] of Object.entries(before)) {
        const now = world.submissions[name];
        if (now && now.at !== at) now.at = at;
      }
      return reply;
    }),
  },
  {
    name: "holds a key to its dollars in the first hour alone",
    breaks: "KEY-FIELD-DOLLARS",
    around: onRoute(submit, (world, call, perform) => {
      const id = keyOf(world, call)?.id ?? "";
      const since = world.spend[id]?.since;
      const reply = perform(world, call);
      const window = world.spend[id];
      if (window && since !== undefined) window.since = since;
      return reply;
    }),
  },
  {
    name: "shows no second fix PR in the lane",
    breaks: "OBS-LANE-FIX-PRS",
    around: (world, call, perform) => {
      for (const row of Object.values(world.observations)) if (row.fix_pr?.status === "closed") closedOnce.add(row);
      const reply = perform(world, call);
      return routeOf(call) === lane
        ? withRows<Shown>(reply, (rows) => rows.filter(({ ref }) => !isClosedOnce(world, String(ref))))
        : reply;
    },
  },
  {
    name: "shows all but two of the jobs that started together as pending",
    breaks: "JOB-STATE-DISPATCH",
    around: showing(job, (shown, { jobs }) => {
      const { started_at } = jobs[String(shown.id)] ?? {};
      const together = Object.values(jobs).filter((other) => other.started_at === started_at);
      const isLate = started_at !== null && together.findIndex(({ id }) => id === shown.id) > 1;
      return isLate ? { ...shown, status: "pending" } : shown;
    }),
  },
  {
    name: "limits in the first minute alone",
    breaks: "BUCKET-REPO-RESET",
    around: onRoute(reset, (world, call, perform) => {
      const window = world.rates[keyOf(world, call)?.id ?? ""]?.[routes[reset].bucket ?? ""];
      const since = window?.since;
      const reply = perform(world, call);
      if (window && since !== undefined) window.since = since;
      return reply;
    }),
  },
  {
    name: "keeps the category of the first dismissal for good",
    breaks: "OBS-REDISCOVER-STAY",
    around: onRoute(dismiss, (world, call, perform) => {
      const reply = perform(world, call);
      const observation = observationOf(world, call);
      if (reply.status >= 300 || !observation) return reply;
      const first = firstCategories.get(observation) ?? observation.dismissal_category;
      firstCategories.set(observation, first);
      observation.dismissal_category = first;
      return reply;
    }),
  },
  {
    name: "stamps no observation that had a fix PR before",
    breaks: "OBS-ACK-STAMPS",
    around: answering("POST /api/observations/{ref}/acknowledge", (reply, world, call) => {
      const observation = observationOf(world, call);
      if (reply.status < 300 && observation?.fix_pr) observation.acknowledged_at = null;
      return reply;
    }),
  },
  {
    name: "names the first attempt in a second fix too",
    breaks: "OBS-FIX-FIELD-IDS",
    around: answering("POST /api/observations/{ref}/fix", (reply, world, call) => {
      const observation = observationOf(world, call);
      if (reply.status >= 300 || !observation) return reply;
      const { attempt_id } = reply.body as { attempt_id: string };
      const first = firstAttempts.get(observation) ?? attempt_id;
      firstAttempts.set(observation, first);
      return withAnswer(reply, { attempt_id: first });
    }),
  },
  {
    name: "names the run of the time before to whoever registers again",
    breaks: "REPO-FIELD-DISCOVER-NULL",
    around: answering("POST /api/repos", (reply, world, call) => {
      const { owner, repo: name } = bodyOf(call);
      const before = Object.values(world.repos).filter((row) => row.owner === owner && row.repo === name);
      const run = Object.values(world.jobs).find((job) => before.some(({ id }) => id === job.repo));
      return reply.status === 201 && run ? withShown(reply, (shown) => ({ ...shown, discover_job_id: run.id })) : reply;
    }),
  },
  {
    name: "counts keys of one name as one",
    breaks: "BUDGET-UNSHARED",
    around: (world, call, perform) => {
      const key = keyOf(world, call);
      const alike = Object.values(world.keys).find(({ name }) => key && name === key.name);
      if (key && alike) world.rates[key.id] = world.rates[alike.id] ??= {};
      return perform(world, call);
    },
  },
  {
    name: "asks for no scope to retry a fix that is a retry",
    breaks: "MCP-SCOPE-RETRY-OWN",
    aroundTool: (world, call, performTool) => {
      const job = world.jobs[String(call.arguments.job_id)];
      return performTool(world, call.purpose === "retry_job" && job?.retry_of ? withScopes(call, ["submit_fix_jobs"]) : call);
    },
  },
  {
    name: "tells no fix PR of a job that is a retry",
    breaks: "JOB-FIELD-MCP-PR",
    aroundTool: (world, call, performTool) => {
      const reply = performTool(world, call);
      const isRetry = Boolean(world.jobs[String(call.arguments.job_id)]?.retry_of);
      return call.purpose === "job_status" && isRetry ? withShown(reply, (job) => ({ ...job, fix_pr_url: null })) : reply;
    },
  },
];

function jobOf(world: World, call: IncomingCall): Job | undefined {
  return world.jobs[param(call, "job_id")];
}

function isClosedOnce({ observations }: World, ref: string): boolean {
  const row = observations[ref];
  return row !== undefined && closedOnce.has(row);
}
