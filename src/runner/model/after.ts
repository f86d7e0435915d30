import type { Lookup } from "../scenario/interpolate.js";
import type { WireResponse } from "../wire/exchange.js";
import type { Ask } from "./ask.js";
import { type Branch, refused } from "./branch.js";
import { forbidden, lacksScope, stopped } from "./callers.js";
import { requestFix, spawnFix } from "./fixes.js";
import { cancelJob, readJob, retryJob } from "./jobs.js";
import { type Judged, judge } from "./judge.js";
import { createKey, patchKey } from "./keys.js";
import { listJobs, listObservations } from "./lists.js";
import { textOf } from "./operations.js";
import { deleteRepository, listRepositories, readRepository, register, resetRepository } from "./repositories.js";
import { forecast, gatedDocument, useTool } from "./settings.js";
import { joinStates, type States } from "./states.js";
import { submitJob } from "./submissions.js";
import { publishTicket, readObservation, triage } from "./triage.js";

/** What is known after a request was answered, or why the answer contradicts all that was known: no possible state allows it. */
export function after(states: States, ask: Ask, answer: WireResponse, look: Lookup): Judged {
  return judge(waysOf(states, ask), ask, answer, look);
}

/**
 * What is known after a request that was not answered: it may or may not have been carried out. What it may have made has no name, so whatever
 * depends on that is forgotten.
 */
export function afterLost(states: States, ask: Ask): States {
  const carried = joinStates([states, ...waysOf(states, ask).map(({ next }) => next)]) ?? states;
  const { names, job, ref } = ask;
  if (names === undefined) return carried;
  const made = carried.jobs[names];
  const repo = made && carried.repos[made.repo];
  return {
    ...carried,
    jobs: without(carried.jobs, [names, job]),
    observations: without(carried.observations, [ref]),
    keys: without(carried.keys, [names]),
    keyed: states.keyed,
    room: { ...carried.room, keys: null },
    ...(made && repo && { repos: { ...carried.repos, [made.repo]: { ...repo, ours: false } } }),
  };
}

function without<T>(things: Readonly<Record<string, T>>, names: readonly (string | undefined)[]): Record<string, T> {
  return Object.fromEntries(Object.entries(things).filter(([name]) => !names.includes(name)));
}

/** Every way in which a request may come out. */
export function waysOf(states: States, ask: Ask): Branch[] {
  const refusal = stopped(states, ask);
  if (refusal && onlyScopeIsMissing(states, ask)) return [forbidden(states, ask)];
  return refusal ?? wronglyAskedOfNothing(states, ask) ?? ways(states, ask);
}

/** Whether a request over REST that lacks a scope would be served to one who has it. Which of several refusals comes first is not said. */
function onlyScopeIsMissing(states: States, ask: Ask): boolean {
  const { broke, paused, unverified, suspended } = states;
  const key = states.keys[ask.as];
  if (ask.by === "tool" || (key && key.live !== true) || broke || paused || unverified || suspended || !lacksScope(states, ask))
    return false;
  const served = ways(states, { ...ask, as: "full" }).filter(({ aside }) => !aside);
  return served.every(
    ({ must: [first] }) => first?.rest.status === "2xx" || [200, 201, 204].includes(Number(first?.rest.status)),
  );
}

/** A body that is not of the form, for a thing that is not there: which of the two refuses is not said. */
function wronglyAskedOfNothing(states: States, { flaw, what, job, ref, repo }: Ask): Branch[] | undefined {
  if (flaw === undefined) return undefined;
  const { subject } = textOf(what);
  const there =
    (!subject.includes("job") || (job !== undefined && job in states.jobs)) &&
    (!subject.includes("ref") || (ref !== undefined && ref in states.observations)) &&
    (what === "POST /api/repos" || !subject.includes("repo") || states.repos[repo ?? "repo"]?.registered.join() === "true");
  return there ? undefined : [{ must: refused(flaw, "4xx"), next: states }];
}

function ways(states: States, ask: Ask): Branch[] {
  const { what } = ask;
  switch (what) {
    case "POST /api/repos/{owner}/{repo}/{branch}/jobs":
      return submitJob(states, ask);
    case "POST /api/jobs/{job_id}/cancel":
      return cancelJob(states, ask);
    case "POST /api/jobs/{job_id}/retry":
      return retryJob(states, ask);
    case "GET /api/jobs/{job_id}":
      return readJob(states, ask);
    case "GET /api/jobs":
    case "GET /api/repos/{owner}/{repo}/{branch}/jobs":
      return listJobs(states, ask);
    case "GET /api/observations":
      return listObservations(states, ask);
    case "GET /api/observations/{ref}":
      return readObservation(states, ask);
    case "POST /api/observations/{ref}/dismiss":
    case "POST /api/observations/{ref}/reopen":
    case "POST /api/observations/{ref}/complete":
    case "POST /api/observations/{ref}/acknowledge":
      return triage(states, ask);
    case "POST /api/observations/{ref}/publish-ticket":
      return publishTicket(states, ask);
    case "POST /api/observations/{ref}/fix":
      return spawnFix(states, ask);
    case "request_fix":
      return requestFix(states, ask);
    default:
      return otherWays(states, ask);
  }
}

function otherWays(states: States, ask: Ask): Branch[] {
  switch (ask.what) {
    case "POST /api/repos":
      return register(states, ask);
    case "DELETE /api/repos/{owner}/{repo}/{branch}":
      return deleteRepository(states, ask);
    case "POST /api/repos/{owner}/{repo}/{branch}/reset":
      return resetRepository(states, ask);
    case "GET /api/repos":
      return listRepositories(states, ask);
    case "POST /api/keys":
      return createKey(states, ask);
    case "PATCH /api/keys/{key_id}":
      return patchKey(states, ask);
    case "GET /api/forecasts/lookup":
      return forecast(states, ask);
    case "GET /api/openapi.json":
      return gatedDocument(states);
    default:
      return ask.repo !== undefined && ask.what.startsWith("GET ") ? readRepository(states, ask) : useTool(states, ask);
  }
}
