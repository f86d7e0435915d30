import { jobView } from "../../src/service/jobs/jobs.js";
import { observationView } from "../../src/service/observations/observations.js";
import type { Repo, World } from "../../src/service/world/world.js";
import { each, onTool } from "./family.js";
import { answering, keyOf, type Mutant, repoOf, type Shown, withAnswer, withRows } from "./mutant.js";

const parts = ["owner", "repo", "branch"] as const;

/** Faults that take a repository for another that differs from it in one part of its triple alone. */
export const namesakeMutants: Mutant[] = [
  ...each("ADDR-REPO-PATH", "namesake", "lists the jobs of a repository by the same path but for its *", (part) =>
    answering("GET /api/repos/{owner}/{repo}/{branch}/jobs", (reply, world, call) => {
      const others = namesakesOf(world, repoOf(world, call), part);
      const jobs = Object.values(world.jobs).filter(({ repo }) => others.includes(repo));
      return withRows<Shown>(reply, (rows) => [...rows, ...jobs.map(jobView)]);
    }),
  ),
  ...each("OBS-FILTER-REPO", "namesake", "keeps observations of a repository by the same slug but for its *", (part) =>
    answering("GET /api/observations", (reply, world, call) =>
      withRows<Shown>(reply, (rows) => [
        ...rows,
        ...observationsIn(world, namesakesOf(world, bySlug(world, keyOf(world, call)?.workspace, call.query.repo?.[0]), part)),
      ]),
    ),
  ),
  ...each("MCP-TOOL-OBS-FILTERS", "namesake", "keeps by tool observations of a repository by the same slug but for its *", {
    mcp: (part) =>
      onTool("list_observations", (world, call, performTool) =>
        withRows<Shown>(performTool(world, call), (rows) => [
          ...rows,
          ...observationsIn(world, namesakesOf(world, bySlug(world, call.caller.workspace.id, call.arguments.repo), part)),
        ]),
      ),
  }),
  ...each("FORECAST-LOOKUP-REPO", "namesake", "forecasts from the runs of a repository by the same slug but for its *", (part) =>
    answering("GET /api/forecasts/lookup", (reply, world, call) => {
      const others = namesakesOf(world, bySlug(world, keyOf(world, call)?.workspace, call.query.repo_name?.[0]), part);
      const runs = Object.values(world.jobs).filter(({ repo, status }) => status === "completed" && others.includes(repo));
      const { sample_size = 0 } = (reply.body ?? {}) as { sample_size?: number };
      return reply.status === 200 ? withAnswer(reply, { sample_size: sample_size + runs.length }) : reply;
    }),
  ),
];

/** The ids of all that are named like a repository but for one part, in its workspace. */
function namesakesOf(world: World, repo: Repo | undefined, part: string): string[] {
  const isNamesake = (row: Repo) =>
    row.workspace === repo?.workspace && parts.every((name) => (row[name] === repo[name]) === (name !== part));
  return Object.values(world.repos)
    .filter(isNamesake)
    .map(({ id }) => id);
}

function bySlug(world: World, workspace: string | undefined, slug: unknown): Repo | undefined {
  return Object.values(world.repos).find((row) => row.workspace === workspace && row.slug === slug);
}

function observationsIn(world: World, repos: readonly string[]): Shown[] {
  return Object.values(world.observations)
    .filter(({ repo }) => repos.includes(repo))
    .map((row) => observationView(row, world.repos[row.repo]!, { locations: false }));
}
