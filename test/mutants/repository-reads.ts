import type { IncomingCall } from "../../src/service/call.js";
import type { World } from "../../src/service/world/world.js";
import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { parts } from "./helpers/observations.js";
import {
  changeRegistrationBody,
  changeRegistrationBy,
  hideRepositories,
  otherWorkspaceThan,
  tripleIn,
  useOtherWorkspaceSession,
} from "./helpers/repositories.js";
import { registerRoute, repoRoute, reposRoute, resetRoute } from "./helpers/routes.js";
import {
  changeResponses,
  changeShownRows,
  getBody,
  getChangeRows,
  getRoute,
  type Mutant,
  type WrapCall,
  withBody,
  withResponse,
  withRows,
  wrapRoute,
} from "./mutant.js";

/** Mutants that break a clause of REPO-FIELD-*, REPO-GET-*, REPO-LIST-*, REPO-READ-*, REPO-RESET-* or REPO-WRITE-*. */
export const repositoryReadsMutants: Mutant[] = [
  ...mutantPerValue("REPO-FIELD-ACCESS-MODE", "access mode", "refuses the access mode * instead of accepting it", (mode) =>
    wrapRoute(registerRoute, (world, call, perform) =>
      perform(world, getBody(call).access_mode === mode ? withBody(call, { access_mode: "app" }) : call),
    ),
  ),
  ...mutantPerValue(
    "REPO-FIELD-DISCOVER-NULL",
    "access mode",
    "leaves discover_job_id out of a registration that is * instead of answering null",
    (mode) => changeRegistrationBy(mode, 201, (response) => withResponse(response, { discover_job_id: undefined })),
  ),
  ...mutantPerValue(
    "REPO-FIELD-DISCOVER-NULL",
    "access mode",
    "answers an invented discover_job_id for a registration that is * instead of null",
    (mode) => changeRegistrationBy(mode, 201, (response) => withResponse(response, { discover_job_id: "job_0" })),
  ),
  ...mutantPerValue("REPO-RESET-ROUTE", "reset flag", "answers 500 to the reset flag * instead of accepting it", (flag) =>
    changeResponses(resetRoute, (response, _world, call) => (flag in getBody(call) ? { ...response, status: 500 } : response)),
  ),
  {
    name: "drops the observations of every repository at a reset instead of one",
    breaks: "REPO-RESET-ROUTE",
    around: changeResponses(resetRoute, (response, world) => {
      if (response.status === 200) for (const { ref } of Object.values(world.observations)) delete world.observations[ref];
      return response;
    }),
  },
  ...mutantPerValue(
    "REPO-READ-UNKNOWN",
    "repository read",
    "answers an empty list for an unknown repository on * instead of 404",
    (route) => respondNotFound(route),
  ),
  ...mutantPerValue(
    "REPO-WRITE-UNKNOWN",
    "repository write",
    "accepts an unknown repository on * instead of answering 404",
    (route) => respondNotFound(route),
  ),
  ...(["REPO-READ-UNKNOWN", "REPO-WRITE-UNKNOWN"] as const).flatMap((clause) =>
    mutantPerValue(
      clause,
      "workspace relation",
      `answers 403 to ${clause.slice(5, 9).toLowerCase()} a repository that is * instead of 404`,
      (relation) =>
        changeMatchingResponses(
          ({ status, rule }, call, world) =>
            status === 404 &&
            rule.gate === "operation" &&
            isRead(call) === (clause === "REPO-READ-UNKNOWN") &&
            getRelation(world, call) === relation,
          (response) => ({ ...response, status: 403 }),
        ),
    ),
  ),
  {
    name: "finds a repository by its name in small letters instead of the exact name",
    breaks: "REPO-GET-ROUTE",
    around: wrapRoute(registerRoute, (world, call, perform) => {
      const { repo } = getBody(call);
      return perform(world, typeof repo === "string" ? withBody(call, { repo: repo.toLowerCase() }) : call);
    }),
  },
  {
    name: "registers anonymously by default instead of as installed",
    breaks: "REPO-FIELD-ACCESS-DEFAULT",
    around: changeRegistrationBody((body) => ({ access_mode: "anonymous", ...body })),
  },
  {
    name: "leaves a repository registered since the start out of the list instead of listing it",
    breaks: "REPO-LIST-ROUTE",
    around(world, call, perform) {
      const response = perform(world, call);
      if (getRoute(call) !== reposRoute) return response;
      return withRows<{ repo: string }>(response, (rows) => rows.filter(({ repo }) => !repo.startsWith("spare")));
    },
  },
  {
    name: "refuses access without the app instead of accepting it",
    breaks: "REPO-FIELD-ACCESS-ANONYMOUS",
    around: wrapRoute(registerRoute, (world, call, perform) =>
      perform(world, getBody(call).access_mode === "anonymous" ? withBody(call, { access_mode: "nobody" }) : call),
    ),
  },
  {
    name: "answers 404 for a repository in its first minute instead of showing it",
    breaks: "REPO-GET-ROUTE",
    around: hideRepositories(repoRoute, (row, now) => now < row.created_at + 60_000),
  },
  {
    name: "answers 404 for discovery files instead of showing them",
    breaks: "REPO-READ-DISCOVERY",
    around: hideRepositories(`${repoRoute}/discovery`, () => true),
  },
  {
    name: "answers 404 for the knowledge of a repository instead of showing it",
    breaks: "REPO-READ-KNOWLEDGE",
    around: changeShownRows(`${repoRoute}/knowledge`, () => null),
  },
  {
    name: "answers 404 for the fix PRs of a repository instead of listing them",
    breaks: "REPO-READ-FIXPRS",
    around: hideRepositories(`${repoRoute}/fix-prs`, () => true),
  },
  {
    name: "leaves open fix PRs out of a repository's list instead of listing them",
    breaks: "REPO-READ-FIXPRS",
    around: changeResponses(`${repoRoute}/fix-prs`, (response) =>
      withRows<{ status: string }>(response, (rows) => rows.filter(({ status }) => status === "merged")),
    ),
  },
  useOtherWorkspaceSession(
    "lists to a signed-in person the repositories of another workspace instead of its own",
    "GET /api/repos",
    otherWorkspaceThan,
    "REPO-LIST-ROUTE",
  ),
  {
    name: "answers the discovery of the earlier registration to a new one instead of its own",
    breaks: "REPO-FIELD-DISCOVER-NULL",
    around: changeResponses("POST /api/repos", (response, world, call) => {
      const { owner, repo: name } = getBody(call);
      const reposBefore = Object.values(world.repos).filter((row) => row.owner === owner && row.repo === name);
      const run = Object.values(world.jobs).find((job) => reposBefore.some(({ id }) => id === job.repo));
      return response.status === 201 && run
        ? getChangeRows(response, (shown) => ({ ...shown, discover_job_id: run.id }))
        : response;
    }),
  },
];

function respondNotFound(route: string): WrapCall {
  return changeResponses(route, (response) => (response.status === 404 ? { ...response, status: 200, body: {} } : response));
}

function isRead({ target }: IncomingCall): boolean {
  return typeof target === "object" && "route" in target && target.route.startsWith("GET ");
}

/** Returns the relation of a named repository to the workspace of the key, if it belongs to another one. */
function getRelation(world: World, call: IncomingCall): string | undefined {
  const triple = tripleIn(call);
  if (triple.owner === "") return undefined;
  const isThere = Object.values(world.repos).some((row) => !row.deleted_at && parts.every((part) => row[part] === triple[part]));
  return isThere ? "of another workspace" : "unknown";
}
