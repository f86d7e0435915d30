import type { Call } from "./call.js";
import { listForecasts, lookUpForecast } from "./forecasts.js";
import { cancelJob, getJob, listJobs, listRepoJobs, retryJob } from "./jobs.js";
import { patchKey } from "./keys.js";
import { getObservation, listObservations } from "./observations.js";
import type { Fault, OperationResult } from "./operation-result.js";
import {
  deleteRepo,
  faultsOfRegistration,
  faultsOfReset,
  getDiscovery,
  getFixPrs,
  getKnowledge,
  getRepo,
  listRepos,
  registerRepo,
  resetRepo,
} from "./repositories.js";
import { faultsOfSubmission, submitJob } from "./submit.js";
import {
  acknowledge,
  complete,
  dismiss,
  faultsOfCompletion,
  faultsOfDismissal,
  faultsOfReopening,
  publishTicket,
  reopen,
  spawnFix,
} from "./triage.js";

/** One operation: its requirements, its rate limits, and its function. */
export interface Route {
  run(call: Call): OperationResult;
  scopes: string[];
  /** Name and requests a minute of its bucket; routes of one name share it. */
  bucket?: [string, number];
  /** Returns the mistake in a body, for every route. */
  faults?(call: Call): Fault[];
}

/** A path's template with its values. */
export interface Place {
  template: string;
  values: Record<string, string>;
}

const REPO = "/api/repos/{owner}/{repo}/{branch}";
const view = ["view_repositories"];
const jobs = ["view_jobs"];
const triage = { scopes: ["triage_observations"], bucket: ["triage", 60] as [string, number] };

/** Every operation of REST. POST /api/keys is served with the keys. */
export const routes: Record<string, Route> = {
  [`POST ${REPO}/jobs`]: { run: submitJob, faults: faultsOfSubmission, scopes: [], bucket: ["start", 30] },
  [`GET ${REPO}/jobs`]: { run: listRepoJobs, scopes: jobs, bucket: ["repo jobs", 120] },
  "GET /api/jobs": { run: listJobs, scopes: jobs },
  "GET /api/jobs/{job_id}": { run: getJob, scopes: jobs },
  "POST /api/jobs/{job_id}/cancel": { run: cancelJob, scopes: ["submit_audit_jobs"] },
  "POST /api/jobs/{job_id}/retry": { run: retryJob, scopes: [], bucket: ["start", 30] },
  "GET /api/repos": { run: listRepos, scopes: view, bucket: ["repos", 60] },
  "POST /api/repos": { run: registerRepo, faults: faultsOfRegistration, scopes: ["register_repo"], bucket: ["register", 10] },
  [`GET ${REPO}`]: { run: getRepo, scopes: view },
  [`DELETE ${REPO}`]: { run: deleteRepo, scopes: [] },
  [`POST ${REPO}/reset`]: { run: resetRepo, faults: faultsOfReset, scopes: ["manage_repos"], bucket: ["reset", 5] },
  [`GET ${REPO}/discovery`]: { run: getDiscovery, scopes: view },
  [`GET ${REPO}/knowledge`]: { run: getKnowledge, scopes: view },
  [`GET ${REPO}/fix-prs`]: { run: getFixPrs, scopes: view },
  [`GET ${REPO}/forecasts`]: { run: listForecasts, scopes: [] },
  "GET /api/forecasts/lookup": { run: lookUpForecast, scopes: [] },
  "GET /api/observations": { run: listObservations, scopes: view },
  "GET /api/observations/{ref}": { run: getObservation, scopes: view },
  "POST /api/observations/{ref}/fix": { run: spawnFix, scopes: ["submit_fix_jobs"], bucket: ["fix", 30] },
  "POST /api/observations/{ref}/dismiss": { run: dismiss, faults: faultsOfDismissal, ...triage },
  "POST /api/observations/{ref}/reopen": { run: reopen, faults: faultsOfReopening, ...triage },
  "POST /api/observations/{ref}/complete": { run: complete, faults: faultsOfCompletion, ...triage },
  "POST /api/observations/{ref}/acknowledge": { run: acknowledge, ...triage },
  "POST /api/observations/{ref}/publish-ticket": { run: publishTicket, scopes: triage.scopes, bucket: ["ticket", 30] },
  "PATCH /api/keys/{key_id}": { run: patchKey, scopes: [] },
};

/** A path's template with its values, among all methods; undefined for a path of no operation. */
export function findPath(path: string, templates: Iterable<string>, slashInBranch: boolean): Place | undefined {
  const plainTemplates = [...templates];
  const longest = plainTemplates.toSorted((a, b) => b.split("/").length - a.split("/").length);
  for (const template of slashInBranch ? longest : plainTemplates) {
    const parts = template.split("/");
    const given = slashInBranch ? joinBranch(path.split("/"), parts) : path.split("/");
    if (parts.length !== given.length) continue;
    const fits = parts.every((part, index) => part.startsWith("{") || part === given[index]);
    if (fits) return { template, values: valuesIn(parts, given) };
  }
  return undefined;
}

/** The segments of a path with those of the branch as one. */
function joinBranch(given: string[], parts: string[]): string[] {
  const at = parts.indexOf("{branch}");
  const more = given.length - parts.length;
  return at < 0 || more <= 0
    ? given
    : [...given.slice(0, at), given.slice(at, at + more + 1).join("/"), ...given.slice(at + more + 1)];
}

function valuesIn(parts: string[], given: string[]): Record<string, string> {
  const pairs = parts.flatMap((part, index) =>
    part.startsWith("{") ? [[part.slice(1, -1), decodeSegment(given[index] ?? "")]] : [],
  );
  return Object.fromEntries(pairs);
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
