import { contract } from "../contract/load.js";
import type { PlanName, Scope, WorkflowName } from "../contract/types.js";
import { arrangeLists } from "./arrangement.js";
import { copyOfWorld } from "./copies.js";
import { applyHistory, type History } from "./history.js";
import { planExpiryWarning, tokenFor } from "./keys.js";
import { addKey } from "./lookups.js";
import { createRepo } from "./repos.js";
import type { CodeHost, Key, Options, Plan, Repo, RunProfile, Session, Workspace, World } from "./world.js";

/** A world to begin with, as data: what `fixtures/*.json` hold. `spec/schema/fixture.json` says what each field means. */
export interface Fixture extends History {
  $schema?: string;
  /** ISO time at which the world begins. */
  clock?: string;
  options?: Partial<Options>;
  plans: Record<PlanName, Plan>;
  runs: Record<WorkflowName, { minutes: number; cost_usd: number }>;
  code_host?: Partial<Pick<CodeHost, "private" | "gone">>;
  /** The first one is where a drive that names no workspace acts. */
  workspaces: Record<string, FixtureWorkspace>;
  roles: Record<string, FixtureRole>;
  sessions?: Record<string, { workspace: string; role: Session["role"] }>;
  repositories?: FixtureRepository[];
}

/** A workspace of a fixture; what is left out is off, or no limit. */
export type FixtureWorkspace = Pick<Workspace, "plan" | "credit_usd"> &
  Partial<Pick<Workspace, "state" | "hourly_ceiling_usd" | "features" | "entitlements" | "repo_cap">>;

/** What the key of a role may do. */
export interface FixtureRole {
  workspace: string;
  scopes: "all" | Scope[];
  permissions?: string[];
  requests_per_minute?: number;
  dollars_per_hour?: number;
  expires_at?: string;
  expired?: true;
  revoked?: true;
  allowed_cidrs?: string[];
}

/** A registered repository of a fixture. */
export type FixtureRepository = Pick<Repo, "workspace" | "owner" | "repo" | "branch"> &
  Partial<Pick<Repo, "access_mode" | "ticket_integration" | "metadata" | "discovery" | "knowledge">>;

/** What one world of a fixture differs in from the next. `plan` is that of the first workspace, instead of the fixture's. */
export interface Founding {
  id: string;
  seed: number;
  options?: Partial<Options>;
  plan?: PlanName;
}

/** When a world begins whose fixture does not say: a Monday morning. */
const defaultClock = "2026-01-05T09:00:00.000Z";

const dayMs = 86_400_000;

/** What the assumptions say, where they name an option of the world. */
export const defaultOptions: Options = {
  limits: "text",
  work: "time",
  ...(Object.fromEntries(
    Object.values(contract.assumptions).flatMap(({ option }) =>
      option?.default === undefined ? [] : [[option.name, option.default]],
    ),
  ) as Omit<Options, "limits" | "work">),
};

/** A world of more observations is founded anew each time, since a pattern of it would take as much memory again. */
const mostCopied = 100_000;

/** The world that was founded last, as it was at first: the next one is often like it in all but its id. */
let pattern: { fixture: Fixture; like: string; world: World } | undefined;

/**
 * Makes a world of a fixture that has the schema and no `fixtureFaults`. The same fixture, seed and id give the same world, ids included.
 */
export function foundWorld(fixture: Fixture, founding: Founding): World {
  const { id, ...others } = founding;
  const like = JSON.stringify(others);
  if (pattern?.fixture !== fixture || pattern.like !== like) pattern = { fixture, like, world: buildWorld(fixture, founding) };
  const isLarge = (pattern.world.serials.observation ?? 0) > mostCopied;
  const world = { ...(isLarge ? pattern.world : copyOfWorld(pattern.world)), id };
  if (isLarge) pattern = undefined;
  for (const key of Object.values(world.keys)) key.token = tokenFor(world, key.name);
  for (const session of Object.values(world.sessions)) session.token = sessionToken(world, session.id);
  arrangeLists(world);
  return world;
}

function buildWorld(fixture: Fixture, founding: Founding): World {
  const world = emptyWorld(fixture, founding);
  for (const [id, workspace] of Object.entries(fixture.workspaces)) world.workspaces[id] = workspaceOf(world, id, workspace);
  const first = Object.values(world.workspaces)[0];
  if (founding.plan && first) first.plan = founding.plan;
  // sessions before keys: the first key added makes the look-ups, and those know the sessions of that moment
  for (const [name, { workspace, role }] of Object.entries(fixture.sessions ?? {})) {
    world.sessions[name] = { id: name, token: sessionToken(world, name), workspace, role };
  }
  for (const [role, grant] of Object.entries(fixture.roles)) {
    const key = keyOf(world, role, grant);
    addKey(world, key);
    planExpiryWarning(world, key);
  }
  for (const repository of fixture.repositories ?? []) addRepository(world, repository);
  applyHistory(world, fixture);
  world.changes = [];
  return world;
}

/** The cookie value of a web-app session: its name, in the default world; elsewhere with the world's id before it. */
export function sessionToken(world: World, name: string): string {
  return world.id === "default" ? name : `${world.id}_${name}`;
}

function emptyWorld(fixture: Fixture, { id, seed, options }: Founding): World {
  const now = Date.parse(fixture.clock ?? defaultClock);
  return {
    id,
    now,
    epoch: now,
    random: seed | 0,
    serials: {},
    options: { ...defaultOptions, ...fixture.options, ...options },
    plans: structuredClone(fixture.plans),
    runs: runsOf(fixture),
    codeHost: { private: [...(fixture.code_host?.private ?? [])], gone: [...(fixture.code_host?.gone ?? [])], outage: null },
    workspaces: {},
    keys: {},
    sessions: {},
    repos: {},
    jobs: {},
    observations: {},
    attempts: {},
    rates: {},
    spend: {},
    submissions: {},
    agenda: [],
    mails: [],
    changes: [],
  };
}

function runsOf({ runs }: Fixture): Record<WorkflowName, RunProfile> {
  const profiles = Object.entries(runs).map(([workflow, { minutes, cost_usd }]) => [
    workflow,
    { seconds: minutes * 60, cost_usd },
  ]);
  return Object.fromEntries(profiles) as Record<WorkflowName, RunProfile>;
}

function workspaceOf(world: World, id: string, given: FixtureWorkspace): Workspace {
  const state = given.state ?? "active";
  return {
    id,
    plan: given.plan,
    state,
    suspended_at: state === "suspended" ? world.now : null,
    credit_usd: given.credit_usd,
    hourly_ceiling_usd: given.hourly_ceiling_usd ?? null,
    spend_paused: false,
    features: [...(given.features ?? [])],
    entitlements: [...(given.entitlements ?? [])],
    repo_cap: given.repo_cap ?? null,
    settings: {},
  };
}

function keyOf(world: World, role: string, grant: FixtureRole): Key {
  return {
    id: `key_${role}`,
    token: tokenFor(world, role),
    name: role,
    workspace: grant.workspace,
    scopes: grant.scopes === "all" ? [...contract.enums.Scope] : [...grant.scopes],
    permissions: [...(grant.permissions ?? [])],
    requests_per_minute: grant.requests_per_minute ?? null,
    dollars_per_hour: grant.dollars_per_hour ?? null,
    created_at: world.now - 90 * dayMs,
    expires_at: expiryOf(world, grant),
    allowed_cidrs: grant.allowed_cidrs ? [...grant.allowed_cidrs] : null,
    revoked_at: grant.revoked ? world.now - dayMs : null,
  };
}

function expiryOf(world: World, { expired, expires_at }: FixtureRole): number | null {
  if (expired) return world.now - dayMs;
  return expires_at === undefined ? null : Date.parse(expires_at);
}

/** A repository that was registered long ago, with what is known of it. */
function addRepository(world: World, given: FixtureRepository): void {
  const { ticket_integration, metadata, discovery, knowledge } = given;
  const begin = world.now;
  world.now = begin - 60 * dayMs;
  const known = structuredClone({
    ...(metadata && { metadata }),
    ...(discovery && { discovery }),
    ...(knowledge && { knowledge }),
  });
  Object.assign(createRepo(world, given), known, { ticket_integration: ticket_integration ?? false });
  world.now = begin;
}
