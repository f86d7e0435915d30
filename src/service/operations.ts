import type { RouteName } from "../contract/types.js";
import { getOpenApi } from "./access/published-document.js";
import type { Call, Outcome } from "./call.js";
import { fixObservation } from "./jobs/fix-operation.js";
import { listForecasts, lookupForecast } from "./jobs/forecasts.js";
import { cancelJob, getJob, listJobs, listRepoJobs, retryJob, submitJob } from "./jobs/operations.js";
import { createKey, patchKey } from "./keys/operations.js";
import { listFixPrs } from "./observations/fix-lane.js";
import { getObservation, listObservations } from "./observations/reads.js";
import {
  acknowledgeObservation,
  completeObservation,
  dismissObservation,
  publishTicket,
  reopenObservation,
} from "./observations/triage.js";
import { deleteRepo, getKnowledge, getRepo, listDiscovery, listRepos, resetRepo } from "./repositories/operations.js";
import { registerRepo } from "./repositories/registration.js";
import type { World } from "./world/world.js";

/** Performs one route for a call that passed every check. Changes the world, or refuses and changes nothing. */
export type Operation = (world: World, call: Call) => Outcome;

/** The function of every route. A route without a function does not compile. */
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
