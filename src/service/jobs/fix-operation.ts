import { type Call, type Outcome, type RefusalOrNull, refuse, succeed } from "../call.js";
import { admitRun } from "../limits/admission.js";
import { explainUnfixable, isInWorkflowFile } from "../observations/fixes.js";
import { showObservation } from "../observations/observations.js";
import { findObservation, noSuchObservation } from "../observations/reads.js";
import { readRow } from "../world/lookups.js";
import type { Observation, World } from "../world/world.js";
import { type Fix, findFixInFlight, startFix } from "./fix-attempts.js";

/** Starts a fix: 201 with the attempt and its job, or 200 with the fix already in flight (assumed). OBS-FIX-*. */
export function fixObservation(world: World, call: Call): Outcome {
  const observation = findObservation(world, call);
  if (!observation) return noSuchObservation;
  const notFixable = refuseFix(observation);
  if (notFixable) return notFixable;
  const inFlight = findFixInFlight(world, observation);
  if (inFlight) return succeed(200, showFix(world, observation, inFlight));
  const refused = admitRun(world, call.caller, "fix");
  if (refused) return refused;
  return succeed(201, showFix(world, observation, startFix(world, observation)));
}

/** OBS-FIX-NOTFIXABLE, ERR-CODE-WORKFLOW-FILE. */
function refuseFix(observation: Observation): RefusalOrNull {
  const reason = explainUnfixable(observation);
  if (reason) return refuse("observation_not_fixable", { message: `No fix can be started: ${reason}.` });
  return isInWorkflowFile(observation) ? refuse("observation_fix_targets_workflow_file") : null;
}

function showFix(world: World, observation: Observation, { attempt, job }: Fix): Record<string, unknown> {
  const repo = readRow(world.repos, observation.repo);
  return { observation: showObservation(observation, repo, { locations: false }), attempt_id: attempt.id, job_id: job.id };
}
