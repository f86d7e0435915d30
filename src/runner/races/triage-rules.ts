import type { AnswerText } from "../scenario/format.js";
import type { WireResponse } from "../wire/exchange.js";
import type { Specification } from "./linearizable.js";
import type { Allowed } from "./outcomes.js";
import { isOk, valueAt } from "./race.js";

/** What is done to an observation; `look` reads it. */
export type Act = "dismiss" | "complete" | "acknowledge" | "reopen" | "look";

/** What must be seen of an observation. */
export interface Shown {
  status: "new" | "closed";
  reason: "dismissed" | "completed" | null;
}

/** The observation after an act that changes it; undefined where the act does not go with its state, which must then stay as it is. */
function changed({ status }: Shown, act: Exclude<Act, "look">): Shown | undefined {
  if ((act === "reopen") !== (status === "closed")) return undefined;
  switch (act) {
    case "dismiss":
      return { status: "closed", reason: "dismissed" };
    case "complete":
      return { status: "closed", reason: "completed" };
    case "acknowledge":
    case "reopen":
      return { status: "new", reason: null };
    default:
      return act satisfies never;
  }
}

/** OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW: what does not go with the state changes nothing; whether it is refused is open. */
export function observationRules(initial: Shown): Specification<Shown, Act, WireResponse> {
  return {
    initial: [initial],
    apply(state, act, answer) {
      if (act === "look") return shows(answer, state) ? [state] : [];
      const next = changed(state, act);
      if (isOk(answer)) return [next ?? state];
      return next ? [] : [state];
    },
  };
}

/** What an act may be answered. */
export function allowedTriage(state: Shown, act: Act): Allowed<Shown, AnswerText>[] {
  if (act === "look") return [{ expect: { status: 200, json: shownAs(state) }, next: state }];
  const next = changed(state, act);
  return [{ expect: { status: next ? "2xx" : ["2xx", "4xx"] }, next: next ?? state }];
}

/** Every state that some of the acts in some order lead to. */
export function reachable(initial: Shown, acts: readonly Act[]): Shown[] {
  const found = new Map([[JSON.stringify(initial), initial]]);
  for (const state of found.values()) {
    for (const act of acts) {
      const next = act === "look" ? state : (changed(state, act) ?? state);
      found.set(JSON.stringify(next), next);
    }
  }
  return [...found.values()];
}

/** The fields that a state shows. */
export function shownAs({ status, reason }: Shown): Record<string, unknown> {
  return { status, close_reason: reason ?? { absentOrNull: true } };
}

function shows(answer: WireResponse, { status, reason }: Shown): boolean {
  return answer.status === 200 && valueAt(answer, "/status") === status && (valueAt(answer, "/close_reason") ?? null) === reason;
}
