import { type Call, changed, fieldsOf } from "./call.js";
import { fixable } from "./fixable.js";
import { standStill } from "./idle.js";
import { closeObservation, isInLane, openObservation } from "./lifecycle.js";
import { observationOf, showObservation } from "./observations.js";
import { done, type Fault, invalid, isRefusal, type Reply, refuse } from "./reply.js";
import { drawSpend, priceOf } from "./spend.js";
import type { Observation } from "./state.js";
import { enqueue } from "./submit.js";
import { isInFlight } from "./time.js";

const CATEGORIES = ["false_positive", "wont_fix", "out_of_scope", "stale", "no_longer_found", "other"];

/** POST /api/observations/{ref}/dismiss */
export function dismiss(call: Call): Reply {
  const { dismissal_category, dismissal_note } = fieldsOf(call);
  const faults: Fault[] = [];
  if (!CATEGORIES.includes(dismissal_category as string))
    faults.push({ field: "dismissal_category", problem: `must be one of ${CATEGORIES.join(", ")}` });
  if (!isTextOf(dismissal_note, 10, 500)) faults.push({ field: "dismissal_note", problem: "must have 10 to 500 characters" });
  return change(call, faults, "new", (one) => {
    closeObservation(one, "dismissed", call.nowMs);
    one.dismissedAs = String(dismissal_category);
  });
}

/** POST /api/observations/{ref}/complete */
export function complete(call: Call): Reply {
  const { url, note } = fieldsOf(call);
  const faults = Object.entries({ url, note })
    .filter(([, value]) => value !== undefined && value !== null && typeof value !== "string")
    .map(([field]) => ({ field, problem: "must be a text" }));
  return change(call, faults, "new", (one) => closeObservation(one, "completed", call.nowMs));
}

/** POST /api/observations/{ref}/reopen */
export function reopen(call: Call): Reply {
  const faults = isTextOf(fieldsOf(call).reopen_reason, 1, 2000)
    ? []
    : [{ field: "reopen_reason", problem: "must have 1 to 2000 characters" }];
  return change(call, faults, "closed", (one) => openObservation(one, call.nowMs));
}

/** POST /api/observations/{ref}/acknowledge */
export function acknowledge(call: Call): Reply {
  return change(call, [], "new", (one) => {
    one.acknowledgedMs = call.nowMs;
    one.updatedMs = call.nowMs;
  });
}

/** POST /api/observations/{ref}/publish-ticket */
export function publishTicket(call: Call): Reply {
  const one = observationOf(call);
  if (isRefusal(one)) return one;
  if (!one.repo.tracker) return refuse(422, "invalid_request_error", "no_ticket_integration", "The repository has no tracker");
  return changed(call, call.choices.done.ticket, { ticket: `https://tracker.example/${one.ref}` });
}

/** POST /api/observations/{ref}/fix */
export function spawnFix(call: Call): Reply {
  const one = observationOf(call);
  if (isRefusal(one)) return one;
  const refused = fixable(call, one);
  if (refused) return refused;
  const running = call.workspace.jobs.find((job) => job.observation === one && isInFlight(job));
  if (running) return done(200, showFix(call, one, running.id, running.attempt));
  if (isInLane(one)) return refuse(409, "conflict", "observation_not_fixable", "Its fix is under review");
  const poor = drawSpend(call, priceOf("fix"));
  if (poor) return poor;
  const params = JSON.stringify({ [call.choices.params.fix]: one.ref });
  const job = enqueue(call, { workflow: "fix", params, repo: one.repo, observation: one });
  return done(call.choices.done.fix, showFix(call, one, job.id, job.attempt));
}

function showFix(call: Call, one: Observation, jobId: string, attempt: string | undefined) {
  return { ...call.choices.adorn(0), observation: showObservation(call, one), attempt_id: attempt, job_id: jobId };
}

/** Changes an observation that is in the state for it; what is wrong with the request is said before or after that is looked at. */
function change(call: Call, faults: Fault[], from: Observation["status"], make: (one: Observation) => void): Reply {
  const one = observationOf(call);
  if (isRefusal(one)) return one;
  if (faults.length > 0) return invalid(faults);
  const { choices } = call;
  if (one.status !== from) return standStill(choices, choices.triageIdle, showObservation(call, one), `It is ${one.status}`);
  make(one);
  return changed(call, choices.done.triage, showObservation(call, one));
}

function isTextOf(value: unknown, least: number, most: number): boolean {
  return typeof value === "string" && [...value].length >= least && [...value].length <= most;
}
