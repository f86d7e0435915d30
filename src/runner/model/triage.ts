import type { Ask } from "./ask.js";
import { accepted, type Branch, invalid, must, notFound, refused } from "./branch.js";
import { unsaid } from "./callers.js";
import { reopened } from "./passing.js";
import { type Observation, type ObservationState, type States, withObservation } from "./states.js";

/** What triage asks of an observation. */
type Verb = "dismiss" | "reopen" | "complete" | "acknowledge";

/** How dismissing, reopening, completing or acknowledging an observation may come out: OBS-*. */
export function triage(states: States, ask: Ask): Branch[] {
  const found = find(states, ask);
  if (!found) return [{ must: notFound("OBS-REF-UNKNOWN"), next: states }];
  const verb = ask.what.split("/").at(-1) as Verb;
  const { name, observation } = found;
  const pinned = observation.possible.length === 1;
  return observation.possible.map((state): Branch => {
    const at = withObservation(states, name, { possible: [state] });
    if (ask.flaw !== undefined) return flawed(at, ask.flaw, verb, state);
    if (state.status === (verb === "reopen" ? "new" : "closed")) return outOfPlace(at, name, verb, state, pinned);
    const { next, clause } = moved(state, verb, ask);
    const because =
      verb === "reopen" ? [clause, "OBS-REOPEN-CLEARS"] : verb === "acknowledge" ? [clause, "OBS-ACK-OPEN"] : [clause];
    return { must: [accepted(clause)], next: withObservation(at, name, { possible: [next], because }) };
  });
}

/** The transitions of the observation table. */
function moved(state: ObservationState, verb: Verb, { with: body }: Ask): { next: ObservationState; clause: string } {
  const closed = { ...state, status: "closed" as const };
  switch (verb) {
    case "dismiss":
      return {
        next: { ...closed, reason: "dismissed", category: String(body?.dismissal_category) },
        clause: "OBS-DISMISS-CLOSES",
      };
    case "complete":
      return { next: { ...closed, reason: "completed" }, clause: "OBS-COMPLETE-CLOSES" };
    case "acknowledge":
      return { next: { ...state, acknowledged: true }, clause: "OBS-ACK-STAMPS" };
    case "reopen":
      return { next: reopened(state), clause: "OBS-REOPEN-OPENS" };
    default:
      return verb satisfies never;
  }
}

/** OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW: what the table has no line for changes neither status nor reason. */
function outOfPlace(states: States, name: string, verb: Verb, state: ObservationState, pinned: boolean): Branch {
  const clause = verb === "reopen" ? "OBS-REOPEN-ON-NEW" : "OBS-ACTION-CLOSED";
  const stays = verb === "acknowledge" ? { ...state, acknowledged: null } : state;
  return unsaid(withObservation(states, name, { possible: [stays], ...(pinned && { because: [clause] }) }), clause);
}

/** A body that is not of the form. In the wrong state either refusal may come first. */
function flawed(states: States, flaw: string, verb: Verb, { status }: ObservationState): Branch {
  const inPlace = (status === "closed") === (verb === "reopen");
  if (flaw === "OBS-DISMISS-EXHAUSTED-REFUSED" || !inPlace) return { must: refused(flaw, "4xx"), next: states };
  return { must: invalid(flaw), next: states };
}

/** How publishing an observation to a tracker may come out: OBS-TICKET-*. */
export function publishTicket(states: States, ask: Ask): Branch[] {
  const found = find(states, ask);
  if (!found) return [{ must: notFound("OBS-REF-UNKNOWN"), next: states }];
  const { observation } = found;
  const tickets = states.repos[observation.repo]?.tickets ?? null;
  if (tickets === null || observation.possible.some(({ status }) => status === "closed"))
    return [unsaid(states, "OBS-TICKET-ROUTE")];
  if (tickets) return [{ must: [accepted("OBS-TICKET-ROUTE")], next: states }];
  const rules = refused("OBS-TICKET-NOINTEGRATION", 422);
  const code = must("OBS-TICKET-NOINTEGRATION-CODE", {
    json: { error: { fields: { type: "invalid_request_error", code: "no_ticket_integration" } } },
  });
  return [{ must: [...rules, code], next: states }];
}

/** How reading an observation may come out. */
export function readObservation(states: States, ask: Ask): Branch[] {
  const found = find(states, ask);
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
      must("OBS-GET-ROUTE", { status: 200, json: { ref: `{${name}}` } }, { says: { matches: refPattern(name) } }),
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

function find(states: States, { ref }: Ask): { name: string; observation: Observation } | undefined {
  const observation = ref === undefined ? undefined : states.observations[ref];
  return ref !== undefined && observation ? { name: ref, observation } : undefined;
}
