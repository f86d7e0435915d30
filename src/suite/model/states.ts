import type { JobStatus } from "../statements/jobs.js";
import type { CloseReason, FixPrState, ObservationStatus } from "../statements/observations.js";
import { DEFAULT_ROLE } from "../statements/roles.js";

/** A job and every status it may have by now. */
export interface Job {
  /** Name of its repository. */
  repo: string;
  workflow: string;
  /** What tells its work apart from other work: workflow, params and commit. */
  work: string;
  possible: readonly JobStatus[];
  /** Clauses by which it stands as it does; a read that shows otherwise breaks them. */
  because: readonly string[];
  /** Whether a retry made it: whether a submission of its work then matches it is not said. */
  retried?: true;
  /** The newest retry of it. */
  child?: string;
  /** The observation that it fixes. */
  ref?: string;
  /** An end that has been brought about, and by when it must show; milliseconds of the target's clock. */
  due?: { status: JobStatus; by: number };
  /** When it was made to complete; milliseconds of the target's clock. */
  completedAt?: number;
  /** Whether the branch moved while it may have been pending: such a job may have no commit yet, so which one it got is not said. */
  adrift?: true;
}

/** What became of the fix pull request of an observation; null: cannot be told. */
export type Pull = FixPrState | "none" | null;

/** One state that an observation may be in. */
export interface ObservationState {
  status: ObservationStatus;
  reason: CloseReason | null;
  /** Why it was dismissed. */
  category?: string;
  /** Null: cannot be told. */
  acknowledged: boolean | null;
  pull: Pull;
}

/** An observation and every state it may be in by now. */
export interface Observation {
  repo: string;
  kind: string;
  /** A title that no other observation has; only of one that we had found. */
  title?: string;
  /** Lies under `.github/workflows/`. */
  inWorkflowFile: boolean;
  /** Its fields by which lists are filtered, once they were read. */
  fields: Readonly<Record<string, string>>;
  possible: readonly ObservationState[];
  because: readonly string[];
  /** Whether a fix was started for it. */
  attempted: boolean;
  exhausted: boolean;
  /** Whether a ticket may have been published for it. */
  ticketed?: true;
}

/** A repository that was, may be or is registered. */
export interface Repository {
  registered: readonly boolean[];
  /** Commits pushed to it by us. */
  head: number;
  /** Whether all its jobs are ours. */
  ours: boolean;
  tickets: boolean | null;
  /** The role in whose workspace it is. */
  of: string;
  /** Was deleted once: whether it can come back is not said. */
  deleted?: boolean;
}

/** A key that we had made. */
export interface Key {
  scopes: readonly string[];
  /** Whether it is known to work, or known not to; null when its end is near. */
  live: boolean | null;
  /** When it ends, in milliseconds of the target's clock. */
  expires: number;
  requestsPerMinute?: number;
}

/** What an Idempotency-Key may stand for after a submission that carried it. */
export interface IdempotencyRecord {
  /** The work of the submissions. Null: other work came with the key too, or may have. */
  work: string | null;
  /** The jobs that the server may remember for it. */
  jobs: readonly string[];
  /** Whether a 201 came of a submission with it. A 200 may bind a key or not. */
  bound: boolean;
  /** When it was bound, or first sent; milliseconds of the target's clock. */
  at: number;
  /** When it was last sent; milliseconds of the target's clock. */
  lastAt: number;
}

/** Everything that is known of the service: for each thing the states it may be in. Things are named by the variables that hold their ids. */
export interface States {
  /** Whether nobody else acts here. */
  fresh: boolean;
  /** Milliseconds of the target's clock. */
  now: number;
  jobs: Readonly<Record<string, Job>>;
  observations: Readonly<Record<string, Observation>>;
  repos: Readonly<Record<string, Repository>>;
  keys: Readonly<Record<string, Key>>;
  keyed: Readonly<Record<string, IdempotencyRecord>>;
  suspended: boolean;
  /** Whether the credit is known to be used up. */
  broke: boolean;
  paused: boolean;
  /** Whether registrations cannot be verified. */
  unverified: boolean;
  /** How many more repositories the role `free` may register, and keys an admin may create; null: not known. */
  room: { repositories: number | null; keys: number | null };
  /** Whether keys have ended since, so that there may be more room than that. */
  keysEnded: boolean;
}

/** The state of knowing nothing but the repositories of the target. */
export function openStates(known: Partial<States> & Pick<States, "fresh" | "now">): States {
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

/** The states with one job changed or added. */
export function withJob(states: States, name: string, change: Partial<Job>): States {
  const job = { ...states.jobs[name], ...change } as Job;
  return { ...states, jobs: { ...states.jobs, [name]: job } };
}

/** The states with one observation changed or added. */
export function withObservation(states: States, name: string, change: Partial<Observation>): States {
  const observation = { ...states.observations[name], ...change } as Observation;
  return { ...states, observations: { ...states.observations, [name]: observation } };
}

/** The states with one repository changed or added. */
export function withRepository(states: States, name: string, change: Partial<Repository>): States {
  const before = states.repos[name] ?? { registered: [false], head: 0, ours: true, tickets: null, of: DEFAULT_ROLE };
  return { ...states, repos: { ...states.repos, [name]: { ...before, ...change } } };
}

/** The states with one key changed or added. */
export function withKey(states: States, name: string, change: Partial<Key>): States {
  return { ...states, keys: { ...states.keys, [name]: { ...states.keys[name], ...change } as Key } };
}

/** The states without what is said of jobs and observations of a repository: something has swept it. */
export function forgetRepository(states: States, repo: string): States {
  const elsewhere = <T extends { repo: string }>(things: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(things).filter(([, thing]) => thing.repo !== repo));
  const jobs = elsewhere(states.jobs);
  const keyed = withoutJobs(states.keyed, (job) => !(job in jobs));
  return withRepository({ ...states, jobs, keyed, observations: elsewhere(states.observations) }, repo, { ours: false });
}

/** Returns the records without some jobs. What their keys stand for is then open. */
export function withoutJobs(keyed: States["keyed"], isGone: (job: string) => boolean): States["keyed"] {
  const changed = Object.entries(keyed).map(([key, record]) => {
    const jobs = record.jobs.filter((job) => !isGone(job));
    return [key, jobs.length === record.jobs.length ? record : { ...record, work: null, jobs }] as const;
  });
  return Object.fromEntries(changed);
}

/** All states that some of these allow: each thing by itself, so that the set stays small. */
export function joinStates(all: readonly States[]): States | undefined {
  const [first, ...rest] = all;
  return first && rest.reduce(joinTwo, first);
}

function joinTwo(a: States, b: States): States {
  const jobs = joinEach(a.jobs, b.jobs, (x, y) => ({ ...x, ...y, possible: distinct([...x.possible, ...y.possible]) }));
  const observations = joinEach(a.observations, b.observations, (x, y) => ({
    ...x,
    ...y,
    possible: distinct([...x.possible, ...y.possible]),
  }));
  const repos = joinEach(withEach(a, b.repos), withEach(b, a.repos), (x, y) => ({
    ...x,
    ...y,
    registered: distinct([...x.registered, ...y.registered]),
  }));
  return { ...a, ...b, jobs, observations, repos };
}

/** The repositories, and those that only others know of: to these states they are not registered. */
function withEach(states: States, others: States["repos"]): States["repos"] {
  return Object.keys(others).reduce((all, name) => withRepository(all, name, {}), states).repos;
}

function joinEach<T>(a: Readonly<Record<string, T>>, b: Readonly<Record<string, T>>, both: (x: T, y: T) => T): Record<string, T> {
  const joined: Record<string, T> = { ...a };
  for (const [name, thing] of Object.entries(b)) {
    const other = a[name];
    joined[name] = other === undefined ? thing : both(other, thing);
  }
  return joined;
}

/** The items without repetitions, whatever the order of their fields is made of. */
export function distinct<T>(items: readonly T[]): T[] {
  const seen = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...seen.values()];
}
