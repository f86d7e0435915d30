import type { ClauseId } from "../../src/contract/types.js";
import { mutantPerValue } from "./family.js";
import { drawRunCost, jobById } from "./helpers/jobs.js";
import { withoutHourlyCeiling } from "./helpers/rates.js";
import { fixRoute, retryRoute } from "./helpers/routes.js";
import {
  changeResponses,
  getKey,
  getObservation,
  type Mutant,
  param,
  type WrapCall,
  withError,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

const paid: [what: string, route: string, clause: ClauseId][] = [
  ["registrations", "POST /api/repos", "SPEND-REGISTER"],
  ["submissions", "POST /api/repos/{owner}/{repo}/{branch}/jobs", "SPEND-SUBMIT"],
  ["retries", "POST /api/jobs/{job_id}/retry", "SPEND-RETRY"],
  ["fixes", "POST /api/observations/{ref}/fix", "SPEND-FIX"],
];

/** Mutants that break a clause of SPEND-CODE-*, SPEND-FIX-*, SPEND-READS-*, SPEND-REGISTER-*, SPEND-RETRY-* or SPEND-SUBMIT-*. */
export const spendingMutants: Mutant[] = [
  ...paid.flatMap(([what, route, breaks]) => [
    ...mutantPerValue(
      breaks,
      "spend level",
      `accepts ${what} beyond the hourly ceiling of the * instead of refusing them`,
      (level) => wrapRoute(route, withoutHourlyCeiling(level)),
    ),
    ...mutantPerValue(breaks, "spend level", `charges the * nothing for ${what} instead of their price`, (level) =>
      wrapRoute(route, restoreSpend(level)),
    ),
  ]),
  ...mutantPerValue(
    "SPEND-CODE",
    "paid operation",
    "answers a used-up hour with the code of a full bucket on * instead of its own code",
    (route) =>
      changeResponses(route, (response) =>
        response.rule.code === "rate_limit_budget" ? withError(response, { code: "rate_limit_qps" }) : response,
      ),
  ),
  ...mutantPerValue(
    "SPEND-CODE-ONLY",
    "unpaid operation",
    "refuses * when the hour's dollars are spent instead of serving it",
    (route) => wrapRoute(route, refuseFreeCalls),
  ),
  ...mutantPerValue(
    "SPEND-READS",
    "read route",
    "refuses * when the hour's dollars are spent instead of serving reads",
    (route) => wrapRoute(route, refuseFreeCalls),
  ),
  ...mutantPerValue("SPEND-READS", "read route", "charges the price of a run for * instead of nothing", (route) =>
    wrapRoute(route, (world, call, perform) => {
      const key = getKey(world, call);
      const { since, spent_usd } = world.spend[key?.id ?? ""] ?? { since: world.now, spent_usd: 0 };
      if (key) world.spend[key.id] = { since, spent_usd: spent_usd + 10 };
      return perform(world, call);
    }),
  ),
  {
    name: "charges nothing for a second fix of an observation instead of its price",
    breaks: "SPEND-FIX",
    around: wrapRoute(fixRoute, (world, call, perform) =>
      getObservation(world, call)?.attempt
        ? withTemporaryFields(getKey(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "charges nothing for a second retry of a job instead of its price",
    breaks: "SPEND-RETRY",
    around: wrapRoute(retryRoute, (world, call, perform) =>
      jobById(world, param(call, "job_id"))?.retried_by
        ? withTemporaryFields(getKey(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "charges nothing for the retry of a retry instead of its price",
    breaks: "SPEND-RETRY",
    around: wrapRoute(retryRoute, (world, call, perform) =>
      jobById(world, param(call, "job_id"))?.retry_of
        ? withTemporaryFields(getKey(world, call), { dollars_per_hour: null }, () => perform(world, call))
        : perform(world, call),
    ),
  },
  {
    name: "charges the hour for a refused submission instead of nothing",
    breaks: "SPEND-SUBMIT",
    around: drawRunCost((status) => status === 422 || status === 403),
  },
];

/** Performs the operation and restores the hourly spend of the key or its workspace. */
function restoreSpend(level: string): WrapCall {
  return (world, call, perform) => {
    const key = getKey(world, call);
    const id = (level === "key" ? key?.id : key?.workspace) ?? "";
    const spendWindowBefore = structuredClone(world.spend[id]);
    const response = perform(world, call);
    if (spendWindowBefore) world.spend[id] = spendWindowBefore;
    else delete world.spend[id];
    return response;
  };
}

/** Refuses free calls because of the hourly spend. The tool server may do this: the refusal is that of a list through a tool. */
function refuseFreeCalls(...[world, call, perform]: Parameters<WrapCall>): ReturnType<WrapCall> {
  const listing = { ...call, surface: "mcp", target: { route: "GET /api/jobs", params: {} }, query: {} } as const;
  const serviceResponse = perform(world, listing);
  return serviceResponse.rule.code === "rate_limit_budget" ? serviceResponse : perform(world, call);
}
