import type { DismissalCategory } from "../../contract/types.js";
import { type Call, type Outcome, refuse, succeed } from "../call.js";
import { readRow } from "../world/lookups.js";
import { findNextState } from "../world/state-machine.js";
import type { CloseReason, Observation, World } from "../world/world.js";
import { changeObservation, type ObservationFields, reopenedFields, showObservation } from "./observations.js";
import { findObservation, noSuchObservation } from "./reads.js";

/** Dismisses an open observation. OBS-DISMISS-*. */
export function dismissObservation(world: World, call: Call): Outcome {
  const body = call.body as { dismissal_category: DismissalCategory; dismissal_note: string };
  const { dismissal_category, dismissal_note } = body;
  return close(world, call, "dismiss", { close_reason: "dismissed", dismissal_category, dismissal_note });
}

/** Completes an open observation that was resolved outside a pull request of the service. OBS-COMPLETE-*. */
export function completeObservation(world: World, call: Call): Outcome {
  const { url = null, note = null } = (call.body ?? {}) as { url?: string; note?: string };
  return close(world, call, "complete", { close_reason: "completed", completion: { url, note } });
}

/** Sets `acknowledged_at` on an open observation. A second call keeps the first time (assumed). OBS-ACK-*. */
export function acknowledgeObservation(world: World, call: Call): Outcome {
  const observation = findObservation(world, call);
  if (!observation) return noSuchObservation;
  if (!findNextState("observation", observation.status, "acknowledge")) return refuse("observation_not_open");
  if (observation.acknowledged_at === null) changeObservation(world, observation, { acknowledged_at: world.now });
  return show(world, observation);
}

/** Opens a closed observation. OBS-REOPEN-*. */
export function reopenObservation(world: World, call: Call): Outcome {
  const observation = findObservation(world, call);
  if (!observation) return noSuchObservation;
  if (!findNextState("observation", observation.status, "reopen")) return refuse("observation_not_closed");
  const { reopen_reason } = call.body as { reopen_reason: string };
  changeObservation(world, observation, { ...reopenedFields, reopen_reason });
  return show(world, observation);
}

/** Publishes an observation in its repository's ticket tracker. A second call returns the same ticket (assumed). OBS-TICKET-*. */
export function publishTicket(world: World, call: Call): Outcome {
  const observation = findObservation(world, call);
  if (!observation) return noSuchObservation;
  const repo = readRow(world.repos, observation.repo);
  if (!repo.ticket_integration) return refuse("no_ticket_integration");
  const ticket_url = `https://tickets.example/${repo.owner}/${repo.repo}/${observation.number}`;
  if (observation.ticket_url === null) changeObservation(world, observation, { ticket_url });
  return show(world, observation);
}

/** Closes an open observation. OBS-ACTION-CLOSED: a closed one stays unchanged. */
function close(world: World, call: Call, event: string, closing: ObservationFields & { close_reason: CloseReason }): Outcome {
  const observation = findObservation(world, call);
  if (!observation) return noSuchObservation;
  const step = findNextState("observation", observation.status, event);
  if (!step) return refuse("observation_not_open");
  changeObservation(world, observation, { ...closing, status: step.to, resolved_at: world.now });
  return show(world, observation);
}

function show(world: World, observation: Observation): Outcome {
  return succeed(200, showObservation(observation, readRow(world.repos, observation.repo), { locations: false }));
}
