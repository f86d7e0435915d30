import type { Change, SideEffect, UndoRequest } from "../../engine/cleanup/rules.js";
import { percentEncode } from "../../engine/scenario/interpolate.js";
import { findTriageStatement, type TriageAction, triageActionNames } from "../statements/observations.js";

/** The states of observations before and after a scenario's requests. */
export interface ObservationStates {
  /** Records the observations that a read response shows. */
  see(shown: readonly Record<string, unknown>[]): void;
  /** Marks an observation that was created for the scenario, which may stay closed. */
  own(ref: string): readonly Change[];
  change(ref: string, act: TriageAction): Change;
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

const NOTE = "Restored by the runner.";

/** Creates an empty record. It keeps only the last seen state of observations that the scenario does not change. */
export function openObservationStates(): ObservationStates {
  const seenStates = new Map<string, State>();
  const histories = new Map<string, History>();
  const ownedRefs = new Set<string>();
  const getChange = (ref: string, history: History): Change => ({
    subject: `observation ${ref}`,
    sideEffects: ownedRefs.has(ref) ? effectsOnOwn(ref, history) : effects(ref, history),
  });
  return {
    see(shown) {
      for (const [ref, state] of shown.flatMap(readState)) if (!histories.has(ref)) seenStates.set(ref, state);
    },
    own(ref) {
      ownedRefs.add(ref);
      const history = histories.get(ref);
      return history ? [getChange(ref, history)] : [];
    },
    change(ref, act) {
      // The status of an unseen observation is the one that the action requires, because the action succeeded.
      const first = histories.get(ref)?.before ??
        seenStates.get(ref) ?? { status: findTriageStatement(act).from, acknowledged: false };
      const history = { before: first, now: after(histories.get(ref)?.now ?? first, act) };
      histories.set(ref, history);
      return getChange(ref, history);
    },
  };
}

/** Returns the state after an action. In another status the action changes neither status nor reason. OBS-ACTION-CLOSED, OBS-REOPEN-ON-NEW. */
function after(state: State, act: TriageAction): State {
  const { from, to, closeReason, setsAcknowledgedAt } = findTriageStatement(act);
  const acknowledged = state.acknowledged || setsAcknowledgedAt === true;
  if (state.status !== from || from === to) return { ...state, acknowledged };
  return { status: to, acknowledged, ...(closeReason !== undefined && { reason: closeReason }) };
}

function effectsOnOwn(id: string, { now }: History): SideEffect[] {
  if (now.status === "closed") return [];
  const undo = { way: "requests" as const, requests: [createUndoRequest("complete", id)] };
  return [{ kind: "observation", what: "observation created", id, undo }];
}

function effects(id: string, { before, now }: History): SideEffect[] {
  const sideEffects: SideEffect[] = [];
  if (before.status !== now.status || before.reason !== now.reason)
    sideEffects.push({
      kind: "observation",
      what: `observation ${now.status === "closed" ? now.reason : "reopened"}`,
      id,
      undo: createUndo(id, before, now),
    });
  if (now.acknowledged && !before.acknowledged)
    sideEffects.push({
      kind: "observation",
      what: "observation acknowledged",
      id,
      undo: { way: "none", why: "an acknowledgement cannot be undone" },
    });
  return sideEffects;
}

/**
 * Returns the requests that restore the earlier state: reopen, or the action with the same close reason. No request sets fixed or
 * expired.
 */
function createUndo(id: string, stateBefore: State, now: State): SideEffect["undo"] {
  const reopen = createUndoRequest("reopen", id);
  if (stateBefore.status === "new") return { way: "requests", requests: [reopen] };
  const closing = triageActionNames.find(
    (act) => stateBefore.reason !== undefined && findTriageStatement(act).closeReason === stateBefore.reason,
  );
  if (!closing) return { way: "none", why: `no request closes an observation as ${stateBefore.reason ?? "closed"}` };
  const close = createUndoRequest(closing, id, stateBefore.category);
  return { way: "requests", requests: now.status === "closed" ? [reopen, close] : [close] };
}

/**
 * The contract does not show the dismissal category in the fields of an observation. The default keeps the observation closed. OBS-REDISCOVER-STAY.
 */
function createUndoRequest(act: TriageAction, ref: string, category = "wont_fix"): UndoRequest {
  const { route, to, body } = findTriageStatement(act);
  const json = { ...body?.(NOTE), ...(act === "dismiss" && { dismissal_category: category }) };
  return {
    rest: route.replace("{ref}", percentEncode(ref)),
    json,
    alreadyUndone: { rest: `GET /api/observations/${percentEncode(ref)}`, shows: ({ status }) => status === to },
  };
}

function readState({
  ref,
  status,
  close_reason,
  acknowledged_at,
  dismissal_category,
}: Record<string, unknown>): [string, State][] {
  if (typeof ref !== "string" || typeof status !== "string") return [];
  const state: State = {
    status,
    ...(status === "closed" && typeof close_reason === "string" && { reason: close_reason }),
    acknowledged: typeof acknowledged_at === "string",
    ...(typeof dismissal_category === "string" && { category: dismissal_category }),
  };
  return [[ref, state]];
}
