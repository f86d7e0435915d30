import type { WireResponse } from "../../engine/http/exchange.js";
import type { Specification } from "./linearizability.js";
import { isOk, readValue } from "./race.js";

/** A submission of a race. The body stands for its workflow and params. */
export interface Submission {
  body: "audit" | "standard_audit";
  force: boolean;
  keyed: boolean;
}

type ByBody<Value> = Readonly<Partial<Record<Submission["body"], Value>>>;

/**
 * The state of a repository. For each body it has the job that the race started, and the earlier jobs that are in flight or just ended; null if
 * there were none. `maxEarlier` is their largest number. `owner` is the body that first used the Idempotency-Key.
 */
export interface DedupeState {
  owner: Submission["body"] | null;
  inFlight: ByBody<string>;
  earlier: ByBody<readonly string[] | null>;
  maxEarlier: number;
}

/**
 * Returns the rules of DEDUPE-INFLIGHT, IDEMPOTENCY-MATCH and JOB-SUBMIT-FORCE-INFLIGHT. The effect of a key on another body is open and not
 * judged. A repository that others use may have several earlier jobs, and the contract does not show which one the server returns.
 */
export function createDedupe(maxEarlier: number): Specification<DedupeState, Submission, WireResponse> {
  return { initial: [{ owner: null, inFlight: {}, earlier: {}, maxEarlier }], apply };
}

function apply(state: DedupeState, submission: Submission, response: WireResponse): DedupeState[] {
  const { owner } = state;
  const { body, keyed } = submission;
  const id = String(readValue(response, "/id"));
  if (keyed && owner !== null && owner !== body) return listStatesAfterOtherBody(state, submission, response, id);
  if (keyed && owner === body)
    return response.status === 200 && [state.inFlight[body], ...(state.earlier[body] ?? [])].includes(id) ? [state] : [];
  return listStatesAfterDedupe(state, submission, response.status, id).flatMap((next) =>
    keyed ? [{ ...next, owner: body }, ...(response.status === 200 ? [next] : [])] : [next],
  );
}

function listStatesAfterOtherBody(state: DedupeState, { body }: Submission, response: WireResponse, id: string): DedupeState[] {
  if (!isOk(response)) return [state];
  if (response.status !== 201) return [state];
  return state.inFlight[body] === undefined ? [{ ...state, inFlight: { ...state.inFlight, [body]: id } }] : [];
}

function listStatesAfterDedupe(state: DedupeState, { body, force }: Submission, status: number, id: string): DedupeState[] {
  const started = state.inFlight[body];
  const earlier = state.earlier[body];
  if (status === 201) return started === undefined && (!earlier || force) ? [addStartedJob(state, body, id, force)] : [];
  if (status !== 200) return [];
  if (id === started || earlier?.includes(id)) return [state];
  // An earlier job that has ended does not stop `force`, so a newer job may exist beside it.
  const isPossible = earlier !== null && (earlier ?? []).length < state.maxEarlier && (started === undefined || !force);
  return isPossible ? [{ ...state, earlier: { ...state.earlier, [body]: [...(earlier ?? []), id] } }] : [];
}

/** Without `force` a run starts only when no earlier job exists. */
function addStartedJob(state: DedupeState, body: Submission["body"], id: string, force: boolean): DedupeState {
  const earlier = force ? state.earlier : { ...state.earlier, [body]: null };
  return { ...state, earlier, inFlight: { ...state.inFlight, [body]: id } };
}
