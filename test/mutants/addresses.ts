import { showJobFields } from "../../src/service/jobs/jobs.js";
import type { Repo } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { getWorkspace } from "./helpers/jobs.js";
import { getNamesakes, parts } from "./helpers/observations.js";
import { tripleIn } from "./helpers/repositories.js";
import { registerRoute, resetRoute } from "./helpers/routes.js";
import {
  changeResponses,
  getBody,
  getKey,
  getRepo,
  type Mutant,
  type Shown,
  type WrapCall,
  withBody,
  withParams,
  withRows,
  wrapRoute,
} from "./mutant.js";

type Triple = Pick<Repo, "owner" | "repo" | "branch">;

/** Mutants that break a clause of ADDR-REF-* or ADDR-REPO-*. */
export const addressesMutants: Mutant[] = [
  ...mutantPerValue(
    "ADDR-REPO-PATH",
    "namesake",
    "lists the jobs of every repository whose path differs only in its * instead of those of one repository",
    (part) =>
      changeResponses("GET /api/repos/{owner}/{repo}/{branch}/jobs", (response, world, call) => {
        const others = getNamesakes(world, getRepo(world, call), part);
        const jobs = Object.values(world.jobs).filter(({ repo }) => others.includes(repo));
        return withRows<Shown>(response, (rows) => [...rows, ...jobs.map(showJobFields)]);
      }),
  ),
  ...mutantPerValue(
    "ADDR-REPO-PATH",
    "repository read",
    "finds a repository by a path with another owner on * instead of answering 404",
    (route) => finding(route, (row, triple) => row.repo === triple.repo && row.branch === triple.branch),
  ),
  ...mutantPerValue(
    "ADDR-REPO-PATH",
    "repository read",
    "finds a repository by a path with another branch on * instead of answering 404",
    (route) => finding(route, (row, triple) => row.owner === triple.owner && row.repo === triple.repo),
  ),
  ...mutantPerValue(
    "ADDR-REPO-PATH",
    "repository read",
    "finds a repository with owner and name swapped on * instead of answering 404",
    (route) =>
      finding(route, (row, triple) => row.owner === triple.repo && row.repo === triple.owner && row.branch === triple.branch),
  ),
  {
    name: "refuses a repository with the name of another owner's instead of registering it",
    breaks: "ADDR-REPO-PATH",
    around: wrapRoute(registerRoute, (world, call, perform) => {
      const { repo, branch } = getBody(call);
      const namesake = Object.values(world.repos).find((row) => row.repo === repo && row.branch === branch && !row.deleted_at);
      const owner = namesake?.workspace === getWorkspace(world, call)?.id ? namesake?.owner : undefined;
      return perform(world, owner === undefined ? call : withBody(call, { owner }));
    }),
  },
  {
    name: "gives observations other refs by tool instead of the refs of REST",
    breaks: "ADDR-REF-MCP",
    aroundTool(world, call, performTool) {
      const { body, ...response } = performTool(world, call);
      return { ...response, body: JSON.parse(JSON.stringify(body).replaceAll("SERVICE-", "OBS-")) };
    },
  },
  ...mutantPerValue(
    "ADDR-REPO-PATH",
    "namesake",
    "resets also a repository that differs only in its * instead of the addressed one alone",
    (part) =>
      changeResponses(resetRoute, (response, world, call) => {
        const repo = getRepo(world, call);
        const otherRepos = Object.values(world.repos).filter((row) => isBeside(row, repo, part));
        for (const [id, job] of Object.entries(world.jobs))
          if (job.finished_at !== null && otherRepos.some((otherRepo) => otherRepo.id === job.repo)) delete world.jobs[id];
        return response;
      }),
  ),
];

/** Finds the repository of one route otherwise than by its triple. */
function finding(route: string, isMeant: (row: Repo, triple: Triple) => boolean): WrapCall {
  return wrapRoute(route, (world, call, perform) => {
    const workspace = getKey(world, call)?.workspace;
    const rows = Object.values(world.repos).filter((row) => row.workspace === workspace && !row.deleted_at);
    const row = getRepo(world, call) ?? rows.find((repo) => isMeant(repo, tripleIn(call)));
    return perform(world, row ? withParams(call, { owner: row.owner, repo: row.repo, branch: row.branch }) : call);
  });
}

function isBeside(row: Repo, repo: Repo | undefined, part: string): boolean {
  return row.workspace === repo?.workspace && parts.every((name) => (row[name] === repo[name]) === (name !== part));
}
