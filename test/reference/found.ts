import { VALUES } from "./observations.js";
import { SCOPES } from "./scopes.js";
import { createId, type Key, type Observation, type Repo, type Service, type Workspace, type World } from "./state.js";

const MINUTE_MS = 60_000;

/** Opens a world: one Paid workspace with a history, and a small one for each other role. */
export function foundWorld(service: Service): World {
  const { choices } = service;
  const start = Date.UTC(2031, 3, 5, 6, 7, 8);
  const world: World = {
    ...{ id: "", choices, serial: service.worlds.size * 1000, lastRef: choices.firstRef, requests: 0, workspaces: [] },
    clockMs: choices.clock === "flows" ? choices.aheadSeconds * 1000 : start,
  };
  world.id = createId(world, "world") + choices.token().slice(0, 8);
  const at = choices.clock === "flows" ? Date.now() : start;
  const home = open(world, "home", { plan: "paid", repoCap: 3 + choices.paidRoom });
  const repos = choices.repos.map((name, index) => addRepo(world, home, name, index === 0, at));
  writePast(world, home, repos, at);
  for (const [name, settings] of Object.entries(OTHERS)) {
    const room = settings.plan === "free" ? choices.freeRoom : choices.paidRoom;
    const repoCap = choices.planGates ? 1 + room : 10_000;
    addRepo(world, open(world, name, { ...settings, repoCap }), `${name}-co/own/main`, false, at);
  }
  for (const workspace of world.workspaces) makeCredentials(service, world, workspace);
  service.worlds.set(world.id, world);
  return world;
}

const OTHERS: Record<string, Partial<Workspace>> = {
  free: { plan: "free" },
  beta: { beta: true },
  staff: { staff: true },
  broke: { credit: 0 },
  suspended: { suspended: true },
};

const VIEW = ["view_repositories", "view_jobs"];
const SCOPES_WITHOUT_FIX = [...VIEW, "submit_audit_jobs", "triage_observations"];

/** The keys of the home workspace by role. */
const ROLES: Record<string, Partial<Key>> = {
  full: { scopes: SCOPES, deletes: true },
  viewer: { scopes: VIEW },
  no_fix: { scopes: SCOPES_WITHOUT_FIX },
  triage: { scopes: ["triage_observations"] },
  expired: { scopes: SCOPES, expiresMs: Date.UTC(2001, 0) },
  revoked: { scopes: SCOPES, revoked: true },
  fenced: { scopes: SCOPES, networks: ["203.0.113.0/24", "2001:db8::/32"] },
  fenced_here: { scopes: SCOPES, networks: ["127.0.0.0/8", "::1"] },
  slow: { scopes: SCOPES, perMinute: 5 },
  poor: { scopes: SCOPES, perHour: 0.02 },
  no_delete: { scopes: SCOPES },
};

/** The room for further keys in a new world: 25 less the live ones. */
export const ROOM_FOR_KEYS = 25 - Object.values(ROLES).filter(({ revoked, expiresMs }) => !revoked && !expiresMs).length;

function open(world: World, name: string, settings: Partial<Workspace>): Workspace {
  const workspace: Workspace = {
    ...{ name, plan: "paid", repoCap: 0, suspended: false, staff: false, beta: false, credit: 1_000_000, spendPaused: false },
    ...{ verifies: true, retryAfter: undefined, repos: [], jobs: [], observations: [], keys: [], discoveries: [] },
    ...{ spent: [], idempotency: new Map(), cursors: new Map(), meters: new Map(), tokens: new Map(), settings: new Map() },
    ...settings,
  };
  world.workspaces.push(workspace);
  return workspace;
}

function addRepo(world: World, workspace: Workspace, whole: string, tracker: boolean, at: number): Repo {
  const [owner = "", name = "", ...branch] = whole.split("/");
  const repo: Repo = {
    ...{ id: createId(world, "key"), owner, name, branch: branch.join("/"), commit: 1, accessMode: "installed", tracker },
    ...{ deleted: false, registeredMs: at - 90 * 24 * 60 * MINUTE_MS },
  };
  workspace.repos.push(repo);
  return repo;
}

/** Makes the keys and the sessions of a workspace. */
function makeCredentials(service: Service, world: World, workspace: Workspace): void {
  const home = workspace.name === "home";
  const roles = home ? ROLES : { [workspace.name]: { scopes: SCOPES, deletes: true } };
  for (const [role, settings] of Object.entries(roles)) {
    const secret = `${world.choices.token()}.${role}`;
    const key: Key = {
      ...{ id: createId(world, "key"), name: role, secret, scopes: [], deletes: false, revoked: false, spent: [] },
      ...settings,
    };
    workspace.keys.push(key);
    service.keys.set(secret, { world, workspace, key });
  }
  for (const role of ["owner", "admin", "member"])
    service.sessions.set(world.choices.cookie.replace("*", world.choices.token()), { world, workspace, role });
}

function writePast(world: World, workspace: Workspace, repos: Repo[], at: number): void {
  const { past } = world.choices;
  for (let index = past.observations; index > 0; index--) workspace.observations.push(oldObservation(world, repos, index, at));
  for (let index = past.jobs; index > 0; index--) {
    const endedMs = at - index * 11 * MINUTE_MS - 3_600_000;
    workspace.jobs.push({
      ...{ id: createId(world, "job"), workflow: ["audit", "discover", "review"][index % 3] ?? "", params: `{"old":${index}}` },
      ...{ repo: pick(repos, index), commit: 0, status: pick(["completed", "failed", "cancelled"] as const, index) },
      ...{ createdMs: endedMs - 2 * MINUTE_MS, startedMs: endedMs - MINUTE_MS, endedMs },
    });
  }
}

function oldObservation(world: World, repos: Repo[], index: number, at: number): Observation {
  const createdMs = at - index * 7 * MINUTE_MS;
  const isClosed = world.choices.past.closed === "all" || index % 4 === 0;
  const some = (name: string) => pick(VALUES[name] ?? [], randomOffset(index, name));
  return {
    ...createObservation(world, pick(repos, randomOffset(index, "repo")), createdMs),
    ...{ kind: index % 2 === 1 ? "finding" : some("kind"), priority: some("priority"), category: some("category") },
    ...{ domain: some("domain"), easy: index % 5 === 0, exhausted: index % 31 === 0, title: `Old matter ${index}` },
    ...(isClosed && { status: "closed" as const, closeReason: some("close_reason"), closedMs: createdMs, dismissedAs: "other" }),
    ...(index % 8 === 0 && { pull: { number: createId(world, "pull"), status: "closed" as const } }),
  };
}

/** A number that looks like chance, and is always the same. */
function randomOffset(index: number, salt: string): number {
  const mixed = [...salt].reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 0x01000193), index);
  return mixed >>> 16;
}

/** An ordinary finding. */
export function createObservation(world: World, repo: Repo, atMs: number): Observation {
  world.lastRef += world.choices.refStep;
  return {
    ...{ ref: `SERVICE-${world.lastRef}`, repo, kind: "finding", status: "new" },
    ...world.choices.foundAs,
    ...{ easy: false, exhausted: false },
    locations: [{ file_path: "src/main.ts", symbol: null, line_start: 1, line_end: 4 }],
    ...{ createdMs: atMs, updatedMs: atMs },
  };
}

function pick<Value>(values: readonly Value[], index: number): Value {
  return values[index % values.length] as Value;
}
