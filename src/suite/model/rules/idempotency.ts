import { IDEMPOTENCY_HOURS } from "../../statements/limits.js";
import type { ModelRequest } from "./request.js";
import { dropDuplicates, type IdempotencyRecord, type States } from "./states.js";

const WINDOW_MS = IDEMPOTENCY_HOURS * 3600 * 1000;
/** IDEMPOTENCY-WINDOW: margin around the end of the window, in which the server may use either side. */
const MARGIN_MS = 10 * 60 * 1000;

/** Returns the Idempotency-Key of a request. */
function readKey({ headers }: ModelRequest): string | undefined {
  return headers?.["idempotency-key"];
}

/** Returns whether a key was, or may have been, sent before with other work. The contract does not state the response then. */
export function isReused(states: States, request: ModelRequest, requestedJob: string): boolean {
  const record = states.keyed[readKey(request) ?? ""];
  return record !== undefined && record.work !== requestedJob;
}

/** Returns the possible jobs of a key, and whether the server must answer with one of them. IDEMPOTENCY-*. */
export function findRememberedJobs(states: States, request: ModelRequest): { jobs: readonly string[]; certain: boolean } {
  const record = states.keyed[readKey(request) ?? ""];
  if (!record || states.now - record.lastAt > WINDOW_MS + MARGIN_MS) return { jobs: [], certain: false };
  const isCertain = record.bound && states.now - record.at < WINDOW_MS - MARGIN_MS && request.query?.force !== "true";
  return { jobs: record.jobs, certain: isCertain };
}

/**
 * Returns the states after a submission with a key was answered with a job. A 201 binds the key to its job. Whether a 200 binds it, and whether a
 * repeat starts the 24 hours again, is open: the contract only says that the header was "sent".
 */
export function addKeyed(
  states: States,
  request: ModelRequest,
  { work: requestedJob, job, status }: { work: string; job: string; status: 200 | 201 },
): States {
  const key = readKey(request);
  if (key === undefined) return states;
  const { jobs } = findRememberedJobs(states, request);
  const idempotencyRecordBefore = jobs.length > 0 ? states.keyed[key] : undefined;
  const isBound = idempotencyRecordBefore?.bound === true;
  const record: IdempotencyRecord = {
    work: requestedJob,
    jobs: dropDuplicates([...jobs, job]),
    bound: isBound || status === 201,
    at: isBound ? idempotencyRecordBefore.at : states.now,
    lastAt: states.now,
  };
  return { ...states, keyed: { ...states.keyed, [key]: record } };
}

/** Returns the states after a response that does not show the job of its key. A key that is certainly bound keeps its job. */
export function addUncertainKey(states: States, request: ModelRequest): States {
  const key = readKey(request);
  const { jobs, certain } = findRememberedJobs(states, request);
  if (key === undefined || certain) return states;
  const record: IdempotencyRecord = { work: null, jobs, bound: false, at: states.now, lastAt: states.now };
  return { ...states, keyed: { ...states.keyed, [key]: record } };
}
