import { dispatch } from "../../src/service/jobs/jobs.js";
import type { Repo } from "../../src/service/world/world.js";
import {
  type Around,
  answering,
  bodyOf,
  type Mutant,
  onRoute,
  repoOf,
  showing,
  withBody,
  withParams,
  withRows,
} from "./mutant.js";

const register = "POST /api/repos";
const detail = "GET /api/repos/{owner}/{repo}/{branch}";
const reopen = "POST /api/observations/{ref}/reopen";
const lookup = "GET /api/forecasts/lookup";

/** Faults in finding repositories by their path and in what is read under it. */
export const repositoryRouteMutants: Mutant[] = [
  {
    name: "does not know access without the app",
    breaks: "REPO-FIELD-ACCESS-ANONYMOUS",
    around: onRoute(register, (world, call, perform) =>
      perform(world, bodyOf(call).access_mode === "anonymous" ? withBody(call, { access_mode: "nobody" }) : call),
    ),
  },
  {
    name: "does not find a repository in its first minute",
    breaks: "REPO-GET-ROUTE",
    around: hiding(detail, (row, now) => now < row.created_at + 60_000),
  },
  {
    name: "shows a repository without saying which",
    breaks: "REPO-GET-ROUTE",
    around: showing(detail, ({ created_at, updated_at }) => ({ created_at, updated_at })),
  },
  { name: "does not find discovery files", breaks: "REPO-READ-DISCOVERY", around: hiding(`${detail}/discovery`, () => true) },
  { name: "knows nothing of a repository", breaks: "REPO-READ-KNOWLEDGE", around: showing(`${detail}/knowledge`, () => null) },
  {
    name: "does not find the fix PRs of a repository",
    breaks: "REPO-READ-FIXPRS",
    around: hiding(`${detail}/fix-prs`, () => true),
  },
  {
    name: "leaves fix PRs that are open out of a repository's",
    breaks: "REPO-READ-FIXPRS",
    around: answering(`${detail}/fix-prs`, (reply) =>
      withRows<{ status: string }>(reply, (rows) => rows.filter(({ status }) => status === "merged")),
    ),
  },
  {
    name: "starts the discovery of a registration before the next tick",
    breaks: "REPO-REGISTER-DISCOVERS-WAITS",
    around(world, call, perform) {
      for (const job of Object.values(world.jobs)) if (job.workflow === "discover") dispatch(world, job);
      return perform(world, call);
    },
  },
  {
    name: "wants two characters to reopen",
    breaks: "OBS-REOPEN-REASON-MIN",
    around: reopening((reason) => ([...String(reason)].length < 2 ? "" : reason)),
  },
  {
    name: "does not find the forecasts of a repository",
    breaks: "FORECAST-REPO-ROUTE",
    around: hiding(`${detail}/forecasts`, () => true),
  },
  {
    name: "knows no forecasts of a repository",
    breaks: "FORECAST-REPO-ROUTE",
    around: answering(`${detail}/forecasts`, (reply) => (reply.status === 200 ? { ...reply, body: null } : reply)),
  },
  {
    name: "names the workflows of a repository without their forecasts",
    breaks: "FORECAST-REPO-ROUTE",
    around: answering(`${detail}/forecasts`, (reply) => withRows(reply, (rows) => rows.map(() => ({ workflow: "audit" })))),
  },
  {
    name: "forecasts for the whole workspace without the highest cost",
    breaks: "FORECAST-LOOKUP-ROUTE",
    around: answering(lookup, (reply, _world, call) => {
      const { cost_high: _, ...rest } = (reply.body ?? {}) as { cost_high?: number };
      return call.query.repo_name || reply.status !== 200 ? reply : { ...reply, body: rest };
    }),
  },
];

/** Does not find some repositories on one route. */
function hiding(route: string, isMeant: (row: Repo, now: number) => boolean): Around {
  return onRoute(route, (world, call, perform) => {
    const row = repoOf(world, call);
    return perform(world, row && isMeant(row, world.now) ? withParams(call, { owner: "nobody" }) : call);
  });
}

/** Reads the reason to reopen an observation otherwise. */
function reopening(read: (reason: unknown) => unknown): Around {
  return onRoute(reopen, (world, call, perform) => {
    const { reopen_reason } = bodyOf(call);
    return perform(world, reopen_reason === undefined ? call : withBody(call, { reopen_reason: read(reopen_reason) }));
  });
}
