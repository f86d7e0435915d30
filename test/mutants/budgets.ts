import { contract } from "../../src/contract/load.js";
import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { changeKeyAfterSuccessfulPatch } from "./helpers/keys.js";
import { performUnchanged } from "./helpers/observations.js";
import {
  emptyBucket,
  getBucket,
  getPlan,
  limitHit,
  mixesOfLimits,
  reduceBucket,
  shareBucket,
  withCeiling,
} from "./helpers/rates.js";
import { getKey, type Mutant, withError, withTemporaryFields, wrapRoute } from "./mutant.js";

const figures: Record<string, string> = { bucket: "list_repos", "plan budget": "plan", "key ceiling": "key" };

/** Mutants that break a clause of BUDGET-FREE-*, BUDGET-PAID-*, BUDGET-UNSHARED-* or LIMIT-EFFECTIVE-*. */
export const budgetsMutants: Mutant[] = [
  {
    name: "allows a Free key 300 requests a minute instead of 600",
    breaks: "BUDGET-FREE",
    around: reduceBucket("plan", 300, 600),
  },
  {
    name: "gives a Free key the budget of a Paid key instead of its own",
    breaks: "BUDGET-FREE",
    around: (world, call, perform) =>
      withTemporaryFields(world.workspaces[getKey(world, call)?.workspace ?? ""], { plan: "paid" }, () => perform(world, call)),
  },
  {
    name: "allows a Paid key 2000 requests a minute instead of 3000",
    breaks: "BUDGET-PAID",
    around: reduceBucket("plan", 2000, 3000),
  },
  { name: "leaves a Paid key without a budget instead of limiting it", breaks: "BUDGET-PAID", around: emptyBucket("plan") },
  {
    name: "applies the ceiling of one key to every key instead of to that key alone",
    breaks: "BUDGET-UNSHARED",
    around(world, call, perform) {
      const key = getKey(world, call);
      const heldKey = Object.values(world.keys).find(({ id }) => world.rates[id]?.key);
      if (!key || !heldKey) return perform(world, call);
      world.rates[key.id] = { ...world.rates[key.id], key: world.rates[heldKey.id]!.key! };
      return withTemporaryFields(key, { requests_per_minute: heldKey.requests_per_minute }, () => perform(world, call));
    },
  },
  {
    name: "ignores a key's ceiling on a path with a bucket instead of applying it",
    breaks: "LIMIT-EFFECTIVE",
    around: wrapRoute("GET /api/repos", withCeiling(null)),
  },
  {
    name: "ignores a key's ceiling on a path without a bucket instead of applying it",
    breaks: "LIMIT-EFFECTIVE-KEY",
    around: wrapRoute("GET /api/jobs", withCeiling(null)),
  },
  {
    name: "answers a reached key ceiling with the code of a used-up budget instead of its own code",
    breaks: "LIMIT-EFFECTIVE-KEY",
    around: changeMatchingResponses(
      (response, call, world) => response.status === 429 && limitHit(world, call, response) === "key ceiling",
      (response) => withError(response, { code: "rate_limit_budget" }),
    ),
  },
  changeKeyAfterSuccessfulPatch(
    "starts a new minute for a changed key instead of keeping its count",
    "LIMIT-EFFECTIVE-KEY",
    (key, { world }) => {
      delete world.rates[key.id];
    },
  ),
  ...mutantPerValue(
    "LIMIT-EFFECTIVE",
    "least figure",
    "ignores the smallest limit where that is the * instead of applying it",
    (figure) => emptyBucket(figures[figure]!),
  ),
  ...mutantPerValue(
    "LIMIT-EFFECTIVE-PATH",
    "bucketed route",
    "replaces the bucket of * by the ceiling of the key instead of applying the smaller one",
    (route) =>
      wrapRoute(route, (world, call, perform) => {
        const bucket = getBucket(route);
        const isHigher = (getKey(world, call)?.requests_per_minute ?? 0) > contract.limits.buckets[bucket].rpm;
        return (isHigher ? emptyBucket(bucket) : performUnchanged)(world, call, perform);
      }),
  ),
  ...mutantPerValue(
    "BUDGET-UNSHARED",
    "plan",
    "counts the keys of * workspaces together instead of each key alone",
    (plan) => (world, call, perform) =>
      (getPlan(world, call) === plan ? shareBucket("plan") : performUnchanged)(world, call, perform),
  ),
  ...mixesOfLimits("BUDGET-FREE", "the budget of a Free key", "plan", (world, call) => getPlan(world, call) === "free"),
  ...mixesOfLimits("BUDGET-PAID", "the budget of a Paid key", "plan", (world, call) => getPlan(world, call) === "paid"),
  ...mixesOfLimits("LIMIT-EFFECTIVE-KEY", "the ceiling of a key", "key", () => true),
  {
    name: "counts keys with the same name together instead of each key alone",
    breaks: "BUDGET-UNSHARED",
    around: (world, call, perform) => {
      const key = getKey(world, call);
      const alike = Object.values(world.keys).find(({ name }) => key && name === key.name);
      if (key && alike) world.rates[key.id] = world.rates[alike.id] ??= {};
      return perform(world, call);
    },
  },
];
