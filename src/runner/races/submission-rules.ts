import type { WireResponse } from "../wire/exchange.js";
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
export interface Known {
  owner: Submission["body"] | null;
  inFlight: Jobs;
  earlier: Jobs;
}

/** DEDUPE-INFLIGHT, IDEMPOTENCY-MATCH, JOB-SUBMIT-FORCE-INFLIGHT. What the same key does to another body is open: observed, not judged. */
export const dedupe: Specification<Known, Submission, WireResponse> = {
  initial: [{ owner: null, inFlight: {}, earlier: {} }],
  apply(known, submission, answer) {
    const { owner } = known;
    const { body, keyed } = submission;
    const id = String(valueAt(answer, "/id"));
    if (keyed && owner !== null && owner !== body) return ofAnotherBody(known, submission, answer, id);
    if (keyed && owner === body)
      return answer.status === 200 && [known.inFlight[body], known.earlier[body]].includes(id) ? [known] : [];
    return bySoftDedupe(known, submission, answer.status, id).flatMap((next) =>
      keyed ? [{ ...next, owner: body }, ...(answer.status === 200 ? [next] : [])] : [next],
    );
  },
};

function ofAnotherBody(known: Known, { body }: Submission, answer: WireResponse, id: string): Known[] {
  if (!isOk(answer)) return [known];
  if (answer.status !== 201) return [known];
  return known.inFlight[body] === undefined ? [{ ...known, inFlight: { ...known.inFlight, [body]: id } }] : [];
}

function bySoftDedupe(known: Known, { body, force }: Submission, status: number, id: string): Known[] {
  const started = known.inFlight[body];
  const earlier = known.earlier[body];
  if (status === 201) return started === undefined && (!earlier || force) ? [startedBy(known, body, id, force)] : [];
  if (status !== 200) return [];
  if (id === started || id === earlier) return [known];
  // A job from before the race: one that has ended does not stop `force`, so what was started since may stand beside it.
  const canBeEarlier = earlier === undefined && (started === undefined || !force);
  return canBeEarlier ? [{ ...known, earlier: { ...known.earlier, [body]: id } }] : [];
}

/** Without `force` a run is started only where no job from before was in the way. */
function startedBy(known: Known, body: Submission["body"], id: string, force: boolean): Known {
  const earlier = force ? known.earlier : { ...known.earlier, [body]: null };
  return { ...known, earlier, inFlight: { ...known.inFlight, [body]: id } };
}
