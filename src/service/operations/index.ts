import type { RouteName } from "../../contract/types.js";
import type { Call, Outcome } from "../call.js";
import type { World } from "../world.js";
import { listForecasts, lookupForecast } from "./forecasts.js";
import { cancelJob, getJob, listJobs, listRepoJobs, retryJob, submitJob } from "./jobs.js";
import { createKey, patchKey } from "./keys.js";
import { getOpenApi } from "./meta.js";
import { getObservation, listObservations } from "./observations.js";
import { registerRepo } from "./registration.js";
import { deleteRepo, getRepo, listRepos, resetRepo } from "./repositories.js";
import { getKnowledge, listDiscovery, listFixPrs } from "./repository-reads.js";
import {
  acknowledgeObservation,
  completeObservation,
  dismissObservation,
  fixObservation,
  publishTicket,
  reopenObservation,
} from "./triage.js";

/** Does the work of one route on a call that passed every gate; changes the world, or refuses and changes nothing. */
export type Operation = (world: World, call: Call) => Outcome;

/** Every route of the contract and the function that serves it: a route without one does not compile. */
export const operations: Record<RouteName, Operation> = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": submitJob,
  "GET /api/repos/{owner}/{repo}/{branch}/jobs": listRepoJobs,
  "GET /api/jobs": listJobs,
  "GET /api/jobs/{job_id}": getJob,
  "POST /api/jobs/{job_id}/cancel": cancelJob,
  "POST /api/jobs/{job_id}/retry": retryJob,
  "GET /api/repos": listRepos,
  "POST /api/repos": registerRepo,
  "GET /api/repos/{owner}/{repo}/{branch}": getRepo,
  "DELETE /api/repos/{owner}/{repo}/{branch}": deleteRepo,
  "POST /api/repos/{owner}/{repo}/{branch}/reset": resetRepo,
  "GET /api/repos/{owner}/{repo}/{branch}/discovery": listDiscovery,
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge": getKnowledge,
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs": listFixPrs,
  "GET /api/observations": listObservations,
  "GET /api/observations/{ref}": getObservation,
  "POST /api/observations/{ref}/fix": fixObservation,
  "POST /api/observations/{ref}/dismiss": dismissObservation,
  "POST /api/observations/{ref}/reopen": reopenObservation,
  "POST /api/observations/{ref}/complete": completeObservation,
  "POST /api/observations/{ref}/acknowledge": acknowledgeObservation,
  "POST /api/observations/{ref}/publish-ticket": publishTicket,
  "GET /api/repos/{owner}/{repo}/{branch}/forecasts": listForecasts,
  "GET /api/forecasts/lookup": lookupForecast,
  "POST /api/keys": createKey,
  "PATCH /api/keys/{key_id}": patchKey,
  "GET /api/openapi.json": getOpenApi,
};
