import { dispatch } from "../../src/service/jobs.js";
import type { Repo } from "../../src/service/world.js";
import {
  type Around,
  answering,
  bodyOf,
  keyOf,
  type Mutant,
  onRoute,
  param,
  pretending,
  repoOf,
  showing,
  withBody,
  withParams,
  withRows,
} from "./mutant.js";

const register = "POST /api/repos";
const detail = "GET /api/repos/{owner}/{repo}/{branch}";
const submit = `POST ${detail.slice(4)}/jobs`;
const reopen = "POST /api/observations/{ref}/reopen";
const lookup = "GET /api/forecasts/lookup";

/** Faults in finding repositories by their path and in what is read under it. */
export const repositoryRouteMutants: Mutant[] = [
  {
    name: "finds a repository whatever its owner",
    breaks: "ADDR-REPO-PATH",
    around: finding(detail, (row, asked) => row.repo === asked.repo && row.branch === asked.branch),
  },
  {
    name: "finds a repository whatever its branch",
    breaks: "ADDR-REPO-PATH",
    around: finding(detail, (row, asked) => row.owner === asked.owner && row.repo === asked.repo),
  },
  {
    name: "finds a repository by its owner and name in either order",
    breaks: "ADDR-REPO-PATH",
    around: finding(detail, (row, asked) => row.owner === asked.repo && row.repo === asked.owner && row.branch === asked.branch),
  },
  {
    name: "lists the jobs of a repository whatever its owner",
    breaks: "ADDR-REPO-PATH",
    around: finding(`${detail}/jobs`, (row, asked) => row.repo === asked.repo && row.branch === asked.branch),
  },
  {
    name: "serves the discovery files of a repository under any branch",
    breaks: "ADDR-REPO-PATH",
    around: finding(`${detail}/discovery`, (row, asked) => row.owner === asked.owner && row.repo === asked.repo),
  },
  {
    name: "answers a registration with 202",
    breaks: "REPO-REGISTER-ROUTE",
    around: answering(register, (reply) => (reply.status === 201 ? { ...reply, status: 202 } : reply)),
  },
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
    name: "discovers by hand without credit",
    breaks: "REPO-REGISTER-GATES-MANUAL",
    around: onRoute(submit, (world, call, perform) => {
      const workspace = world.workspaces[keyOf(world, call)?.workspace ?? ""];
      return pretending(bodyOf(call).workflow === "discover" ? workspace : undefined, { credit_usd: 1000 }, () =>
        perform(world, call),
      );
    }),
  },
  {
    name: "wants two characters to reopen",
    breaks: "OBS-REOPEN-REASON-MIN",
    around: reopening((reason) => ([...String(reason)].length < 2 ? "" : reason)),
  },
  {
    name: "takes a number as a reason to reopen",
    breaks: "OBS-REOPEN-REASON-STRING",
    around: reopening((reason) => (typeof reason === "number" ? String(reason) : reason)),
  },
  {
    name: "takes an object as a reason to reopen",
    breaks: "OBS-REOPEN-REASON-STRING",
    around: reopening((reason) => (typeof reason === "object" ? JSON.stringify(reason) : reason)),
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
    name: "answers a looked-up forecast in a list",
    breaks: "FORECAST-LOOKUP-ROUTE",
    around: showing(lookup, (forecast) => ({ data: [forecast] })),
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

type Triple = Pick<Repo, "owner" | "repo" | "branch">;

/** Finds the repository of one route otherwise than by its triple. */
function finding(route: string, isMeant: (row: Repo, asked: Triple) => boolean): Around {
  return onRoute(route, (world, call, perform) => {
    const asked = { owner: param(call, "owner"), repo: param(call, "repo"), branch: param(call, "branch") };
    const workspace = keyOf(world, call)?.workspace;
    const row = Object.values(world.repos).find((row) => row.workspace === workspace && !row.deleted_at && isMeant(row, asked));
    return perform(world, row ? withParams(call, { owner: row.owner, repo: row.repo, branch: row.branch }) : call);
  });
}

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
