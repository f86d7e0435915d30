import { type Call, type Outcome, ok, type RefusalOrNull, refuse } from "../call.js";
import { admitRun } from "../limits/admission.js";
import { isInWorkflowFile, whyNotFixable } from "../observations/fixes.js";
import { observationView } from "../observations/observations.js";
import { findObservation, noSuchObservation } from "../observations/reads.js";
import { rowOf } from "../world/lookups.js";
import type { Observation, World } from "../world/world.js";
import { type Fix, fixInFlight, startFix } from "./fix-attempts.js";

/** Starts a fix: 201 with the attempt and its job, or 200 with the fix already in flight (assumed). OBS-FIX-*. */
export function fixObservation(world: World, call: Call): Outcome {
  const observation = findObservation(world, call);
  if (!observation) return noSuchObservation;
  const notFixable = refuseFix(observation);
  if (notFixable) return notFixable;
  const inFlight = fixInFlight(world, observation);
  if (inFlight) return ok(200, fixView(world, observation, inFlight));
  const refused = admitRun(world, call.caller, "fix");
  if (refused) return refused;
  return ok(201, fixView(world, observation, startFix(world, observation)));
}

/** OBS-FIX-NOTFIXABLE, ERR-CODE-WORKFLOW-FILE. */
function refuseFix(observation: Observation): RefusalOrNull {
  const reason = whyNotFixable(observation);
  if (reason) return refuse("observation_not_fixable", { message: `No fix can be started: ${reason}.` });
  return isInWorkflowFile(observation) ? refuse("observation_fix_targets_workflow_file") : null;
}

function fixView(world: World, observation: Observation, { attempt, job }: Fix): Record<string, unknown> {
  const repo = rowOf(world.repos, observation.repo);
  return { observation: observationView(observation, repo, { locations: false }), attempt_id: attempt.id, job_id: job.id };
}
