import {
  findStateAfterTriage,
  findTriageAction,
  findTriageStatement,
  isRepeatable,
  type TriageAction,
} from "../../statements/observations.js";
import {
  type Branch,
  createAcceptance,
  createRefusalRules,
  createRequirement,
  expectNotFound,
  expectValidationError,
} from "./branch.js";
import { openOutcome } from "./callers.js";
import type { ModelRequest } from "./request.js";
import { changeObservation, type Observation, type ObservationState, type States } from "./states.js";
import { findReopenedState } from "./time.js";

/** Returns the outcomes of a triage action: OBS-*. */
export function listTriageBranches(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  const act = findTriageAction(request.what);
  if (!found || !act) return [{ requirements: expectNotFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  const isCertain = observation.possible.length === 1;
  return observation.possible.flatMap((state): Branch[] => {
    const at = changeObservation(states, name, { possible: [state] });
    if (request.flaw !== undefined) return [refuseInvalidBody(at, request.flaw, act, state)];
    const next = findStateAfterAction(state, act, request);
    if (!next) return [refuseWrongStatus(at, name, act, state, isCertain)];
    const { clause, secondClause } = findTriageStatement(act);
    const because = secondClause === undefined ? [clause] : [clause, secondClause];
    const done = changeObservation(at, name, { possible: [next], because });
    const mayBeRepeated = isRepeatable(act) && state.acknowledged !== false;
    if (mayBeRepeated) return [openOutcome(done, clause)];
    // OBS-COMPLETE-CLOSES is about what was resolved outside a PR of the service.
    const mayBeInPr = act === "complete" && state.pull !== "none" && state.pull !== "closed";
    const branch: Branch = { requirements: createRefusalRules(clause, "4xx"), next: at, unrelated: true };
    return [{ requirements: [createAcceptance(clause)], next: done }, ...(mayBeInPr ? [branch] : [])];
  });
}

/** Returns the state after an action; undefined where the table has no row for it. */
function findStateAfterAction(
  state: ObservationState,
  act: TriageAction,
  { with: body }: ModelRequest,
): ObservationState | undefined {
  const { setsAcknowledgedAt, from } = findTriageStatement(act);
  const next = findStateAfterTriage(state.status, act);
  if (!next) return undefined;
  if (from === "closed") return findReopenedState(state);
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
function refuseWrongStatus(states: States, name: string, act: TriageAction, state: ObservationState, isCertain: boolean): Branch {
  const { wrongStatusClause: clause, setsAcknowledgedAt } = findTriageStatement(act);
  const stays = setsAcknowledgedAt ? { ...state, acknowledged: null } : state;
  return openOutcome(changeObservation(states, name, { possible: [stays], ...(isCertain && { because: [clause] }) }), clause);
}

/** Returns the refusal of an invalid body. In the wrong status either refusal may come first. */
function refuseInvalidBody(states: States, flaw: string, act: TriageAction, { status }: ObservationState): Branch {
  const inPlace = findTriageStatement(act).from === status;
  if (flaw === "OBS-DISMISS-EXHAUSTED-REFUSED" || !inPlace)
    return { requirements: createRefusalRules(flaw, "4xx"), next: states };
  return { requirements: expectValidationError(flaw), next: states };
}

/** Returns the outcomes of publishing an observation as a ticket: OBS-TICKET-*. */
export function publishTicket(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  if (!found) return [{ requirements: expectNotFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  const tickets = states.repos[observation.repo]?.tickets ?? null;
  const published = changeObservation(states, name, { ticketed: true });
  // The result of a second ticket is open.
  if (tickets === null || observation.ticketed || observation.possible.some(({ status }) => status === "closed"))
    return [openOutcome(published, "OBS-TICKET-ROUTE")];
  if (tickets) return [{ requirements: [createAcceptance("OBS-TICKET-ROUTE")], next: published }];
  const rules = createRefusalRules("OBS-TICKET-NOINTEGRATION", 422);
  const code = createRequirement("OBS-TICKET-NOINTEGRATION-CODE", {
    json: { error: { fields: { type: "invalid_request_error", code: "no_ticket_integration" } } },
  });
  return [{ requirements: [...rules, code], next: states }];
}

/** Returns the outcomes of reading an observation. */
export function readObservation(states: States, request: ModelRequest): Branch[] {
  const found = find(states, request);
  if (!found) return [{ requirements: expectNotFound("OBS-REF-UNKNOWN"), next: states }];
  const { name, observation } = found;
  return observation.possible.flatMap((state) =>
    listShownStates(state).map((observationState) => shows(states, name, observation, observationState)),
  );
}

/** Splits a state with unknown acknowledgement into two. */
function listShownStates(state: ObservationState): ObservationState[] {
  return state.acknowledged === null ? [true, false].map((acknowledged) => ({ ...state, acknowledged })) : [state];
}

function shows(states: States, name: string, { possible, because }: Observation, state: ObservationState): Branch {
  const reason = state.status === "closed" ? state.reason : { absentOrNull: true };
  const stamp = state.acknowledged ? { type: "timestamp" } : { type: "null" };
  const known = possible.length === 1 ? because : ["OBS-GET-ROUTE"];
  return {
    requirements: [
      createRequirement(
        "OBS-GET-ROUTE",
        { status: 200, json: { ref: `{${name}}` } },
        { content: { matches: createRefPattern(name) } },
      ),
      createRequirement(known, { json: { status: state.status, close_reason: reason } }),
      createRequirement(["OBS-ACK-STAMPS", "OBS-FIELD-ACK-NULL"], { json: { acknowledged_at: stamp } }),
    ],
    next: changeObservation(states, name, { possible: [state] }),
  };
}

/** Returns a pattern of a ref as a whole. */
export function createRefPattern(name: string): string {
  return `{${name}}(?![0-9])`;
}

function find(states: States, { ref }: ModelRequest): { name: string; observation: Observation } | undefined {
  const observation = ref === undefined ? undefined : states.observations[ref];
  return ref !== undefined && observation ? { name: ref, observation } : undefined;
}
