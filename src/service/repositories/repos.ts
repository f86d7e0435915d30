import { type Call, refuse } from "../call.js";
import { addRepo, dropJob, dropRepo, repoByTriple, rowOf } from "../world/lookups.js";
import { draw } from "../world/random.js";
import { nextSerial, timestamp } from "../world/stamps.js";
import { change, enter, forget, leave } from "../world/views.js";
import { note, type Observation, type Repo, type World } from "../world/world.js";

/** What a new repository is made of. */
export interface RepoParts {
  workspace: string;
  owner: string;
  repo: string;
  branch: string;
  access_mode?: Repo["access_mode"];
}

/** What a reset drops. REPO-RESET-TYPES: our choice; `wipe` is the other three and what was learnt. */
export interface ResetFlags {
  findings?: boolean;
  history?: boolean;
  suggestions?: boolean;
  wipe?: boolean;
}

/** How many of each a reset dropped. */
export interface ResetCounts {
  findings: number;
  suggestions: number;
  advisories: number;
  jobs: number;
  discovery_files: number;
}

/** The answer where a path names no repository of the workspace. REPO-READ-UNKNOWN, REPO-WRITE-UNKNOWN. */
export const noSuchRepo = refuse("not_found", { message: "There is no such repository." });

/** The repository that a call's path names: live, and of the caller's workspace. KEY-WORKSPACE-GET. */
export function findRepo(world: World, call: Pick<Call, "params" | "caller">): Repo | undefined {
  const { owner = "", repo = "", branch = "" } = call.params;
  return repoByTriple(world, call.caller.workspace.id, owner, repo, branch);
}

/** Whether the repository of a job or an observation is still registered. */
export function isLive(world: World, row: { repo: string }): boolean {
  return rowOf(world.repos, row.repo).deleted_at === null;
}

/** A workspace's live repositories. */
export function liveRepos(world: World, workspace: string): Repo[] {
  return Object.values(world.repos).filter((repo) => repo.workspace === workspace && repo.deleted_at === null);
}

/** A workspace's live repositories of a slug `repo@branch`: a slug has no owner, so it can be more than one's. */
export function reposBySlug(world: World, workspace: string, slug: string): Repo[] {
  return liveRepos(world, workspace).filter((repo) => repo.slug === slug);
}

/** Adds a repository of which nothing is known yet. */
export function createRepo(world: World, { workspace, owner, repo, branch, access_mode = "installed" }: RepoParts): Repo {
  const serial = nextSerial(world, "repo");
  const row: Repo = {
    id: `repo_${serial}`,
    workspace,
    owner,
    repo,
    branch,
    slug: `${repo}@${branch}`,
    access_mode,
    head_commit: newCommit(world),
    ticket_integration: false,
    metadata: {},
    discovery: [],
    knowledge: nothingKnown(),
    created_at: world.now,
    updated_at: world.now,
    deleted_at: null,
    serial,
  };
  addRepo(world, row);
  note(world, "repo", row.id, null, "registered");
  enter(world, "repos", row);
  return row;
}

/**
 * Takes a repository out of its workspace and keeps its row. REPO-DELETE-ROUTE. Its observations and jobs leave the lists with it;
 * runs in flight go on, and each job stays readable by its id (assumed).
 */
export function removeRepo(world: World, repo: Repo): void {
  const before = { ...repo };
  repo.deleted_at = world.now;
  repo.updated_at = world.now;
  dropRepo(world, repo);
  note(world, "repo", repo.id, "registered", "deleted");
  change(world, "repos", repo, before);
  forget(world, "jobs");
  forget(world, "observations");
}

/** Drops what the flags name. A job in flight is no history yet and stays. */
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
    repo.knowledge = nothingKnown();
  }
  repo.updated_at = world.now;
  note(world, "repo", repo.id, "registered", "registered");
  change(world, "repos", repo, before);
  return counts;
}

/** Gives a repository a new head commit: the next submission is no twin of an earlier one. DEDUPE-COMMIT-HEAD. */
export function moveHead(world: World, repo: Repo): void {
  const before = { ...repo };
  const commit = newCommit(world);
  note(world, "repo", repo.id, repo.head_commit, commit);
  repo.head_commit = commit;
  repo.updated_at = world.now;
  change(world, "repos", repo, before);
}

/** 40 seeded hexadecimal digits. */
function newCommit(world: World): string {
  let commit = "";
  for (let i = 0; i < 5; i++)
    commit += Math.floor(draw(world) * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  return commit;
}

/** A repository as the API shows it. REPO-FIELD-OTHER: the fields behind the triple are ours. */
export function repoView(repo: Repo): Record<string, unknown> {
  return {
    owner: repo.owner,
    repo: repo.repo,
    branch: repo.branch,
    repo_name: repo.slug,
    access_mode: repo.access_mode,
    head_commit: repo.head_commit,
    ticket_integration: repo.ticket_integration,
    metadata: repo.metadata,
    created_at: timestamp(repo.created_at),
    updated_at: timestamp(repo.updated_at),
  };
}

function dropObservations(world: World, repo: Repo, kind: Observation["kind"]): number {
  const dropped = Object.values(world.observations).filter(
    (observation) => observation.repo === repo.id && observation.kind === kind,
  );
  for (const observation of dropped) {
    delete world.observations[observation.ref];
    note(world, "observation", observation.ref, observation.status, "dropped");
    leave(world, "observations", observation);
  }
  return dropped.length;
}

function dropFinishedJobs(world: World, repo: Repo): number {
  const dropped = Object.values(world.jobs).filter((job) => job.repo === repo.id && job.finished_at !== null);
  for (const job of dropped) {
    dropJob(world, job);
    note(world, "job", job.id, job.status, "dropped");
    leave(world, "jobs", job);
  }
  return dropped.length;
}

function nothingKnown(): Repo["knowledge"] {
  return { profile: {}, principles: [], conventions: [], open_directives: [] };
}
