import type { WireResponse } from "../../engine/http/exchange.js";
import type { AnswerText } from "../../engine/scenario/format.js";
import { type CloseReason, isRepeatable, type ObservationStatus, type TriageAct, triaged } from "../statements/observations.js";
import type { Specification } from "./linearizable.js";
import type { PossibleAnswer } from "./outcomes.js";
import { isOk, valueAt } from "./race.js";

/** What is done to an observation; `look` reads it. */
export type Op = TriageAct | "look";

/** What must be seen of an observation. */
export interface State {
  status: ObservationStatus;
  closeReason: CloseReason | null;
}

/** OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW, OBS-ACK-AGAIN: what does not go with the state, or may have been done before, changes nothing; whether it is refused is open. */
export function observationRules(initial: State): Specification<State, Op, WireResponse> {
  return {
    initial: [initial],
    apply(state, op, answer) {
      if (op === "look") return shows(answer, state) ? [state] : [];
      const next = triaged(state.status, op);
      if (isOk(answer)) return [next ?? state];
      return next && !isRepeatable(op) ? [] : [state];
    },
  };
}

/** What an operation may be answered. */
export function answersOf(state: State, op: Op): PossibleAnswer<State, AnswerText>[] {
  if (op === "look") return [{ expect: { status: 200, json: shownAs(state) }, next: state }];
  const next = triaged(state.status, op);
  return [{ expect: { status: next && !isRepeatable(op) ? "2xx" : ["2xx", "4xx"] }, next: next ?? state }];
}

/** Every state that some of the operations in some order lead to. */
export function reachable(initial: State, ops: readonly Op[]): State[] {
  const found = new Map([[JSON.stringify(initial), initial]]);
  for (const state of found.values()) {
    for (const op of ops) {
      const next = op === "look" ? state : (triaged(state.status, op) ?? state);
      found.set(JSON.stringify(next), next);
    }
  }
  return [...found.values()];
}

/** The fields that a state shows. */
export function shownAs({ status, closeReason }: State): Record<string, unknown> {
  return { status, close_reason: closeReason ?? { absentOrNull: true } };
}

function shows(answer: WireResponse, { status, closeReason }: State): boolean {
  return (
    answer.status === 200 && valueAt(answer, "/status") === status && (valueAt(answer, "/close_reason") ?? null) === closeReason
  );
}
