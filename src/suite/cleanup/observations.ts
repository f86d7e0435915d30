import type { Change, SideEffect, UndoRequest } from "../../engine/cleanup/rules.js";
import { type TriageAct, triageActNames, triageText } from "../statements/observations.js";

/** What a scenario found observations to be, and made of them. */
export interface ObservationStates {
  /** Reads the observations that the answer to a read shows. */
  see(shown: readonly Record<string, unknown>[]): void;
  /** One is the scenario's own, made for it: nobody minds if it is closed. */
  own(ref: string): readonly Change[];
  change(ref: string, act: TriageAct): Change;
}

interface State {
  status: string;
  reason?: string;
  acknowledged: boolean;
  category?: string;
}

interface History {
  before: State;
  now: State;
}

const NOTE = "Put back by the examiner.";

/** Most observations that a scenario reads are never touched: what they were is kept only as they were last seen. */
export function openObservationStates(): ObservationStates {
  const seen = new Map<string, State>();
  const histories = new Map<string, History>();
  const owned = new Set<string>();
  const changeOf = (ref: string, history: History): Change => ({
    subject: `observation ${ref}`,
    sideEffects: owned.has(ref) ? effectsOnOwn(ref, history) : effects(ref, history),
  });
  return {
    see(shown) {
      for (const [ref, state] of shown.flatMap(stateIn)) if (!histories.has(ref)) seen.set(ref, state);
    },
    own(ref) {
      owned.add(ref);
      const history = histories.get(ref);
      return history ? [changeOf(ref, history)] : [];
    },
    change(ref, act) {
      // Whatever was not seen was as the act finds it, or the act could not have been done.
      const first = histories.get(ref)?.before ?? seen.get(ref) ?? { status: triageText(act).from, acknowledged: false };
      const history = { before: first, now: after(histories.get(ref)?.now ?? first, act) };
      histories.set(ref, history);
      return changeOf(ref, history);
    },
  };
}

/** An act that comes in another status than its own changes neither status nor reason. OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW. */
function after(state: State, act: TriageAct): State {
  const { from, to, closeReason, stamps } = triageText(act);
  const acknowledged = state.acknowledged || stamps === true;
  if (state.status !== from || from === to) return { ...state, acknowledged };
  return { status: to, acknowledged, ...(closeReason !== undefined && { reason: closeReason }) };
}

function effectsOnOwn(id: string, { now }: History): SideEffect[] {
  if (now.status === "closed") return [];
  const undo = { way: "requests" as const, requests: [requestOf("complete", id)] };
  return [{ kind: "observation", what: "observation made", id, undo }];
}

function effects(id: string, { before, now }: History): SideEffect[] {
  const found: SideEffect[] = [];
  if (before.status !== now.status || before.reason !== now.reason)
    found.push({
      kind: "observation",
      what: `observation ${now.status === "closed" ? now.reason : "reopened"}`,
      id,
      undo: wayBack(id, before, now),
    });
  if (now.acknowledged && !before.acknowledged)
    found.push({
      kind: "observation",
      what: "observation acknowledged",
      id,
      undo: { way: "none", why: "nothing takes an acknowledgement back" },
    });
  return found;
}

/** The transitions that lead back: to new by reopening, to closed by what closes for the same reason; nothing leads to fixed or expired. */
function wayBack(id: string, before: State, now: State): SideEffect["undo"] {
  const reopen = requestOf("reopen", id);
  if (before.status === "new") return { way: "requests", requests: [reopen] };
  const closing = triageActNames.find((act) => before.reason !== undefined && triageText(act).closeReason === before.reason);
  if (!closing) return { way: "none", why: `nothing makes it ${before.reason ?? "closed"} again` };
  const close = requestOf(closing, id, before.category);
  return { way: "requests", requests: now.status === "closed" ? [reopen, close] : [close] };
}

/** The category of a dismissal is not shown in the contract's fields; where it is not, one is given that keeps it closed. OBS-REDISCOVER-STAY. */
function requestOf(act: TriageAct, ref: string, category = "wont_fix"): UndoRequest {
  const { route, to, body } = triageText(act);
  const json = { ...body?.(NOTE), ...(act === "dismiss" && { dismissal_category: category }) };
  return {
    rest: route.replace("{ref}", encodeURIComponent(ref)),
    json,
    alreadyUndone: { rest: `GET /api/observations/${encodeURIComponent(ref)}`, shows: ({ status }) => status === to },
  };
}

function stateIn({ ref, status, close_reason, acknowledged_at, dismissal_category }: Record<string, unknown>): [string, State][] {
  if (typeof ref !== "string" || typeof status !== "string") return [];
  const state: State = {
    status,
    ...(status === "closed" && typeof close_reason === "string" && { reason: close_reason }),
    acknowledged: typeof acknowledged_at === "string",
    ...(typeof dismissal_category === "string" && { category: dismissal_category }),
  };
  return [[ref, state]];
}
