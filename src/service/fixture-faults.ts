import { contract } from "../contract/load.js";
import { explainParams } from "../contract/validate.js";
import { parseRange } from "./access.js";
import type { Fixture } from "./fixture.js";

/** A mistake in a fixture that its JSON Schema cannot see, and where it stands. */
export interface FixtureFault {
  path: (string | number)[];
  problem: string;
}

const tickMs = contract.limits.dispatch.tick_seconds * 1000;

/** Finds names in a fixture that refer to nothing, and values that contradict each other. Expects a fixture of the schema. */
export function fixtureFaults(fixture: Fixture): FixtureFault[] {
  return [
    ...clockFaults(fixture),
    ...workspaceFaults(fixture),
    ...rangeFaults(fixture),
    ...repositoryFaults(fixture),
    ...jobFaults(fixture),
  ];
}

function clockFaults({ clock }: Fixture): FixtureFault[] {
  if (clock === undefined || Date.parse(clock) % tickMs === 0) return [];
  return [{ path: ["clock"], problem: `The clock must begin on a dispatch tick, a multiple of ${tickMs / 1000} seconds.` }];
}

function workspaceFaults({ workspaces, roles, sessions = {}, repositories = [] }: Fixture): FixtureFault[] {
  const named = [
    ...Object.entries(roles).map(([role, { workspace }]) => ({ path: ["roles", role, "workspace"], workspace })),
    ...Object.entries(sessions).map(([name, { workspace }]) => ({ path: ["sessions", name, "workspace"], workspace })),
    ...repositories.map(({ workspace }, i) => ({ path: ["repositories", i, "workspace"], workspace })),
  ];
  return named
    .filter(({ workspace }) => !Object.hasOwn(workspaces, workspace))
    .map(({ path, workspace }) => ({
      path,
      problem: `There is no workspace ${workspace}; there are ${Object.keys(workspaces).join(", ")}.`,
    }));
}

function rangeFaults({ roles }: Fixture): FixtureFault[] {
  return Object.entries(roles).flatMap(([role, { allowed_cidrs = [] }]) =>
    allowed_cidrs.flatMap((range, i) =>
      parseRange(range)
        ? []
        : [{ path: ["roles", role, "allowed_cidrs", i], problem: `${range} is neither a CIDR range nor a host address.` }],
    ),
  );
}

/** Repositories listed twice, and rows of repositories that are not listed. */
function repositoryFaults({ repositories = [], jobs = [], observations = [], generate = {} }: Fixture): FixtureFault[] {
  const paths = repositories.map(({ owner, repo, branch }) => `${owner}/${repo}/${branch}`);
  const owned = repositories.map(({ workspace }, i) => `${workspace} ${paths[i]}`);
  const twice = owned.flatMap((name, i) =>
    owned.indexOf(name) < i ? [{ path: ["repositories", i], problem: `${paths[i]} is listed twice in its workspace.` }] : [],
  );
  const named = [
    ...jobs.map(({ repo }, i) => ({ path: ["jobs", i, "repo"], repo })),
    ...observations.map(({ repo }, i) => ({ path: ["observations", i, "repo"], repo })),
    ...Object.keys(generate.observations ?? {}).map((repo) => ({ path: ["generate", "observations", repo], repo })),
  ];
  const known = new Set(paths);
  const unknown = named.filter(({ repo }) => !known.has(repo));
  return [...twice, ...unknown.map(({ path, repo }) => ({ path, problem: `There is no repository ${repo} in repositories.` }))];
}

function jobFaults({ jobs = [] }: Fixture): FixtureFault[] {
  return jobs.flatMap(({ workflow, params = {} }, i) => {
    const problem = explainParams(workflow, params);
    return problem ? [{ path: ["jobs", i, "params"], problem: `These do not fit the workflow ${workflow}: ${problem}.` }] : [];
  });
}
