import type { ClauseId } from "../../src/contract/types.js";
import { each } from "./family.js";
import { drawing, jobById } from "./helpers/jobs.js";
import { fixRoute, retryRoute } from "./helpers/routes.js";
import { type Around, answering, keyOf, type Mutant, observationOf, onRoute, param, pretending, withError } from "./mutant.js";

const paid: [what: string, route: string, clause: ClauseId][] = [
  ["registrations", "POST /api/repos", "SPEND-REGISTER"],
  ["submissions", "POST /api/repos/{owner}/{repo}/{branch}/jobs", "SPEND-SUBMIT"],
  ["retries", "POST /api/jobs/{job_id}/retry", "SPEND-RETRY"],
  ["fixes", "POST /api/observations/{ref}/fix", "SPEND-FIX"],
];

/** Mutants that break a clause of SPEND-CODE-*, SPEND-FIX-*, SPEND-READS-*, SPEND-REGISTER-*, SPEND-RETRY-* or SPEND-SUBMIT-*. */
export const spendingMutants: Mutant[] = [
  ...paid.map(([what, route, breaks]) => ({
    name: `takes ${what} past the hourly ceiling`,
    breaks,
    around: onRoute(route, ungated),
  })),
  ...paid.map(([what, route, breaks]) => ({ name: `draws nothing for ${what}`, breaks, around: onRoute(route, undrawn) })),
  ...each("SPEND-CODE", "paid operation", "calls a used-up hour too many requests on *", (route) =>
    answering(route, (reply) => (reply.rule.code === "rate_limit_budget" ? withError(reply, { code: "rate_limit_qps" }) : reply)),
  ),
  ...each("SPEND-CODE-ONLY", "unpaid operation", "refuses * when the hour's dollars are spent", (route) => onRoute(route, gated)),
  ...each("SPEND-READS", "read route", "serves no * when the hour's dollars are spent", (route) => onRoute(route, gated)),
  ...each("SPEND-READS", "read route", "draws the price of a run for *", (route) =>
    onRoute(route, (world, call, perform) => {
      const key = keyOf(world, call);
      const { since, spent_usd } = world.spend[key?.id ?? ""] ?? { since: world.now, spent_usd: 0 };
      if (key) world.spend[key.id] = { since, spent_usd: spent_usd + 10 };
      return perform(world, call);
    }),
  ),
  {
    name: "starts a second fix of an observation for nothing",
    breaks: "SPEND-FIX",
    around: onRoute(fixRoute, (world, call, perform) =>
      observationOf(world, call)?.attempt
        ? pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "starts a second retry of a job for nothing",
    breaks: "SPEND-RETRY",
    around: onRoute(retryRoute, (world, call, perform) =>
      jobById(world, param(call, "job_id"))?.retried_by
        ? pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "starts the retry of a retry for nothing",
    breaks: "SPEND-RETRY",
    around: onRoute(retryRoute, (world, call, perform) =>
      jobById(world, param(call, "job_id"))?.retry_of
        ? pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "draws on the hour for a submission that is refused",
    breaks: "SPEND-SUBMIT",
    around: drawing((status) => status === 422 || status === 403),
  },
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

/** Refuses for the hour's dollars what costs nothing, as the tool server may: it is asked for a list. */
function gated(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  const listing = { ...call, surface: "mcp", target: { route: "GET /api/jobs", params: {} }, query: {} } as const;
  const refused = perform(world, listing);
  return refused.rule.code === "rate_limit_budget" ? refused : perform(world, call);
}
