import type { WireResponse } from "../../engine/http/exchange.js";
import type { Specification } from "./linearizable.js";
import { isOk, valueAt } from "./race.js";

/** One submission of a race: its body stands for workflow and params. */
export interface Submission {
  body: "audit" | "standard_audit";
  force: boolean;
  keyed: boolean;
}

/** A job by body; null where there surely is none. */
type Jobs = Readonly<Partial<Record<Submission["body"], string | null>>>;

/**
 * What a repository knows of the race's bodies: the job that the race has started, one from before it, in flight or just completed, and in
 * `owner` the body that came first with the key, once the server keeps it.
 */
export interface DedupeState {
  owner: Submission["body"] | null;
  inFlight: Jobs;
  earlier: Jobs;
}

/** DEDUPE-INFLIGHT, IDEMPOTENCY-MATCH, JOB-SUBMIT-FORCE-INFLIGHT. What the same key does to another body is open: observed, not judged. */
export const dedupe: Specification<DedupeState, Submission, WireResponse> = {
  initial: [{ owner: null, inFlight: {}, earlier: {} }],
  apply(state, submission, answer) {
    const { owner } = state;
    const { body, keyed } = submission;
    const id = String(valueAt(answer, "/id"));
    if (keyed && owner !== null && owner !== body) return ofAnotherBody(state, submission, answer, id);
    if (keyed && owner === body)
      return answer.status === 200 && [state.inFlight[body], state.earlier[body]].includes(id) ? [state] : [];
    return bySoftDedupe(state, submission, answer.status, id).flatMap((next) =>
      keyed ? [{ ...next, owner: body }, ...(answer.status === 200 ? [next] : [])] : [next],
    );
  },
};

function ofAnotherBody(state: DedupeState, { body }: Submission, answer: WireResponse, id: string): DedupeState[] {
  if (!isOk(answer)) return [state];
  if (answer.status !== 201) return [state];
  return state.inFlight[body] === undefined ? [{ ...state, inFlight: { ...state.inFlight, [body]: id } }] : [];
}

function bySoftDedupe(state: DedupeState, { body, force }: Submission, status: number, id: string): DedupeState[] {
  const started = state.inFlight[body];
  const earlier = state.earlier[body];
  if (status === 201) return started === undefined && (!earlier || force) ? [startedBy(state, body, id, force)] : [];
  if (status !== 200) return [];
  if (id === started || id === earlier) return [state];
  // A job from before the race: one that has ended does not stop `force`, so what was started since may stand beside it.
  const canBeEarlier = earlier === undefined && (started === undefined || !force);
  return canBeEarlier ? [{ ...state, earlier: { ...state.earlier, [body]: id } }] : [];
}

/** Without `force` a run is started only where no job from before was in the way. */
function startedBy(state: DedupeState, body: Submission["body"], id: string, force: boolean): DedupeState {
  const earlier = force ? state.earlier : { ...state.earlier, [body]: null };
  return { ...state, earlier, inFlight: { ...state.inFlight, [body]: id } };
}
