import type { ClauseId } from "../../src/contract/types.js";
import { type Around, keyOf, type Mutant, onRoute, pretending, routeOf, withError } from "./mutant.js";

const register = "POST /api/repos";
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const retry = "POST /api/jobs/{job_id}/retry";
const fix = "POST /api/observations/{ref}/fix";
const paid: [what: string, route: string, clause: ClauseId][] = [
  ["registrations", register, "SPEND-REGISTER"],
  ["submissions", submit, "SPEND-SUBMIT"],
  ["retries", retry, "SPEND-RETRY"],
  ["fixes", fix, "SPEND-FIX"],
];
const free = [
  "GET /api/repos",
  "GET /api/jobs",
  "GET /api/observations",
  "GET /api/forecasts/lookup",
  "GET /api/jobs/{job_id}",
  "POST /api/jobs/{job_id}/cancel",
  "POST /api/observations/{ref}/reopen",
];

/** Faults in what draws on the hourly spend ceiling, and in what it refuses. */
export const spendGateMutants: Mutant[] = [
  ...paid.map(([what, route, breaks]) => ({
    name: `takes ${what} past the hourly ceiling`,
    breaks,
    around: onRoute(route, ungated),
  })),
  ...paid.map(([what, route, breaks]) => ({ name: `draws nothing for ${what}`, breaks, around: onRoute(route, undrawn) })),
  {
    name: "calls a used-up hour too many requests",
    breaks: "SPEND-CODE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "rate_limit_budget" ? withError(reply, { code: "rate_limit_qps" }) : reply;
    },
  },
  ...free.map((route): Mutant => {
    const name = `refuses ${route} when the hour's dollars are spent`;
    return { name, breaks: "SPEND-CODE-ONLY", around: onRoute(route, gated) };
  }),
  {
    name: "refuses every read when the hour's dollars are spent",
    breaks: "SPEND-READS",
    around: (world, call, perform) => (isRead(routeOf(call)) ? gated(world, call, perform) : perform(world, call)),
  },
  {
    name: "draws ten cents for a read",
    breaks: "SPEND-READS",
    around(world, call, perform) {
      const key = keyOf(world, call);
      if (key && isRead(routeOf(call))) {
        const { since, spent_usd } = world.spend[key.id] ?? { since: world.now, spent_usd: 0 };
        world.spend[key.id] = { since, spent_usd: spent_usd + 0.1 };
      }
      return perform(world, call);
    },
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

function isRead(route: string | null): boolean {
  return route?.startsWith("GET ") ?? false;
}
