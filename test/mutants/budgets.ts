import { contract } from "../../src/contract/load.js";
import { changing, each } from "./family.js";
import { afterKeyChange } from "./helpers/keys.js";
import { unchanged } from "./helpers/observations.js";
import { bucketOf, ceiling, cutting, emptying, limitHit, mixes, planOf, sharing } from "./helpers/rates.js";
import { keyOf, type Mutant, onRoute, pretending, withError } from "./mutant.js";

const figures: Record<string, string> = { bucket: "list_repos", "plan budget": "plan", "key ceiling": "key" };

/** Mutants that break a clause of BUDGET-FREE-*, BUDGET-PAID-*, BUDGET-UNSHARED-* or LIMIT-EFFECTIVE-*. */
export const budgetsMutants: Mutant[] = [
  { name: "gives a Free key 300 requests a minute", breaks: "BUDGET-FREE", around: cutting("plan", 300, 600) },
  {
    name: "gives a Free key the budget of a Paid one",
    breaks: "BUDGET-FREE",
    around: (world, call, perform) =>
      pretending(world.workspaces[keyOf(world, call)?.workspace ?? ""], { plan: "paid" }, () => perform(world, call)),
  },
  { name: "gives a Paid key 2000 requests a minute", breaks: "BUDGET-PAID", around: cutting("plan", 2000, 3000) },
  { name: "gives a Paid key as many requests as it likes", breaks: "BUDGET-PAID", around: emptying("plan") },
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
  {
    name: "forgets a key's ceiling where the path has no bucket",
    breaks: "LIMIT-EFFECTIVE-KEY",
    around: onRoute("GET /api/jobs", ceiling(null)),
  },
  {
    name: "calls a key's ceiling a used-up budget",
    breaks: "LIMIT-EFFECTIVE-KEY",
    around: changing(
      (reply, call, world) => reply.status === 429 && limitHit(world, call, reply) === "key ceiling",
      (reply) => withError(reply, { code: "rate_limit_budget" }),
    ),
  },
  afterKeyChange("gives a changed key a new minute", "LIMIT-EFFECTIVE-KEY", (key, _, world) => {
    delete world.rates[key.id];
  }),
  ...each("LIMIT-EFFECTIVE", "least figure", "forgets the least figure where it is the *", (figure) =>
    emptying(figures[figure]!),
  ),
  ...each("LIMIT-EFFECTIVE-PATH", "bucketed route", "lets a ceiling of a key stand for the bucket of *", (route) =>
    onRoute(route, (world, call, perform) => {
      const bucket = bucketOf(route);
      const isHigher = (keyOf(world, call)?.requests_per_minute ?? 0) > contract.limits.buckets[bucket].rpm;
      return (isHigher ? emptying(bucket) : unchanged)(world, call, perform);
    }),
  ),
  ...each(
    "BUDGET-UNSHARED",
    "plan",
    "counts the keys of * workspaces together",
    (plan) => (world, call, perform) => (planOf(world, call) === plan ? sharing("plan") : unchanged)(world, call, perform),
  ),
  ...mixes("BUDGET-FREE", "the budget of a Free key", "plan", (world, call) => planOf(world, call) === "free"),
  ...mixes("BUDGET-PAID", "the budget of a Paid key", "plan", (world, call) => planOf(world, call) === "paid"),
  ...mixes("LIMIT-EFFECTIVE-KEY", "the ceiling of a key", "key", () => true),
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
];
