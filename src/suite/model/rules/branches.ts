import { findOperationStatement } from "../../statements/operations.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import { type Branch, createRefusalRules } from "./branch.js";
import { createScopeRefusal, findCallerRefusal, lacksScope } from "./callers.js";
import { requestFix, startFixJob } from "./fixes.js";
import { addUncertainKey } from "./idempotency.js";
import { submitJob } from "./job-submissions.js";
import { cancelJob, readJob, retryJob } from "./jobs.js";
import { createKey, patchKey } from "./keys.js";
import { listJobs, listObservations } from "./lists.js";
import { listTriageBranches, publishTicket, readObservation } from "./observations.js";
import { deleteRepository, listRepositories, readRepository, register, resetRepository } from "./repositories.js";
import type { ModelRequest } from "./request.js";
import { joinStates, type States } from "./states.js";
import { listForecastBranches, listGatedBranches, useTool } from "./tools.js";

/** Returns every possible outcome of a request. */
export function listBranches(states: States, request: ModelRequest): Branch[] {
  const refusal = findCallerRefusal(states, request);
  if (refusal && isMissingScopeTheOnlyFault(states, request)) return [createScopeRefusal(states, request)];
  return refusal ?? findInvalidUnknown(states, request) ?? listAllBranches(states, request);
}

/**
 * Returns the states after a request without a response, which the server may have carried out. Removes everything that depends
 * on resources that the server may have created, because they have no name.
 */
export function findStatesAfterNoResponse(states: States, request: ModelRequest): States {
  const possibleStates = joinStates([states, ...listBranches(states, request).map(({ next }) => next)]) ?? states;
  const { names, job, ref } = request;
  if (names === undefined) return possibleStates;
  const madeJob = possibleStates.jobs[names];
  const repo = madeJob && possibleStates.repos[madeJob.repo];
  return {
    ...possibleStates,
    jobs: removeNames(possibleStates.jobs, [names, job]),
    observations: removeNames(possibleStates.observations, [ref]),
    keys: removeNames(possibleStates.keys, [names]),
    keyed: addUncertainKey(states, request).keyed,
    room: { ...possibleStates.room, keys: null },
    ...(madeJob && repo && { repos: { ...possibleStates.repos, [madeJob.repo]: { ...repo, ours: false } } }),
  };
}

function removeNames<T>(things: Readonly<Record<string, T>>, names: readonly (string | undefined)[]): Record<string, T> {
  return Object.fromEntries(Object.entries(things).filter(([name]) => !names.includes(name)));
}

/** Returns whether only a missing scope refuses a REST request. The order of several refusals is open. */
function isMissingScopeTheOnlyFault(states: States, request: ModelRequest): boolean {
  const { broke, paused, unverified, suspended } = states;
  const key = states.keys[request.as];
  if (
    request.by === "tool" ||
    (key && key.live !== true) ||
    broke ||
    paused ||
    unverified ||
    suspended ||
    !lacksScope(states, request)
  )
    return false;
  const statuses = listAllBranches(states, { ...request, as: DEFAULT_ROLE }).map(
    ({ requirements: [first] }) => first?.rest.status,
  );
  return statuses.every((status) => status === "2xx" || [200, 201, 204, 402, 429].includes(Number(status)));
}

/** Returns the outcome of an invalid body for a resource that does not exist. It is open for which of the two the server refuses. */
function findInvalidUnknown(states: States, { flaw, what, job, ref, repo }: ModelRequest): Branch[] | undefined {
  if (flaw === undefined) return undefined;
  const { subject } = findOperationStatement(what);
  const there =
    (!subject.includes("job") || (job !== undefined && job in states.jobs)) &&
    (!subject.includes("ref") || (ref !== undefined && ref in states.observations)) &&
    (what === "POST /api/repos" || !subject.includes("repo") || states.repos[repo ?? "repo"]?.registered.join() === "true");
  return there ? undefined : [{ requirements: createRefusalRules(flaw, "4xx"), next: states }];
}

function listAllBranches(states: States, request: ModelRequest): Branch[] {
  const { what } = request;
  switch (what) {
    case "POST /api/repos/{owner}/{repo}/{branch}/jobs":
      return submitJob(states, request);
    case "POST /api/jobs/{job_id}/cancel":
      return cancelJob(states, request);
    case "POST /api/jobs/{job_id}/retry":
      return retryJob(states, request);
    case "GET /api/jobs/{job_id}":
      return readJob(states, request);
    case "GET /api/jobs":
    case "GET /api/repos/{owner}/{repo}/{branch}/jobs":
      return listJobs(states, request);
    case "GET /api/observations":
      return listObservations(states, request);
    case "GET /api/observations/{ref}":
      return readObservation(states, request);
    case "POST /api/observations/{ref}/dismiss":
    case "POST /api/observations/{ref}/reopen":
    case "POST /api/observations/{ref}/complete":
    case "POST /api/observations/{ref}/acknowledge":
      return listTriageBranches(states, request);
    case "POST /api/observations/{ref}/publish-ticket":
      return publishTicket(states, request);
    case "POST /api/observations/{ref}/fix":
      return startFixJob(states, request);
    case "request_fix":
      return requestFix(states, request);
    default:
      return listOtherBranches(states, request);
  }
}

function listOtherBranches(states: States, request: ModelRequest): Branch[] {
  switch (request.what) {
    case "POST /api/repos":
      return register(states, request);
    case "DELETE /api/repos/{owner}/{repo}/{branch}":
      return deleteRepository(states, request);
    case "POST /api/repos/{owner}/{repo}/{branch}/reset":
      return resetRepository(states, request);
    case "GET /api/repos":
      return listRepositories(states, request);
    case "POST /api/keys":
      return createKey(states, request);
    case "PATCH /api/keys/{key_id}":
      return patchKey(states, request);
    case "GET /api/forecasts/lookup":
      return listForecastBranches(states, request);
    case "GET /api/openapi.json":
      return listGatedBranches(states);
    default:
      return request.repo !== undefined && request.what.startsWith("GET ")
        ? readRepository(states, request)
        : useTool(states, request);
  }
}
