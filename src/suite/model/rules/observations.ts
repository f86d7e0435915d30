import {
  isRepeatable,
  stateAfterTriage,
  type TriageAction,
  triageActionOf,
  triageStatement,
} from "../../statements/observations.js";
import { acceptance, type Branch, notFound, refusalRules, requirement, validationError } from "./branch.js";
import { openOutcome } from "./callers.js";
import type { ModelRequest } from "./request.js";
import { type Observation, type ObservationState, type States, withObservation } from "./states.js";
import { reopenedState } from "./time.js";

/** Returns the outcomes of a triage action: OBS-*. */
export function triage(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  const act = triageActionOf(request.what);
  if (!found || !act) return [{ requirements: notFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  const isCertain = observation.possible.length === 1;
  return observation.possible.flatMap((state): Branch[] => {
    const at = withObservation(states, name, { possible: [state] });
    if (request.flaw !== undefined) return [invalidBody(at, request.flaw, act, state)];
    const next = stateAfterAction(state, act, request);
    if (!next) return [inWrongStatus(at, name, act, state, isCertain)];
    const { clause, secondClause } = triageStatement(act);
    const because = secondClause === undefined ? [clause] : [clause, secondClause];
    const done = withObservation(at, name, { possible: [next], because });
    const mayBeRepeated = isRepeatable(act) && state.acknowledged !== false;
    if (mayBeRepeated) return [openOutcome(done, clause)];
    // OBS-COMPLETE-CLOSES is about what was resolved outside a PR of the service.
    const mayBeInPr = act === "complete" && state.pull !== "none" && state.pull !== "closed";
    const branch: Branch = { requirements: refusalRules(clause, "4xx"), next: at, unrelated: true };
    return [{ requirements: [acceptance(clause)], next: done }, ...(mayBeInPr ? [branch] : [])];
  });
}

/** Returns the state after an action; undefined where the table has no row for it. */
function stateAfterAction(
  state: ObservationState,
  act: TriageAction,
  { with: body }: ModelRequest,
): ObservationState | undefined {
  const { setsAcknowledgedAt, from } = triageStatement(act);
  const next = stateAfterTriage(state.status, act);
  if (!next) return undefined;
  if (from === "closed") return reopenedState(state);
  const category = body?.dismissal_category;
  return {
    ...state,
    status: next.status,
    reason: next.closeReason,
    ...(category !== undefined && { category: String(category) }),
    ...(setsAcknowledgedAt && { acknowledged: true }),
  };
}

/** OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW: an action without a row changes neither status nor close reason. */
function inWrongStatus(states: States, name: string, act: TriageAction, state: ObservationState, isCertain: boolean): Branch {
  const { wrongStatusClause: clause, setsAcknowledgedAt } = triageStatement(act);
  const stays = setsAcknowledgedAt ? { ...state, acknowledged: null } : state;
  return openOutcome(withObservation(states, name, { possible: [stays], ...(isCertain && { because: [clause] }) }), clause);
}

/** Returns the refusal of an invalid body. In the wrong status either refusal may come first. */
function invalidBody(states: States, flaw: string, act: TriageAction, { status }: ObservationState): Branch {
  const inPlace = triageStatement(act).from === status;
  if (flaw === "OBS-DISMISS-EXHAUSTED-REFUSED" || !inPlace) return { requirements: refusalRules(flaw, "4xx"), next: states };
  return { requirements: validationError(flaw), next: states };
}

/** Returns the outcomes of publishing an observation as a ticket: OBS-TICKET-*. */
export function publishTicket(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  if (!found) return [{ requirements: notFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  const tickets = states.repos[observation.repo]?.tickets ?? null;
  const published = withObservation(states, name, { ticketed: true });
  // The result of a second ticket is open.
  if (tickets === null || observation.ticketed || observation.possible.some(({ status }) => status === "closed"))
    return [openOutcome(published, "OBS-TICKET-ROUTE")];
  if (tickets) return [{ requirements: [acceptance("OBS-TICKET-ROUTE")], next: published }];
  const rules = refusalRules("OBS-TICKET-NOINTEGRATION", 422);
  const code = requirement("OBS-TICKET-NOINTEGRATION-CODE", {
    json: { error: { fields: { type: "invalid_request_error", code: "no_ticket_integration" } } },
  });
  return [{ requirements: [...rules, code], next: states }];
}

/** Returns the outcomes of reading an observation. */
export function readObservation(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  if (!found) return [{ requirements: notFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  return observation.possible.flatMap((state) =>
    shownStates(state).map((observationState) => shows(states, name, observation, observationState)),
  );
}

/** Splits a state with unknown acknowledgement into two. */
function shownStates(state: ObservationState): ObservationState[] {
  return state.acknowledged === null ? [true, false].map((acknowledged) => ({ ...state, acknowledged })) : [state];
}

function shows(states: States, name: string, { possible, because }: Observation, state: ObservationState): Branch {
  const reason = state.status === "closed" ? state.reason : { absentOrNull: true };
  const stamp = state.acknowledged ? { type: "timestamp" } : { type: "null" };
  const known = possible.length === 1 ? because : ["OBS-GET-ROUTE"];
  return {
    requirements: [
      requirement("OBS-GET-ROUTE", { status: 200, json: { ref: `{${name}}` } }, { content: { matches: refPattern(name) } }),
      requirement(known, { json: { status: state.status, close_reason: reason } }),
      requirement(["OBS-ACK-STAMPS", "OBS-FIELD-ACK-NULL"], { json: { acknowledged_at: stamp } }),
    ],
    next: withObservation(states, name, { possible: [state] }),
  };
}

/** Returns a pattern of a ref as a whole. */
export function refPattern(name: string): string {
  return `{${name}}(?![0-9])`;
}

function find(states: States, { ref }: ModelRequest): { name: string; observation: Observation } | undefined {
  const observation = ref === undefined ? undefined : states.observations[ref];
  return ref !== undefined && observation ? { name: ref, observation } : undefined;
}
