import type { Job, Key, Repo, Session, World } from "./world.js";

/** Indexes of a world, kept beside it and rebuilt from it when missing. */
interface Lookups {
  keys: Map<string, Key>;
  sessions: Map<string, Session>;
  /** Live repositories by workspace and triple. */
  repos: Map<string, Repo>;
  /** Jobs by fingerprint, oldest first. A list for each single job takes 80 bytes. */
  byFingerprint: Map<string, Job | Job[]>;
  /** Jobs created since the last dispatch, oldest first. Some may no longer be pending. */
  pending: Job[];
}

const lookupsByWorld = new WeakMap<World, Lookups>();

/** Returns the key with this bearer token, live or not. */
export function findKeyByToken(world: World, token: string): Key | undefined {
  return findLookups(world).keys.get(token);
}

/** Returns the web-app session with this cookie value. */
export function findSessionByToken(world: World, token: string): Session | undefined {
  return findLookups(world).sessions.get(token);
}

/** Returns the workspace's registered repository with this triple. */
export function findRepoByTriple(world: World, workspace: string, owner: string, repo: string, branch: string): Repo | undefined {
  return findLookups(world).repos.get(formatTriple(workspace, owner, repo, branch));
}

/** Returns the registered repository `owner/repo/branch`, of the first workspace that has it. The branch may contain slashes. */
export function findRepoByPath(world: World, path: string): Repo | undefined {
  const [owner = "", repo = "", ...branch] = path.split("/");
  const workspaces = Object.keys(world.workspaces);
  return workspaces
    .map((workspace) => findRepoByTriple(world, workspace, owner, repo, branch.join("/")))
    .find((foundRepo) => foundRepo);
}

/** Returns every job with this fingerprint, oldest first. */
export function listJobsByFingerprint(world: World, fingerprint: string): readonly Job[] {
  const found = findLookups(world).byFingerprint.get(fingerprint) ?? [];
  return Array.isArray(found) ? found : [found];
}

/** Returns whether a job is pending. */
export function hasPending(world: World): boolean {
  return findLookups(world).pending.some((job) => job.status === "pending");
}

/**
 * Returns the jobs created since the last dispatch, oldest first, and forgets them. The caller must start every one that is still
 * pending.
 */
export function takePending(world: World): readonly Job[] {
  const foundLookups = findLookups(world);
  const { pending } = foundLookups;
  foundLookups.pending = [];
  return pending;
}

/** Adds a key to the world. */
export function addKey(world: World, key: Key): void {
  findLookups(world).keys.set(key.token, key);
  world.keys[key.id] = key;
}

/** Adds a repository to the world. */
export function addRepo(world: World, repo: Repo): void {
  findLookups(world).repos.set(formatTriple(repo.workspace, repo.owner, repo.repo, repo.branch), repo);
  world.repos[repo.id] = repo;
}

/** Frees the triple of a soft-deleted repository. */
export function dropRepo(world: World, repo: Repo): void {
  findLookups(world).repos.delete(formatTriple(repo.workspace, repo.owner, repo.repo, repo.branch));
}

/** Adds a job to the world. */
export function addJob(world: World, job: Job): void {
  indexJob(findLookups(world), job);
  world.jobs[job.id] = job;
}

/** Deletes a job, so that soft dedupe no longer finds it. */
export function dropJob(world: World, job: Job): void {
  const { byFingerprint } = findLookups(world);
  byFingerprint.set(
    job.fingerprint,
    listJobsByFingerprint(world, job.fingerprint).filter((otherJob) => otherJob !== job),
  );
  delete world.jobs[job.id];
}

function findLookups(world: World): Lookups {
  let foundLookups = lookupsByWorld.get(world);
  if (!foundLookups) {
    foundLookups = buildLookups(world);
    lookupsByWorld.set(world, foundLookups);
  }
  return foundLookups;
}

function buildLookups(world: World): Lookups {
  const jobs = Object.values(world.jobs).sort((a, b) => a.serial - b.serial);
  const repos = Object.values(world.repos).filter((repo) => repo.deleted_at === null);
  const foundLookups: Lookups = {
    keys: new Map(Object.values(world.keys).map((key) => [key.token, key])),
    sessions: new Map(Object.values(world.sessions).map((session) => [session.token, session])),
    repos: new Map(repos.map((repo) => [formatTriple(repo.workspace, repo.owner, repo.repo, repo.branch), repo])),
    byFingerprint: new Map(),
    pending: [],
  };
  for (const job of jobs) indexJob(foundLookups, job);
  return foundLookups;
}

function indexJob({ byFingerprint, pending }: Lookups, job: Job): void {
  const same = byFingerprint.get(job.fingerprint);
  if (Array.isArray(same)) same.push(job);
  else byFingerprint.set(job.fingerprint, same ? [same, job] : job);
  if (job.status === "pending") pending.push(job);
}

function formatTriple(workspace: string, owner: string, repo: string, branch: string): string {
  return JSON.stringify([workspace, owner, repo, branch]);
}

/** Rows of one kind by id. */
type Table<Row> = Readonly<Record<string, Row>>;

/** Returns the row with an id that a caller sent, or undefined. */
export function findRow<Row>(table: Table<Row>, id: string | undefined): Row | undefined {
  return id !== undefined && Object.hasOwn(table, id) ? table[id] : undefined;
}

/** Returns the row with an id that another row of the world holds. */
export function readRow<Row>(table: Table<Row>, id: string): Row {
  // workspaces, keys and repositories keep their rows when deleted; a job is deleted only when no scheduled event names it
  return table[id]!;
}

/** A row as the API shows it. */
type ShownRow = Record<string, unknown>;

/** The rows that answers showed last: a copy of each, and the object that showed it. */
const shownRows = new Map<object, { copy: object; shown: ShownRow }>();
const maxShownRows = 5000;

/** The JSON of these objects, from the first time that it is needed. */
const shownTexts = new WeakMap<object, string | null>();

/** Returns what `show` makes of a row: the same object until a field of the row changes. Nobody may modify it. */
export function showRow<Row extends object>(row: Row, show: (row: Row) => ShownRow): ShownRow {
  const known = shownRows.get(row);
  if (known && hasEqualFields(known.copy as Row, row)) return known.shown;
  if (shownRows.size >= maxShownRows) shownRows.clear();
  const shownRow = show(row);
  shownRows.set(row, { copy: { ...row }, shown: shownRow });
  shownTexts.set(shownRow, null);
  return shownRow;
}

/** Returns the JSON of an object that `showRow` returned. It is written once. Undefined for any other value. */
export function readShownText(value: unknown): string | undefined {
  const text = shownTexts.get(value as object);
  if (text !== null) return text;
  const written = JSON.stringify(value);
  shownTexts.set(value as object, written);
  return written;
}

function hasEqualFields<Row extends object>(a: Row, b: Row): boolean {
  for (const name in b) if (a[name] !== b[name]) return false;
  return true;
}
