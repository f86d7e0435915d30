import type { WireResponse } from "../../engine/http/exchange.js";
import type { Specification } from "./linearizability.js";
import { isOk, valueAt } from "./race.js";

/** A submission of a race. The body stands for its workflow and params. */
export interface Submission {
  body: "audit" | "standard_audit";
  force: boolean;
  keyed: boolean;
}

/** A job by body; null where none existed before the race. */
type Jobs = Readonly<Partial<Record<Submission["body"], string | null>>>;

/**
 * The state of a repository. For each body it has the job that the race started, and an earlier job that is in flight or just completed.
 * `owner` is the body that first used the Idempotency-Key.
 */
export interface DedupeState {
  owner: Submission["body"] | null;
  inFlight: Jobs;
  earlier: Jobs;
}

/** DEDUPE-INFLIGHT, IDEMPOTENCY-MATCH, JOB-SUBMIT-FORCE-INFLIGHT. The effect of a key on another body is open and not judged. */
export const dedupe: Specification<DedupeState, Submission, WireResponse> = {
  initial: [{ owner: null, inFlight: {}, earlier: {} }],
  apply(state, submission, response) {
    const { owner } = state;
    const { body, keyed } = submission;
    const id = String(valueAt(response, "/id"));
    if (keyed && owner !== null && owner !== body) return afterOtherBody(state, submission, response, id);
    if (keyed && owner === body)
      return response.status === 200 && [state.inFlight[body], state.earlier[body]].includes(id) ? [state] : [];
    return afterDedupe(state, submission, response.status, id).flatMap((next) =>
      keyed ? [{ ...next, owner: body }, ...(response.status === 200 ? [next] : [])] : [next],
    );
  },
};

function afterOtherBody(state: DedupeState, { body }: Submission, response: WireResponse, id: string): DedupeState[] {
  if (!isOk(response)) return [state];
  if (response.status !== 201) return [state];
  return state.inFlight[body] === undefined ? [{ ...state, inFlight: { ...state.inFlight, [body]: id } }] : [];
}

function afterDedupe(state: DedupeState, { body, force }: Submission, status: number, id: string): DedupeState[] {
  const started = state.inFlight[body];
  const earlier = state.earlier[body];
  if (status === 201) return started === undefined && (!earlier || force) ? [withStartedJob(state, body, id, force)] : [];
  if (status !== 200) return [];
  if (id === started || id === earlier) return [state];
  // An earlier job that has ended does not stop `force`, so a newer job may exist beside it.
  const canBeEarlier = earlier === undefined && (started === undefined || !force);
  return canBeEarlier ? [{ ...state, earlier: { ...state.earlier, [body]: id } }] : [];
}

/** Without `force` a run starts only when no earlier job exists. */
function withStartedJob(state: DedupeState, body: Submission["body"], id: string, force: boolean): DedupeState {
  const earlier = force ? state.earlier : { ...state.earlier, [body]: null };
  return { ...state, earlier, inFlight: { ...state.inFlight, [body]: id } };
}
