import { type Call, changeResult, getFields } from "./call.js";
import type { Choices } from "./choices.js";
import { fixable } from "./fixable.js";
import { resultWithoutChange } from "./idle.js";
import { closeObservation, isInLane, openObservation } from "./lifecycle.js";
import { findObservationInPath, showObservation } from "./observations.js";
import { type Fault, invalid, isRefusal, type OperationResult, refuse, success } from "./operation-result.js";
import { drawSpend, getPrice } from "./spend.js";
import type { Job, Observation } from "./state.js";
import { enqueue } from "./submit.js";
import { isInFlight } from "./time.js";

const SERVICE_ONLY = "exhausted_fix_attempts";
const CATEGORIES = ["false_positive", "wont_fix", "out_of_scope", "stale", "no_longer_found", "other"];

/** POST /api/observations/{ref}/dismiss */
export function dismiss(call: Call): OperationResult {
  const { dismissal_category } = getFields(call);
  const faults = faultsOfDismissal(call);
  if (dismissal_category === SERVICE_ONLY && faults.length === 0) return refuseExhausted(call.choices);
  return change(call, faults, "new", (observation) => {
    closeObservation(observation, "dismissed", call.nowMs);
    observation.dismissedAs = String(dismissal_category);
  });
}

/** Returns the mistakes in the body of a dismissal. */
export function faultsOfDismissal(call: Call): Fault[] {
  const { dismissal_category, dismissal_note } = getFields(call);
  const faults: Fault[] = [];
  const known = call.choices.exhaustedHttp === 422 ? CATEGORIES : [...CATEGORIES, SERVICE_ONLY];
  if (!known.includes(dismissal_category as string))
    faults.push({ field: "dismissal_category", problem: `must be one of ${CATEGORIES.join(", ")}` });
  if (!isTextInLimits(call, dismissal_note, 10, 500))
    faults.push({ field: "dismissal_note", problem: "must have 10 to 500 characters" });
  return faults;
}

function refuseExhausted({ exhaustedHttp }: Choices): OperationResult {
  const why = "Only the service itself says so";
  return exhaustedHttp === 403
    ? refuse(403, "permission_error", "permission_denied", why)
    : refuse(400, "invalid_request_error", "bad_request", why);
}

/** POST /api/observations/{ref}/complete */
export function complete(call: Call): OperationResult {
  return change(call, faultsOfCompletion(call), "new", (observation) => closeObservation(observation, "completed", call.nowMs));
}

/** Returns the mistakes in the body of a completion. */
export function faultsOfCompletion(call: Call): Fault[] {
  const { url, note } = getFields(call);
  return Object.entries({ url, note })
    .filter(([, value]) => value !== undefined && value !== null && typeof value !== "string")
    .map(([field]) => ({ field, problem: "must be a text" }));
}

/** POST /api/observations/{ref}/reopen */
export function reopen(call: Call): OperationResult {
  return change(call, faultsOfReopening(call), "closed", (observation) =>
    openObservation(observation, call.nowMs, call.choices.reopenForgets),
  );
}

/** Returns the mistakes in the body of a reopening. */
export function faultsOfReopening(call: Call): Fault[] {
  return isTextInLimits(call, getFields(call).reopen_reason, 1, 2000)
    ? []
    : [{ field: "reopen_reason", problem: "must have 1 to 2000 characters" }];
}

/** POST /api/observations/{ref}/acknowledge */
export function acknowledge(call: Call): OperationResult {
  const { acknowledgedAgain } = call.choices;
  const known = findObservationInPath(call);
  const again = !isRefusal(known) && known.status === "new" && known.acknowledgedMs !== undefined;
  if (again && acknowledgedAgain === "conflict")
    return refuse(409, "conflict", call.choices.code("acknowledged already"), "Somebody has done so");
  return change(call, [], "new", (observation) => {
    if (again && acknowledgedAgain === "stays") return;
    observation.acknowledgedMs = call.nowMs;
    observation.updatedMs = call.nowMs;
  });
}

/** POST /api/observations/{ref}/publish-ticket */
export function publishTicket(call: Call): OperationResult {
  const one = findObservationInPath(call);
  if (isRefusal(one)) return one;
  if (!one.repo.tracker) return refuse(422, "invalid_request_error", "no_ticket_integration", "The repository has no tracker");
  const { ticketAgain, code, ticketWants } = call.choices;
  if (ticketWants !== undefined && !(ticketWants in getFields(call)))
    return invalid([{ field: ticketWants, problem: "is missing" }]);
  if (one.tickets && ticketAgain === "conflict") return refuse(409, "conflict", code("ticket there"), "It has a ticket");
  one.tickets = ticketAgain === "same" ? 1 : (one.tickets ?? 0) + 1;
  return changeResult(call, call.choices.done.ticket, { ticket: `https://tracker.example/${one.ref}` });
}

/** POST /api/observations/{ref}/fix */
export function spawnFix(call: Call): OperationResult {
  const one = findObservationInPath(call);
  if (isRefusal(one)) return one;
  const refusal = fixable(call, one);
  if (refusal) return refusal;
  const running = call.workspace.jobs.find((job) => job.observation === one && isInFlight(job));
  const { fixAgain, fixes } = call.choices;
  if (running && fixAgain !== "second") return again(call, one, running);
  if (isInLane(one) && fixes !== "all")
    return refuse(call.choices.unfixableHttp, "invalid_request_error", "observation_not_fixable", "Its fix is under review");
  const poor = drawSpend(call, getPrice("fix"));
  if (poor) return poor;
  const params = JSON.stringify({ [call.choices.params.fix]: one.ref });
  const job = enqueue(call, { workflow: "fix", params, repo: one.repo, observation: one });
  return success(call.choices.done.fix, showFix(call, one, job.id, job.attempt));
}

/** The response to a fix request while another fix is in flight. */
function again(call: Call, observation: Observation, job: Job): OperationResult {
  const why = "A fix is under way";
  switch (call.choices.fixAgain) {
    case "conflict":
      return refuse(409, "conflict", call.choices.code("fix in flight"), why);
    case "unprocessable":
      return refuse(call.choices.unfixableHttp, "invalid_request_error", "observation_not_fixable", why);
    default:
      return success(200, showFix(call, observation, job.id, job.attempt));
  }
}

function showFix(call: Call, observation: Observation, jobId: string, attempt: string | undefined) {
  return { ...call.choices.adorn(0), observation: showObservation(call, observation), attempt_id: attempt, job_id: jobId };
}

/** Changes an observation in a state that allows it. Reports a mistake in the request before or after it checks the state. */
function change(
  call: Call,
  faults: Fault[],
  from: Observation["status"],
  make: (observation: Observation) => void,
): OperationResult {
  const one = findObservationInPath(call);
  if (isRefusal(one)) return one;
  if (faults.length > 0) return invalid(faults);
  const { choices } = call;
  if (one.status !== from)
    return resultWithoutChange(choices, choices.triageIdle, showObservation(call, one), `It is ${one.status}`);
  make(one);
  return changeResult(call, choices.done.triage, showObservation(call, one));
}

function isTextInLimits({ choices }: Call, value: unknown, min: number, max: number): boolean {
  if (typeof value !== "string") return false;
  const length = lengthIn[choices.noteUnits](value);
  return length >= min && length <= max;
}

/** The length of a text, by each definition of a character. */
const lengthIn: Record<Choices["noteUnits"], (text: string) => number> = {
  "code points": (text) => [...text].length,
  "utf-16": (text) => text.length,
  graphemes: (text) => [...new Intl.Segmenter().segment(text)].length,
};
