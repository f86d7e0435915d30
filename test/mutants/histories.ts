import type { DismissalCategory } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import type { Job, Observation, World } from "../../src/service/world.js";
import { keyOf, type Mutant, observationOf, onRoute, param, withQuery } from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const retry = "POST /api/jobs/{job_id}/retry";
const reset = "POST /api/repos/{owner}/{repo}/{branch}/reset";
const list = "GET /api/observations";
const dismiss = "POST /api/observations/{ref}/dismiss";

const firstCategories = new WeakMap<Observation, DismissalCategory | null>();

/** Faults that show only on what has a history: a retry, a page, a wait or a dismissal that is not the first. */
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
];

function jobOf(world: World, call: IncomingCall): Job | undefined {
  return world.jobs[param(call, "job_id")];
}
