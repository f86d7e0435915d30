import type { ClauseId } from "../../src/contract/types.js";
import { changing } from "./family.js";
import { ceiling, cutting, emptying, limitHit } from "./limits.js";
import { type Around, keyOf, type Mutant, onRoute, pretending, withError } from "./mutant.js";

const paid: [what: string, route: string, clause: ClauseId][] = [
  ["registrations", "POST /api/repos", "SPEND-REGISTER"],
  ["submissions", "POST /api/repos/{owner}/{repo}/{branch}/jobs", "SPEND-SUBMIT"],
  ["retries", "POST /api/jobs/{job_id}/retry", "SPEND-RETRY"],
  ["fixes", "POST /api/observations/{ref}/fix", "SPEND-FIX"],
];

/** Faults in what a key or a plan may use up. */
export const budgetMutants: Mutant[] = [
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
  ...paid.map(([what, route, breaks]) => ({
    name: `takes ${what} past the hourly ceiling`,
    breaks,
    around: onRoute(route, ungated),
  })),
  ...paid.map(([what, route, breaks]) => ({ name: `draws nothing for ${what}`, breaks, around: onRoute(route, undrawn) })),
];

/** Answers as if the key had no hourly ceiling. */
function ungated(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call));
}

/** Does the work and puts the spent dollars back. */
function undrawn(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  const before = structuredClone(world.spend);
  const reply = perform(world, call);
  world.spend = before;
  return reply;
}
