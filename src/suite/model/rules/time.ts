import { inFlightStatuses, isInFlight, type JobStatus, jobStatuses, serviceTransitions } from "../../statements/jobs.js";
import { closeReasons, staysDismissed } from "../../statements/observations.js";
import type { Job, Observation, ObservationState, States } from "./states.js";
import { distinct } from "./states.js";

/** Returns a status and all later statuses that the service reaches by itself. */
function later(status: JobStatus): JobStatus[] {
  const next = serviceTransitions.filter(({ from }) => from === status);
  return distinct([status, ...next.flatMap(({ to }) => later(to))]);
}

const LATER = Object.fromEntries(jobStatuses.map((status) => [status, later(status)])) as Record<JobStatus, JobStatus[]>;

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
export function statesAfterTime(states: States, now: number): States {
  const isShort = now - states.now <= MOMENT_MS;
  const jobs = mapValues(states.jobs, (job) => ({
    ...job,
    possible: distinct(job.possible.flatMap((status) => laterStatuses(status, job, { now, fresh: states.fresh }))),
  }));
  const runs = Object.values(states.jobs).filter(mayRun);
  const observations = mapValues(states.observations, (observation, name) => {
    if (!states.fresh) return withPossibleRun(observation, true);
    const localRuns = runs.filter(({ repo }) => repo === observation.repo);
    const fixes = localRuns.filter(({ workflow }) => workflow === "fix");
    const mayFix = fixes.some(({ ref }) => ref === undefined || ref === name);
    return localRuns.length > fixes.length
      ? withPossibleRun(observation, mayFix)
      : mayFix
        ? withPossiblePr(observation)
        : observation;
  });
  const keys = mapValues(states.keys, (key) => ({ ...key, live: key.live === false ? false : stillLive(key.expires, now) }));
  // KEY-LIVE-CAP counts live keys, and some may have expired.
  return { ...states, now, jobs, observations, keys, keysEnded: states.keysEnded || !isShort };
}

/** Returns whether a key is valid; null within 30 seconds of its expiry. */
function stillLive(expires: number, now: number): boolean | null {
  if (Math.abs(expires - now) < 30_000) return null;
  return expires > now;
}

/** Returns the states after a run has ended, which may have changed observations of its repository. */
export function statesAfterRun(states: States, job: Job): States {
  const observations = mapValues(states.observations, (observation, name) => {
    if (observation.repo !== job.repo) return observation;
    if (job.workflow !== "fix") return withPossibleRun(observation, false);
    return job.ref === undefined || job.ref === name ? withPossiblePr(observation) : observation;
  });
  return { ...states, observations };
}

/** Returns an observation after everything in its repository was found again. OBS-REDISCOVER-*. */
export function afterRediscovery(observation: Observation): Observation {
  const possibleObservationStates = observation.possible.flatMap((state): ObservationState[] => {
    const repeatedObservationState: ObservationState = { ...reopenedState(state), acknowledged: null };
    if (state.status === "new") return [state];
    if (state.reason !== "dismissed") return [state, repeatedObservationState]; // open
    return staysDismissed(state.category) ? [state] : [state, repeatedObservationState];
  });
  return { ...observation, possible: distinct(possibleObservationStates) };
}

/** Returns the state of a reopened observation. */
export function reopenedState({ pull }: ObservationState): ObservationState {
  return { status: "new", reason: null, acknowledged: null, pull: pull === "none" || pull === "closed" ? pull : null };
}

function laterStatuses(status: JobStatus, { due }: Job, { now, fresh }: { now: number; fresh: boolean }): readonly JobStatus[] {
  if (due && isInFlight(status)) return now > due.by ? [due.status] : [due.status, ...inFlightStatuses];
  return fresh || !isInFlight(status) ? LATER[status] : [...LATER[status], "cancelled"];
}

function mayRun({ possible }: Job): boolean {
  return possible.some(isInFlight);
}

/** Returns an observation that a run may have closed or opened. */
function withPossibleRun(observation: Observation, pullToo: boolean): Observation {
  const pulls = pullToo ? [null] : distinct(observation.possible.map(({ pull }) => pull));
  const possibleObservationStates = pulls.flatMap((pull): ObservationState[] => [
    { status: "new", reason: null, acknowledged: null, pull },
    ...closeReasons.map((reason): ObservationState => ({ status: "closed", reason, acknowledged: null, pull })),
  ]);
  return { ...observation, possible: possibleObservationStates, fields: {} };
}

/** Returns an observation whose fix job may have opened a pull request. */
function withPossiblePr(observation: Observation): Observation {
  return { ...observation, possible: distinct(observation.possible.map((state) => ({ ...state, pull: null }))) };
}

function mapValues<T>(things: Readonly<Record<string, T>>, change: (thing: T, name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, change(thing, name)]));
}
