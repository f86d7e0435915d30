import type { JobStatus } from "../../statements/jobs.js";
import type { CloseReason, FixPrState, ObservationStatus } from "../../statements/observations.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";

/** A job with its possible statuses. */
export interface Job {
  /** Name of its repository. */
  repo: string;
  workflow: string;
  /** Identifies its work: workflow, params and commit. */
  work: string;
  possible: readonly JobStatus[];
  /** Clauses of its status; a read that contradicts it breaks them. */
  because: readonly string[];
  /** Whether a retry created it. Whether an identical submission matches such a job is open. */
  retried?: true;
  /** The name of its newest retry. */
  child?: string;
  /** The observation that it fixes. */
  ref?: string;
  /** A final status, and the time by which a read must show it; milliseconds of the target's clock. */
  due?: { status: JobStatus; by: number };
  /** When an event completed it; milliseconds of the target's clock. */
  completedAt?: number;
  /** Whether a commit was pushed while it may have been pending. Its commit is then open. */
  adrift?: true;
}

/** The state of an observation's fix pull request; null: unknown. */
export type PullRequestState = FixPrState | "none" | null;

/** One possible state of an observation. */
export interface ObservationState {
  status: ObservationStatus;
  reason: CloseReason | null;
  /** The dismissal category. */
  category?: string;
  /** Null: unknown. */
  acknowledged: boolean | null;
  pull: PullRequestState;
}

/** An observation with its possible states. */
export interface Observation {
  repo: string;
  kind: string;
  /** A unique title; only of an observation that the suite created. */
  title?: string;
  /** Whether it lies under `.github/workflows/`. */
  inWorkflowFile: boolean;
  /** The fields by which lists are filtered, after a read. */
  fields: Readonly<Record<string, string>>;
  possible: readonly ObservationState[];
  because: readonly string[];
  /** Whether a fix was started for it. */
  attempted: boolean;
  exhausted: boolean;
  /** Whether a ticket may have been published for it. */
  ticketed?: true;
}

/** A repository with its possible states of registration. */
export interface Repository {
  registered: readonly boolean[];
  /** Number of commits that the case pushed to it. */
  head: number;
  /** Whether the case started all its jobs. */
  ours: boolean;
  tickets: boolean | null;
  /** The role that registered it. */
  of: string;
  /** Whether it was deleted. Whether it can be registered again is open. */
  deleted?: boolean;
}

/** A key that the case created. */
export interface Key {
  scopes: readonly string[];
  /** Whether it is valid; null near its expiry. */
  live: boolean | null;
  /** Its expiry, in milliseconds of the target's clock. */
  expires: number;
  requestsPerMinute?: number;
}

/** The possible meanings of an Idempotency-Key after a submission with it. */
export interface IdempotencyRecord {
  /** The work of the submissions. Null: other work used the key too, or may have. */
  work: string | null;
  /** The jobs that the server may remember for it. */
  jobs: readonly string[];
  /** Whether a submission with it got a 201. A 200 may or may not bind a key. */
  bound: boolean;
  /** When it was bound, or first sent; milliseconds of the target's clock. */
  at: number;
  /** When it was last sent; milliseconds of the target's clock. */
  lastAt: number;
}

/** The knowledge about the service: the possible states of each resource. Resources are named by the variables with their ids. */
export interface States {
  /** Whether no other client changes the server. */
  fresh: boolean;
  /** Milliseconds of the target's clock. */
  now: number;
  jobs: Readonly<Record<string, Job>>;
  observations: Readonly<Record<string, Observation>>;
  repos: Readonly<Record<string, Repository>>;
  keys: Readonly<Record<string, Key>>;
  keyed: Readonly<Record<string, IdempotencyRecord>>;
  suspended: boolean;
  /** Whether the credit is used up. */
  broke: boolean;
  paused: boolean;
  /** Whether registrations cannot be verified. */
  unverified: boolean;
  /** How many more repositories the role `free` may register, and how many more keys an admin may create; null: unknown. */
  room: { repositories: number | null; keys: number | null };
  /** Whether a live key may have ended since `room` was set, so that an admin may create more keys. */
  keysEnded: boolean;
}

/** Returns the states that contain only what the target file states. */
export function createInitialStates(known: Partial<States> & Pick<States, "fresh" | "now">): States {
  return {
    jobs: {},
    observations: {},
    repos: {},
    keys: {},
    keyed: {},
    suspended: false,
    broke: false,
    paused: false,
    unverified: false,
    room: { repositories: null, keys: null },
    keysEnded: false,
    ...known,
  };
}

/** Returns the states with one job changed or added. */
export function changeJob(states: States, name: string, change: Partial<Job>): States {
  const job = { ...states.jobs[name], ...change } as Job;
  return { ...states, jobs: { ...states.jobs, [name]: job } };
}

/** Returns the states with one observation changed or added. */
export function changeObservation(states: States, name: string, change: Partial<Observation>): States {
  const observation = { ...states.observations[name], ...change } as Observation;
  return { ...states, observations: { ...states.observations, [name]: observation } };
}

/** Returns the states with one repository changed or added. */
export function changeRepository(states: States, name: string, change: Partial<Repository>): States {
  const repositoryBefore = states.repos[name] ?? { registered: [false], head: 0, ours: true, tickets: null, of: DEFAULT_ROLE };
  return { ...states, repos: { ...states.repos, [name]: { ...repositoryBefore, ...change } } };
}

/** Returns the states with one key changed or added. */
export function changeKey(states: States, name: string, change: Partial<Key>): States {
  return { ...states, keys: { ...states.keys, [name]: { ...states.keys[name], ...change } as Key } };
}

/** Returns the states without the jobs and observations of a repository, after its deletion or reset. */
export function forgetRepository(states: States, repo: string): States {
  const getOtherEntries = <T extends { repo: string }>(things: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(things).filter(([, thing]) => thing.repo !== repo));
  const jobs = getOtherEntries(states.jobs);
  const keyed = removeJobs(states.keyed, (job) => !(job in jobs));
  return changeRepository({ ...states, jobs, keyed, observations: getOtherEntries(states.observations) }, repo, { ours: false });
}

/** Returns the records without some jobs. The meaning of their keys is then open. */
export function removeJobs(keyed: States["keyed"], isGone: (job: string) => boolean): States["keyed"] {
  const changed = Object.entries(keyed).map(([key, record]) => {
    const jobs = record.jobs.filter((job) => !isGone(job));
    return [key, jobs.length === record.jobs.length ? record : { ...record, work: null, jobs }] as const;
  });
  return Object.fromEntries(changed);
}

/** Returns the union of several states. Each resource is joined separately, so that the set stays small. */
export function joinStates(all: readonly States[]): States | undefined {
  const [first, ...rest] = all;
  return first && rest.reduce(joinPair, first);
}

function joinPair(a: States, b: States): States {
  const jobs = joinRecords(a.jobs, b.jobs, (x, y) => ({ ...x, ...y, possible: dropDuplicates([...x.possible, ...y.possible]) }));
  const observations = joinRecords(a.observations, b.observations, (x, y) => ({
    ...x,
    ...y,
    possible: dropDuplicates([...x.possible, ...y.possible]),
  }));
  const repos = joinRecords(copyRepositories(a, b.repos), copyRepositories(b, a.repos), (x, y) => ({
    ...x,
    ...y,
    registered: dropDuplicates([...x.registered, ...y.registered]),
  }));
  return { ...a, ...b, jobs, observations, repos };
}

/** Returns the repositories of both states. One that is absent here is not registered. */
function copyRepositories(states: States, others: States["repos"]): States["repos"] {
  return Object.keys(others).reduce((all, name) => changeRepository(all, name, {}), states).repos;
}

function joinRecords<T>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
  mergeBoth: (x: T, y: T) => T,
): Record<string, T> {
  const joined: Record<string, T> = { ...a };
  for (const [name, thing] of Object.entries(b)) {
    const other = a[name];
    joined[name] = other === undefined ? thing : mergeBoth(other, thing);
  }
  return joined;
}

/** Returns the items without duplicates, compared as JSON. */
export function dropDuplicates<T>(items: readonly T[]): T[] {
  const seen = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...seen.values()];
}
