import type { WireResponse } from "../../engine/http/exchange.js";
import type { ResponseText } from "../../engine/scenario/format.js";
import {
  type CloseReason,
  findStateAfterTriage,
  isRepeatable,
  type ObservationStatus,
  type TriageAction,
} from "../statements/observations.js";
import type { PossibleResponse, Specification } from "./linearizability.js";
import { isOk, readValue } from "./race.js";

/** A request about an observation; `look` reads it. */
export type Op = TriageAction | "look";

/** The fields of an observation that a read must show. */
export interface State {
  status: ObservationStatus;
  closeReason: CloseReason | null;
}

/**
 * Returns the specification of an observation. OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW, OBS-ACK-AGAIN: an action in the wrong status, or a repeated
 * one, changes nothing; whether it is refused is open. `closesTwice`: without OBS-ACTION-CLOSED, so that a closed observation may be closed again.
 */
export function createObservationRules(initial: State, closesTwice = false): Specification<State, Op, WireResponse> {
  return {
    initial: [initial],
    apply(state, op, response) {
      if (op === "look") return shows(response, state) ? [state] : [];
      const next = findStateAfterTriage(state.status, op);
      const again = closesTwice && state.status === "closed" ? findStateAfterTriage("new", op) : undefined;
      if (next) return isOk(response) ? [next] : isRepeatable(op) ? [state] : [];
      return again ? [state, again] : [state];
    },
  };
}

/** Returns the possible responses of one operation. */
export function listPossibleResponses(state: State, op: Op): PossibleResponse<State, ResponseText>[] {
  if (op === "look") return [{ expect: { status: 200, json: listExpectedFields(state) }, next: state }];
  const next = findStateAfterTriage(state.status, op);
  return [{ expect: { status: next && !isRepeatable(op) ? "2xx" : ["2xx", "4xx"] }, next: next ?? state }];
}

/** Returns every state that a serial order of some of the operations reaches. */
export function listReachable(initial: State, ops: readonly Op[]): State[] {
  const foundStates = new Map([[JSON.stringify(initial), initial]]);
  for (const state of foundStates.values()) {
    for (const op of ops) {
      const next = op === "look" ? state : (findStateAfterTriage(state.status, op) ?? state);
      foundStates.set(JSON.stringify(next), next);
    }
  }
  return [...foundStates.values()];
}

/** Returns the expected fields of a state. */
export function listExpectedFields({ status, closeReason }: State): Record<string, unknown> {
  return { status, close_reason: closeReason ?? { absentOrNull: true } };
}

function shows(response: WireResponse, { status, closeReason }: State): boolean {
  return (
    response.status === 200 &&
    readValue(response, "/status") === status &&
    (readValue(response, "/close_reason") ?? null) === closeReason
  );
}
