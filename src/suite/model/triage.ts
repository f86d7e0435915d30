import {
  isRepeatable,
  stateAfterTriage,
  type TriageAction,
  triageActionOf,
  triageStatement,
} from "../statements/observations.js";
import { accepted, type Branch, invalid, must, notFound, refused } from "./branch.js";
import { unsaid } from "./callers.js";
import type { ModelRequest } from "./request.js";
import { type Observation, type ObservationState, type States, withObservation } from "./states.js";
import { reopened } from "./time.js";

/** How dismissing, reopening, completing or acknowledging an observation may come out: OBS-*. */
export function triage(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  const act = triageActionOf(request.what);
  if (!found || !act) return [{ must: notFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  const pinned = observation.possible.length === 1;
  return observation.possible.map((state): Branch => {
    const at = withObservation(states, name, { possible: [state] });
    if (request.flaw !== undefined) return flawed(at, request.flaw, act, state);
    const next = moved(state, act, request);
    if (!next) return inWrongStatus(at, name, act, state, pinned);
    const { clause, secondClause } = triageStatement(act);
    const because = secondClause === undefined ? [clause] : [clause, secondClause];
    const done = withObservation(at, name, { possible: [next], because });
    const perhapsAgain = isRepeatable(act) && state.acknowledged !== false;
    return perhapsAgain ? unsaid(done, clause) : { must: [accepted(clause)], next: done };
  });
}

/** The state after an act; undefined where the table has no line for it. */
function moved(state: ObservationState, act: TriageAction, { with: body }: ModelRequest): ObservationState | undefined {
  const { setsAcknowledgedAt, from } = triageStatement(act);
  const next = stateAfterTriage(state.status, act);
  if (!next) return undefined;
  if (from === "closed") return reopened(state);
  const category = body?.dismissal_category;
  return {
    ...state,
    status: next.status,
    reason: next.closeReason,
    ...(category !== undefined && { category: String(category) }),
    ...(setsAcknowledgedAt && { acknowledged: true }),
  };
}

/** OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW: what the table has no line for changes neither status nor reason. */
function inWrongStatus(states: States, name: string, act: TriageAction, state: ObservationState, pinned: boolean): Branch {
  const { wrongStatusClause: clause, setsAcknowledgedAt } = triageStatement(act);
  const stays = setsAcknowledgedAt ? { ...state, acknowledged: null } : state;
  return unsaid(withObservation(states, name, { possible: [stays], ...(pinned && { because: [clause] }) }), clause);
}

/** A body that is not of the form. In the wrong state either refusal may come first. */
function flawed(states: States, flaw: string, act: TriageAction, { status }: ObservationState): Branch {
  const inPlace = triageStatement(act).from === status;
  if (flaw === "OBS-DISMISS-EXHAUSTED-REFUSED" || !inPlace) return { must: refused(flaw, "4xx"), next: states };
  return { must: invalid(flaw), next: states };
}

/** How publishing an observation to a tracker may come out: OBS-TICKET-*. */
export function publishTicket(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  if (!found) return [{ must: notFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  const tickets = states.repos[observation.repo]?.tickets ?? null;
  const published = withObservation(states, name, { ticketed: true });
  // What becomes of a second ticket is not said.
  if (tickets === null || observation.ticketed || observation.possible.some(({ status }) => status === "closed"))
    return [unsaid(published, "OBS-TICKET-ROUTE")];
  if (tickets) return [{ must: [accepted("OBS-TICKET-ROUTE")], next: published }];
  const rules = refused("OBS-TICKET-NOINTEGRATION", 422);
  const code = must("OBS-TICKET-NOINTEGRATION-CODE", {
    json: { error: { fields: { type: "invalid_request_error", code: "no_ticket_integration" } } },
  });
  return [{ must: [...rules, code], next: states }];
}

/** How reading an observation may come out. */
export function readObservation(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  if (!found) return [{ must: notFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  return observation.possible.flatMap((state) => shown(state).map((one) => shows(states, name, observation, one)));
}

/** A state that says nothing of being acknowledged is one of two. */
function shown(state: ObservationState): ObservationState[] {
  return state.acknowledged === null ? [true, false].map((acknowledged) => ({ ...state, acknowledged })) : [state];
}

function shows(states: States, name: string, { possible, because }: Observation, state: ObservationState): Branch {
  const reason = state.status === "closed" ? state.reason : { absentOrNull: true };
  const stamp = state.acknowledged ? { type: "timestamp" } : { type: "null" };
  const known = possible.length === 1 ? because : ["OBS-GET-ROUTE"];
  return {
    must: [
      must("OBS-GET-ROUTE", { status: 200, json: { ref: `{${name}}` } }, { content: { matches: refPattern(name) } }),
      must(known, { json: { status: state.status, close_reason: reason } }),
      must(["OBS-ACK-STAMPS", "OBS-FIELD-ACK-NULL"], { json: { acknowledged_at: stamp } }),
    ],
    next: withObservation(states, name, { possible: [state] }),
  };
}

/** A ref in a text, and no longer one that begins alike. */
export function refPattern(name: string): string {
  return `{${name}}(?![0-9])`;
}

function find(states: States, { ref }: ModelRequest): { name: string; observation: Observation } | undefined {
  const observation = ref === undefined ? undefined : states.observations[ref];
  return ref !== undefined && observation ? { name: ref, observation } : undefined;
}
