import type { Repo, World } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { treatAsMember } from "./helpers/keys.js";
import { deleteRepoRoute, reposRoute } from "./helpers/routes.js";
import { listOtherRows } from "./helpers/tools.js";
import {
  changeResponses,
  getKey,
  getRepo,
  getRoute,
  getSession,
  type Mutant,
  type Shown,
  type WrapCall,
  withParams,
  withRows,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

/** Mutants that break a clause of REPO-DELETE-*. */
export const repositoryDeleteMutants: Mutant[] = [
  ...mutantPerValue("REPO-DELETE-ADMIN", "manager", "refuses a removal by a signed-in * instead of accepting it", (role) =>
    treatAsMember(deleteRepoRoute, role),
  ),
  listOtherRows(
    "lists deleted repositories by the tool instead of leaving them out",
    "REPO-DELETE-GONE",
    "list_repositories",
    (rows, _call, { repos }) => [
      ...rows,
      ...(Object.values(repos).filter(({ deleted_at }) => deleted_at !== null) as unknown as Shown[]),
    ],
  ),
  {
    name: "keeps a repository that is deleted a second time instead of removing it",
    breaks: "REPO-DELETE-GONE",
    around: wrapRoute("DELETE /api/repos/{owner}/{repo}/{branch}", (world, call, perform) => {
      const repo = getRepo(world, call);
      const response = perform(world, call);
      if (repo && wasThere(world, repo)) repo.deleted_at = null;
      return response;
    }),
  },
  {
    name: "answers a removal with 200 instead of 204",
    breaks: "REPO-DELETE-ROUTE",
    around(world, call, perform) {
      const response = perform(world, call);
      return response.status === 204 ? { ...response, status: 200, body: {} } : response;
    },
  },
  {
    name: "answers that a repository is removed and keeps it instead of removing it",
    breaks: "REPO-DELETE-GONE",
    around(world, call, perform) {
      if (getRoute(call) !== deleteRepoRoute) return perform(world, call);
      return { status: 204, headers: {}, body: undefined, rule: { gate: "operation", code: null, clause: null }, changes: [] };
    },
  },
  {
    // If the server refused the key no deletion, only the target file would say that its creator lacks the permission.
    name: "removes a repository registered as anonymous for a key without the permission instead of answering 403",
    breaks: "REPO-DELETE-PERMISSION",
    around: wrapRoute(deleteRepoRoute, (world, call, perform) => {
      const isMeant = getRepo(world, call)?.access_mode === "anonymous";
      return withTemporaryFields(isMeant ? getKey(world, call) : undefined, { permissions: ["delete_repo"] }, () =>
        perform(world, call),
      );
    }),
  },
  {
    name: "lets a member delete a repository instead of answering 403",
    breaks: "REPO-DELETE-PERMISSION",
    around: wrapRoute(deleteRepoRoute, (world, call, perform) =>
      withTemporaryFields(getSession(world, call), { role: "admin" }, () => perform(world, call)),
    ),
  },
  {
    name: "lists a removed repository that was registered as installed instead of leaving it out",
    breaks: "REPO-DELETE-GONE",
    around: changeResponses(reposRoute, (response, world, call) => {
      const workspace = getKey(world, call)?.workspace;
      const removedRepos = Object.values(world.repos).filter(
        (row) => row.workspace === workspace && row.deleted_at !== null && row.access_mode === "installed",
      );
      return withRows<Shown>(response, (rows) => [
        ...rows,
        ...removedRepos.map(({ owner, repo, branch }) => ({ owner, repo, branch })),
      ]);
    }),
  },
  {
    name: "refuses to remove a repository with a pending or running job instead of removing it",
    breaks: "REPO-DELETE-ROUTE",
    around: hideOccupied(({ jobs }, id) => Object.values(jobs).some((job) => job.repo === id && job.finished_at === null)),
  },
  {
    name: "refuses to remove a repository with observations instead of removing it",
    breaks: "REPO-DELETE-ROUTE",
    around: hideOccupied(({ observations }, id) => Object.values(observations).some(({ repo }) => repo === id)),
  },
];

/** Treats a repository with some content as missing. */
function hideOccupied(isMeant: (world: World, id: string) => boolean): WrapCall {
  return wrapRoute("DELETE /api/repos/{owner}/{repo}/{branch}", (world, call, perform) => {
    const repo = getRepo(world, call);
    return perform(world, repo && isMeant(world, repo.id) ? withParams(call, { repo: "none" }) : call);
  });
}

function wasThere({ repos }: World, { id, owner, repo }: Repo): boolean {
  return Object.values(repos).some((row) => row.id !== id && row.owner === owner && row.repo === repo);
}
