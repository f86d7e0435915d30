import { contract } from "../../src/contract/load.js";
import type { BucketName, ClauseId } from "../../src/contract/types.js";
import type { World } from "../../src/service/world.js";
import { type Around, keyOf, type Mutant, onRoute, pretending, withError } from "./mutant.js";

const clauses: [bucket: BucketName, clause: ClauseId][] = [
  ["register", "BUCKET-REPO-REGISTER"],
  ["list_repos", "BUCKET-REPO-LIST"],
  ["list_repo_jobs", "BUCKET-JOB-LIST"],
  ["reset", "BUCKET-REPO-RESET"],
  ["fix", "BUCKET-OBS-FIX"],
  ["ticket", "BUCKET-OBS-TICKET"],
  ["triage", "BUCKET-OBS-TRIAGE"],
];
const actions = ["dismiss", "reopen", "complete", "acknowledge"];
/** Routes that must have no bucket. */
const unbounded = [
  "GET /api/jobs",
  "GET /api/jobs/{job_id}",
  "POST /api/jobs/{job_id}/cancel",
  "GET /api/observations",
  "GET /api/repos/{owner}/{repo}/{branch}",
  "GET /api/forecasts/lookup",
  "DELETE /api/repos/{owner}/{repo}/{branch}",
];

const shared: BucketName[] = ["list_repos", "list_repo_jobs", "triage"];

/** Faults in how often a key may ask. */
export const bucketMutants: Mutant[] = [
  ...clauses.map(([bucket, breaks]) => ({ name: `has no bucket ${bucket}`, breaks, around: emptying(bucket) })),
  ...clauses.map(([bucket, breaks]) => {
    const { rpm } = contract.limits.buckets[bucket];
    return { name: `takes one a minute less in the bucket ${bucket}`, breaks, around: cutting(bucket, rpm - 1, rpm) };
  }),
  ...actions.map((action): Mutant => {
    const around = onRoute(`POST /api/observations/{ref}/${action}`, emptying("triage"));
    return { name: `has no bucket for ${action}`, breaks: "BUCKET-OBS-TRIAGE", around };
  }),
  ...actions
    .filter((action) => action !== "acknowledge")
    .map((action): Mutant => {
      const around = onRoute(`POST /api/observations/{ref}/${action}`, setApart("triage"));
      return { name: `counts ${action} in a bucket of its own`, breaks: "BUCKET-OBS-COMBINED", around };
    }),
  ...unbounded.map((route): Mutant => {
    const name = `has a bucket of a hundred on ${route}`;
    return { name, breaks: "BUCKET-NONE", around: onRoute(route, ceiling(100)) };
  }),
  ...shared.map(
    (bucket): Mutant => ({
      name: `counts all keys together in the bucket ${bucket}`,
      breaks: "BUCKET-PER-KEY",
      around: sharing(bucket),
    }),
  ),
  {
    name: "takes nothing from a key whose bucket of repository lists is full",
    breaks: "BUCKET-ADDITIONAL",
    around(world, call, perform) {
      const windows = windowsOf(world, keyOf(world, call)?.id);
      if (windows.list_repos?.used === 60 && windows.plan) windows.plan.used = 3000;
      return perform(world, call);
    },
  },
  {
    name: "calls a full bucket a used-up budget",
    breaks: "BUCKET-CODE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "rate_limit_qps" ? withError(reply, { code: "rate_limit_budget" }) : reply;
    },
  },
  { name: "gives a Free key 300 requests a minute", breaks: "BUDGET-FREE", around: cutting("plan", 300, 600) },
  {
    name: "gives a Free key the budget of a Paid one",
    breaks: "BUDGET-FREE",
    around(world, call, perform) {
      const workspace = world.workspaces[keyOf(world, call)?.workspace ?? ""];
      return pretending(workspace, { plan: "paid" }, () => perform(world, call));
    },
  },
  { name: "gives a Paid key 2000 requests a minute", breaks: "BUDGET-PAID", around: cutting("plan", 2000, 3000) },
  { name: "gives a Paid key as many requests as it likes", breaks: "BUDGET-PAID", around: emptying("plan") },
  { name: "counts the requests of all keys together", breaks: "BUDGET-UNSHARED", around: sharing("plan") },
  {
    name: "holds every key to the ceiling of one",
    breaks: "BUDGET-UNSHARED",
    around(world, call, perform) {
      const key = keyOf(world, call);
      const held = Object.values(world.keys).find(({ id }) => world.rates[id]?.key);
      if (!key || !held) return perform(world, call);
      world.rates[key.id] = { ...world.rates[key.id], key: world.rates[held.id]!.key! };
      return pretending(key, { requests_per_minute: held.requests_per_minute }, () => perform(world, call));
    },
  },
  {
    name: "forgets a key's ceiling where the path has a bucket",
    breaks: "LIMIT-EFFECTIVE",
    around: onRoute("GET /api/repos", ceiling(null)),
  },
  { name: "forgets the bucket where the plan has a budget", breaks: "LIMIT-EFFECTIVE", around: emptying("list_repos") },
  {
    name: "forgets a key's ceiling where the path has no bucket",
    breaks: "LIMIT-EFFECTIVE-KEY",
    around: onRoute("GET /api/jobs", ceiling(null)),
  },
  {
    name: "calls a key's ceiling a used-up budget",
    breaks: "LIMIT-EFFECTIVE-KEY",
    around(world, call, perform) {
      const reply = perform(world, call);
      const isCeiling = reply.rule.code === "rate_limit_qps" && keyOf(world, call)?.requests_per_minute;
      return isCeiling ? withError(reply, { code: "rate_limit_budget" }) : reply;
    },
  },
  {
    name: "lets a ceiling of a key stand for the bucket of a path",
    breaks: "LIMIT-EFFECTIVE-PATH",
    around: (world, call, perform) => {
      const own = keyOf(world, call)?.requests_per_minute ?? 0;
      return own > 60 ? emptying("list_repos")(world, call, perform) : perform(world, call);
    },
  },
];

/** What was counted of a key. */
function windowsOf(world: World, key = ""): World["rates"][string] {
  return world.rates[key] ?? {};
}

/** Forgets what was counted in a bucket. */
function emptying(bucket: string): Around {
  return (world, call, perform) => {
    delete windowsOf(world, keyOf(world, call)?.id)[bucket];
    return perform(world, call);
  };
}

/** Fills a bucket of so many when fewer were taken. */
function cutting(bucket: string, taken: number, full: number): Around {
  return (world, call, perform) => {
    const window = windowsOf(world, keyOf(world, call)?.id)[bucket];
    if (window?.used === taken) window.used = full;
    return perform(world, call);
  };
}

/** Counts a bucket of all keys in one window. */
function sharing(bucket: string): Around {
  return (world, call, perform) => {
    const key = keyOf(world, call);
    const common = Object.values(world.rates).find((windows) => windows[bucket])?.[bucket];
    if (key && common) world.rates[key.id] = { ...world.rates[key.id], [bucket]: common };
    return perform(world, call);
  };
}

/** Holds a key to another ceiling of its own, or to none. */
function ceiling(requests_per_minute: number | null): Around {
  return (world, call, perform) => pretending(keyOf(world, call), { requests_per_minute }, () => perform(world, call));
}

/** Counts some calls in another window of the same bucket. */
function setApart(bucket: string): Around {
  return (world, call, perform) => {
    const windows = windowsOf(world, keyOf(world, call)?.id);
    const swap = () => ([windows[bucket], windows.apart] = [windows.apart!, windows[bucket]!]);
    swap();
    const reply = perform(world, call);
    swap();
    return reply;
  };
}
