import { inFlightStatuses, isInFlight, type JobStatus, jobStatuses, serviceTransitions } from "../statements/jobs.js";
import { closeReasons, staysDismissed } from "../statements/observations.js";
import type { Job, Observation, ObservationState, States } from "./states.js";
import { distinct } from "./states.js";

/** The statuses that time leads to from one: itself, and those that the service leads on to by itself. */
function later(status: JobStatus): JobStatus[] {
  const next = serviceTransitions.filter(({ from }) => from === status);
  return distinct([status, ...next.flatMap(({ to }) => later(to))]);
}

const LATER = Object.fromEntries(jobStatuses.map((status) => [status, later(status)])) as Record<JobStatus, JobStatus[]>;

/** How long a run that has completed counts as just completed, and no key as ended. The window is not shown, only that it is short. */
const MOMENT_MS = 20_000;

/** Whether a job was made to complete a moment ago. */
export function isRecent({ completedAt }: Job, { now }: States): boolean {
  return completedAt !== undefined && now - completedAt <= MOMENT_MS;
}

/**
 * What may be so after time has passed: the scheduler may have picked a job up and its run may be over (JOB-STATE-DISPATCH, JOB-STATE-SUCCESS,
 * JOB-STATE-FAILURE), and a run may have changed the observations of its repository. Where others act, they may have done anything.
 */
export function letTimePass(states: States, now: number): States {
  const moment = now - states.now <= MOMENT_MS;
  const jobs = mapValues(states.jobs, (job) => ({
    ...job,
    possible: distinct(job.possible.flatMap((status) => laterStatuses(status, job, { now, fresh: states.fresh }))),
  }));
  const runs = Object.values(states.jobs).filter(mayRun);
  const observations = mapValues(states.observations, (observation, name) => {
    if (!states.fresh) return touched(observation, true);
    const near = runs.filter(({ repo }) => repo === observation.repo);
    const fixes = near.filter(({ workflow }) => workflow === "fix");
    const own = fixes.some(({ ref }) => ref === undefined || ref === name);
    return near.length > fixes.length ? touched(observation, own) : own ? withPull(observation) : observation;
  });
  const keys = mapValues(states.keys, (key) => ({ ...key, live: key.live === false ? false : stillLive(key.expires, now) }));
  // KEY-LIVE-CAP counts live keys, and some may have ended.
  return { ...states, now, jobs, observations, keys, keysEnded: states.keysEnded || !moment };
}

/** Whether a key with this end is alive: half a minute on both sides of it nobody can tell. */
function stillLive(expires: number, now: number): boolean | null {
  if (Math.abs(expires - now) < 30_000) return null;
  return expires > now;
}

/** What a run that is over may have done to the observations of its repository. */
export function runsOver(states: States, job: Job): States {
  const observations = mapValues(states.observations, (observation, name) => {
    if (observation.repo !== job.repo) return observation;
    if (job.workflow !== "fix") return touched(observation, false);
    return job.ref === undefined || job.ref === name ? withPull(observation) : observation;
  });
  return { ...states, observations };
}

/** OBS-REDISCOVER-*: what finding everything in a repository again may have done to an observation. */
export function foundAgain(observation: Observation): Observation {
  const possible = observation.possible.flatMap((state): ObservationState[] => {
    const again: ObservationState = { ...reopened(state), acknowledged: null };
    if (state.status === "new") return [state];
    if (state.reason !== "dismissed") return [state, again]; // not said
    return staysDismissed(state.category) ? [state] : [state, again];
  });
  return { ...observation, possible: distinct(possible) };
}

/** The state of an observation that is open again. */
export function reopened({ pull }: ObservationState): ObservationState {
  return { status: "new", reason: null, acknowledged: null, pull: pull === "none" || pull === "closed" ? pull : null };
}

function laterStatuses(status: JobStatus, { due }: Job, { now, fresh }: { now: number; fresh: boolean }): readonly JobStatus[] {
  if (due && isInFlight(status)) return now > due.by ? [due.status] : [due.status, ...inFlightStatuses];
  return fresh || !isInFlight(status) ? LATER[status] : [...LATER[status], "cancelled"];
}

function mayRun({ possible }: Job): boolean {
  return possible.some(isInFlight);
}

/** An observation that a run may have closed, opened or left alone. */
function touched(observation: Observation, pullToo: boolean): Observation {
  const pulls = pullToo ? [null] : distinct(observation.possible.map(({ pull }) => pull));
  const possible = pulls.flatMap((pull): ObservationState[] => [
    { status: "new", reason: null, acknowledged: null, pull },
    ...closeReasons.map((reason): ObservationState => ({ status: "closed", reason, acknowledged: null, pull })),
  ]);
  return { ...observation, possible, fields: {} };
}

/** An observation whose fix job may have opened a pull request. */
function withPull(observation: Observation): Observation {
  return { ...observation, possible: distinct(observation.possible.map((state) => ({ ...state, pull: null }))) };
}

function mapValues<T>(things: Readonly<Record<string, T>>, change: (thing: T, name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, change(thing, name)]));
}
