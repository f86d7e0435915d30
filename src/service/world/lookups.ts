import type { Job, Key, Repo, Session, World } from "./world.js";

/** Ways into a world that would otherwise mean a scan. Kept beside the value, rebuilt from it when missing. */
interface Lookups {
  keys: Map<string, Key>;
  sessions: Map<string, Session>;
  /** Live repositories by workspace and triple. */
  repos: Map<string, Repo>;
  /** Jobs by fingerprint, oldest first. */
  twins: Map<string, Job[]>;
  /** Jobs that came to wait for the dispatcher since it was last there, oldest first; some may have gone on meanwhile. */
  pending: Job[];
}

const kept = new WeakMap<World, Lookups>();

/** The key with this bearer token, live or not. */
export function keyByToken(world: World, token: string): Key | undefined {
  return lookups(world).keys.get(token);
}

/** The web-app session with this cookie value. */
export function sessionByToken(world: World, token: string): Session | undefined {
  return lookups(world).sessions.get(token);
}

/** The workspace's live repository with this triple. */
export function repoByTriple(world: World, workspace: string, owner: string, repo: string, branch: string): Repo | undefined {
  return lookups(world).repos.get(triple(workspace, owner, repo, branch));
}

/** The live repository called `owner/repo/branch`; of several workspaces' the first. The branch may hold slashes. */
export function repoByPath(world: World, path: string): Repo | undefined {
  const [owner = "", repo = "", ...branch] = path.split("/");
  const workspaces = Object.keys(world.workspaces);
  return workspaces.map((workspace) => repoByTriple(world, workspace, owner, repo, branch.join("/"))).find((found) => found);
}

/** Every job submitted with this fingerprint, oldest first. */
export function jobsByFingerprint(world: World, fingerprint: string): readonly Job[] {
  return lookups(world).twins.get(fingerprint) ?? [];
}

/** Whether a job waits for the dispatcher. */
export function hasPending(world: World): boolean {
  return lookups(world).pending.some((job) => job.status === "pending");
}

/** Takes the jobs that came to wait for the dispatcher, oldest first: those that still do are to be started all. */
export function takePending(world: World): readonly Job[] {
  const found = lookups(world);
  const { pending } = found;
  found.pending = [];
  return pending;
}

/** Adds a key to the world. */
export function addKey(world: World, key: Key): void {
  lookups(world).keys.set(key.token, key);
  world.keys[key.id] = key;
}

/** Adds a repository to the world, or takes it back after a soft delete. */
export function addRepo(world: World, repo: Repo): void {
  lookups(world).repos.set(triple(repo.workspace, repo.owner, repo.repo, repo.branch), repo);
  world.repos[repo.id] = repo;
}

/** Makes a soft-deleted repository's triple free again. */
export function dropRepo(world: World, repo: Repo): void {
  lookups(world).repos.delete(triple(repo.workspace, repo.owner, repo.repo, repo.branch));
}

/** Adds a job to the world. */
export function addJob(world: World, job: Job): void {
  indexJob(lookups(world), job);
  world.jobs[job.id] = job;
}

/** Drops a job from the world: dedupe finds it no more. */
export function dropJob(world: World, job: Job): void {
  const { twins } = lookups(world);
  twins.set(
    job.fingerprint,
    (twins.get(job.fingerprint) ?? []).filter((twin) => twin !== job),
  );
  delete world.jobs[job.id];
}

function lookups(world: World): Lookups {
  let found = kept.get(world);
  if (!found) {
    found = build(world);
    kept.set(world, found);
  }
  return found;
}

function build(world: World): Lookups {
  const jobs = Object.values(world.jobs).sort((a, b) => a.serial - b.serial);
  const repos = Object.values(world.repos).filter((repo) => repo.deleted_at === null);
  const found: Lookups = {
    keys: new Map(Object.values(world.keys).map((key) => [key.token, key])),
    sessions: new Map(Object.values(world.sessions).map((session) => [session.token, session])),
    repos: new Map(repos.map((repo) => [triple(repo.workspace, repo.owner, repo.repo, repo.branch), repo])),
    twins: new Map(),
    pending: [],
  };
  for (const job of jobs) indexJob(found, job);
  return found;
}

function indexJob({ twins, pending }: Lookups, job: Job): void {
  const same = twins.get(job.fingerprint);
  if (same) same.push(job);
  else twins.set(job.fingerprint, [job]);
  if (job.status === "pending") pending.push(job);
}

function triple(workspace: string, owner: string, repo: string, branch: string): string {
  return JSON.stringify([workspace, owner, repo, branch]);
}

/** Rows of one kind by their ids. */
type Table<Row> = Readonly<Record<string, Row>>;

/** The row that a caller names by its id, if there is one. */
export function findRow<Row>(table: Table<Row>, id: string | undefined): Row | undefined {
  return id !== undefined && Object.hasOwn(table, id) ? table[id] : undefined;
}

/** The row that another row of the world names by its id. */
export function rowOf<Row>(table: Table<Row>, id: string): Row {
  // workspaces, keys and repositories keep their rows for good, deleted or not; a job is dropped only when nothing is planned for it
  return table[id]!;
}
