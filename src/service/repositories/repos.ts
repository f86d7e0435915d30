import { type Call, refuse } from "../call.js";
import { formatTimestamp, takeSerial } from "../world/ids-and-timestamps.js";
import { addRepo, dropJob, dropRepo, findRepoByTriple, readRow } from "../world/lookups.js";
import { drawRandom } from "../world/random.js";
import type { ShownRepo } from "../world/shown.js";
import { clearViews, insertIntoViews, removeFromViews, updateViews } from "../world/views.js";
import { type Observation, type Repo, recordChange, type World } from "../world/world.js";

/** The input for a new repository. */
export interface NewRepo {
  workspace: string;
  owner: string;
  repo: string;
  branch: string;
  access_mode?: Repo["access_mode"];
}

/** The flags of a reset. REPO-RESET-TYPES: our choice. `wipe` includes the other three, discovery files and knowledge. */
export interface ResetFlags {
  findings?: boolean;
  history?: boolean;
  suggestions?: boolean;
  wipe?: boolean;
}

/** The number of deleted rows by kind. */
export interface ResetCounts {
  findings: number;
  suggestions: number;
  advisories: number;
  jobs: number;
  discovery_files: number;
}

/** The refusal for a path that names no repository of the workspace. REPO-READ-UNKNOWN, REPO-WRITE-UNKNOWN. */
export const noSuchRepo = refuse("not_found", { message: "There is no such repository." });

/** Returns the registered repository of the caller's workspace that the path names. KEY-WORKSPACE-GET. */
export function findRepo(world: World, call: Pick<Call, "params" | "caller">): Repo | undefined {
  const { owner = "", repo = "", branch = "" } = call.params;
  return findRepoByTriple(world, call.caller.workspace.id, owner, repo, branch);
}

/** Returns whether the repository of a job or observation is still registered. */
export function isLive(world: World, row: { repo: string }): boolean {
  return readRow(world.repos, row.repo).deleted_at === null;
}

/** Returns a workspace's registered repositories. */
export function listLiveRepos(world: World, workspace: string): Repo[] {
  return Object.values(world.repos).filter((repo) => repo.workspace === workspace && repo.deleted_at === null);
}

/**
 * Returns a workspace's registered repositories with a slug `repo@branch`. A slug has no owner, so several repositories can share
 * one.
 */
export function listReposBySlug(world: World, workspace: string, slug: string): Repo[] {
  return listLiveRepos(world, workspace).filter((repo) => repo.slug === slug);
}

/** Adds a repository without discovery files, knowledge or metadata. */
export function createRepo(world: World, { workspace, owner, repo, branch, access_mode = "installed" }: NewRepo): Repo {
  const serial = takeSerial(world, "repo");
  const row: Repo = {
    id: `repo_${serial}`,
    workspace,
    owner,
    repo,
    branch,
    slug: `${repo}@${branch}`,
    access_mode,
    head_commit: createCommit(world),
    ticket_integration: false,
    metadata: {},
    discovery: [],
    knowledge: createEmptyKnowledge(),
    created_at: world.now,
    updated_at: world.now,
    deleted_at: null,
    serial,
  };
  addRepo(world, row);
  recordChange(world, "repo", row.id, null, "registered");
  insertIntoViews(world, "repos", row);
  return row;
}

/**
 * Deletes a repository softly: its row stays. REPO-DELETE-ROUTE. Its jobs and observations leave the lists, running jobs go on,
 * and each job stays readable by its id (assumed).
 */
export function removeRepo(world: World, repo: Repo): void {
  const before = { ...repo };
  repo.deleted_at = world.now;
  repo.updated_at = world.now;
  dropRepo(world, repo);
  recordChange(world, "repo", repo.id, "registered", "deleted");
  updateViews(world, "repos", repo, before);
  clearViews(world, "jobs");
  clearViews(world, "observations");
}

/** Deletes what the flags name. Jobs in flight are not history and stay. */
export function resetRepo(world: World, repo: Repo, { wipe, findings, history, suggestions }: ResetFlags): ResetCounts {
  const counts: ResetCounts = {
    findings: wipe || findings ? dropObservations(world, repo, "finding") : 0,
    suggestions: wipe || suggestions ? dropObservations(world, repo, "suggestion") : 0,
    advisories: wipe ? dropObservations(world, repo, "advisory") : 0,
    jobs: wipe || history ? dropFinishedJobs(world, repo) : 0,
    discovery_files: wipe ? repo.discovery.length : 0,
  };
  const before = { ...repo };
  if (wipe) {
    repo.discovery = [];
    repo.knowledge = createEmptyKnowledge();
  }
  repo.updated_at = world.now;
  recordChange(world, "repo", repo.id, "registered", "registered");
  updateViews(world, "repos", repo, before);
  return counts;
}

/** Gives a repository a new head commit, so that soft dedupe does not match earlier jobs. DEDUPE-COMMIT-HEAD. */
export function moveHead(world: World, repo: Repo): void {
  const before = { ...repo };
  const commit = createCommit(world);
  recordChange(world, "repo", repo.id, repo.head_commit, commit);
  repo.head_commit = commit;
  repo.updated_at = world.now;
  updateViews(world, "repos", repo, before);
}

/** Returns 40 seeded hexadecimal digits. */
function createCommit(world: World): string {
  let commit = "";
  for (let i = 0; i < 5; i++)
    commit += Math.floor(drawRandom(world) * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return commit;
}

/** Returns a repository as the API shows it. REPO-FIELD-OTHER: the fields after the triple are our choice. */
export function showRepo(repo: Repo): ShownRepo {
  return {
    owner: repo.owner,
    repo: repo.repo,
    branch: repo.branch,
    repo_name: repo.slug,
    access_mode: repo.access_mode,
    head_commit: repo.head_commit,
    ticket_integration: repo.ticket_integration,
    metadata: repo.metadata,
    created_at: formatTimestamp(repo.created_at),
    updated_at: formatTimestamp(repo.updated_at),
  };
}

function dropObservations(world: World, repo: Repo, kind: Observation["kind"]): number {
  const observations = Object.values(world.observations).filter(
    (observation) => observation.repo === repo.id && observation.kind === kind,
  );
  for (const observation of observations) {
    delete world.observations[observation.ref];
    recordChange(world, "observation", observation.ref, observation.status, "dropped");
    removeFromViews(world, "observations", observation);
  }
  return observations.length;
}

function dropFinishedJobs(world: World, repo: Repo): number {
  const jobs = Object.values(world.jobs).filter((job) => job.repo === repo.id && job.finished_at !== null);
  for (const job of jobs) {
    dropJob(world, job);
    recordChange(world, "job", job.id, job.status, "dropped");
    removeFromViews(world, "jobs", job);
  }
  return jobs.length;
}

function createEmptyKnowledge(): Repo["knowledge"] {
  return { profile: {}, principles: [], conventions: [], open_directives: [] };
}
