import { inFlightStatuses, isInFlight, type JobStatus, jobStatuses, serviceTransitions } from "../../statements/jobs.js";
import { closeReasons, staysDismissed } from "../../statements/observations.js";
import type { Job, Observation, ObservationState, States } from "./states.js";
import { dropDuplicates } from "./states.js";

/** Returns a status and all later statuses that the service reaches by itself. */
function listLaterStatuses(status: JobStatus): JobStatus[] {
  const next = serviceTransitions.filter(({ from }) => from === status);
  return dropDuplicates([status, ...next.flatMap(({ to }) => listLaterStatuses(to))]);
}

const LATER_STATUSES = Object.fromEntries(jobStatuses.map((status) => [status, listLaterStatuses(status)])) as Record<
  JobStatus,
  JobStatus[]
>;

/** How long a run counts as just completed, in milliseconds. The contract only states that this window is short. */
const MOMENT_MS = 20_000;

/** Returns whether an event has just completed a job. */
export function isRecent({ completedAt }: Job, { now }: States): boolean {
  return completedAt !== undefined && now - completedAt <= MOMENT_MS;
}

/**
 * Returns the states after time has passed: jobs may have started or ended (JOB-STATE-DISPATCH, JOB-STATE-SUCCESS, JOB-STATE-FAILURE), and runs may
 * have changed observations. Other clients may have changed anything.
 */
export function advanceTime(states: States, now: number): States {
  const isShort = now - states.now <= MOMENT_MS;
  const jobs = mapValues(states.jobs, (job) => ({
    ...job,
    possible: dropDuplicates(job.possible.flatMap((status) => listStatusesByTime(status, job, { now, fresh: states.fresh }))),
  }));
  const runs = Object.values(states.jobs).filter(mayRun);
  const observations = mapValues(states.observations, (observation, name) => {
    if (!states.fresh) return addPossibleRun(observation, true);
    const localRuns = runs.filter(({ repo }) => repo === observation.repo);
    const fixes = localRuns.filter(({ workflow }) => workflow === "fix");
    const mayFix = fixes.some(({ ref }) => ref === undefined || ref === name);
    return localRuns.length > fixes.length
      ? addPossibleRun(observation, mayFix)
      : mayFix
        ? addPossiblePr(observation)
        : observation;
  });
  const keys = mapValues(states.keys, (key) => ({ ...key, live: key.live === false ? false : isStillLive(key.expires, now) }));
  // KEY-LIVE-CAP counts live keys, and some may have expired.
  return { ...states, now, jobs, observations, keys, keysEnded: states.keysEnded || !isShort };
}

/** Returns whether a key is valid; null within 30 seconds of its expiry. */
function isStillLive(expires: number, now: number): boolean | null {
  if (Math.abs(expires - now) < 30_000) return null;
  return expires > now;
}

/** Returns the states after a run has ended, which may have changed observations of its repository. */
export function finishRun(states: States, job: Job): States {
  const observations = mapValues(states.observations, (observation, name) => {
    if (observation.repo !== job.repo) return observation;
    if (job.workflow !== "fix") return addPossibleRun(observation, false);
    return job.ref === undefined || job.ref === name ? addPossiblePr(observation) : observation;
  });
  return { ...states, observations };
}

/** Returns an observation after everything in its repository was found again. OBS-REDISCOVER-*. */
export function rediscoverObservation(observation: Observation): Observation {
  const possibleObservationStates = observation.possible.flatMap((state): ObservationState[] => {
    const repeatedObservationState: ObservationState = { ...findReopenedState(state), acknowledged: null };
    if (state.status === "new") return [state];
    if (state.reason !== "dismissed") return [state, repeatedObservationState]; // open
    return staysDismissed(state.category) ? [state] : [state, repeatedObservationState];
  });
  return { ...observation, possible: dropDuplicates(possibleObservationStates) };
}

/** Returns the state of a reopened observation. */
export function findReopenedState({ pull }: ObservationState): ObservationState {
  return { status: "new", reason: null, acknowledged: null, pull: pull === "none" || pull === "closed" ? pull : null };
}

function listStatusesByTime(
  status: JobStatus,
  { due: dueTime }: Job,
  { now, fresh }: { now: number; fresh: boolean },
): readonly JobStatus[] {
  if (dueTime && isInFlight(status)) return now > dueTime.by ? [dueTime.status] : [dueTime.status, ...inFlightStatuses];
  return fresh || !isInFlight(status) ? LATER_STATUSES[status] : [...LATER_STATUSES[status], "cancelled"];
}

function mayRun({ possible }: Job): boolean {
  return possible.some(isInFlight);
}

/** Returns an observation that a run may have closed or opened. */
function addPossibleRun(observation: Observation, pullToo: boolean): Observation {
  const pulls = pullToo ? [null] : dropDuplicates(observation.possible.map(({ pull }) => pull));
  const possibleObservationStates = pulls.flatMap((pull): ObservationState[] => [
    { status: "new", reason: null, acknowledged: null, pull },
    ...closeReasons.map((reason): ObservationState => ({ status: "closed", reason, acknowledged: null, pull })),
  ]);
  return { ...observation, possible: possibleObservationStates, fields: {} };
}

/** Returns an observation whose fix job may have opened a pull request. */
function addPossiblePr(observation: Observation): Observation {
  return { ...observation, possible: dropDuplicates(observation.possible.map((state) => ({ ...state, pull: null }))) };
}

function mapValues<T>(things: Readonly<Record<string, T>>, change: (thing: T, name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, change(thing, name)]));
}
