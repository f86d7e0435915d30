import type { Choices, IdKind } from "./choices.js";

/** The state of one server. */
export interface Service {
  choices: Choices;
  worlds: Map<string, World>;
  keys: Map<string, { world: World; workspace: Workspace; key: Key }>;
  sessions: Map<string, { world: World; workspace: Workspace; role: string }>;
}

/** Workspaces that share a clock. */
export interface World {
  id: string;
  choices: Choices;
  serial: number;
  lastRef: number;
  /** The number of its requests. */
  requests: number;
  /** The time of the clock, or its distance to real time. */
  clockMs: number;
  workspaces: Workspace[];
}

/** One customer of the service. */
export interface Workspace {
  name: string;
  plan: "free" | "paid";
  repoCap: number;
  suspended: boolean;
  staff: boolean;
  beta: boolean;
  credit: number;
  spendPaused: boolean;
  /** Dollars an hour, if an event has set them. */
  ceiling?: number;
  verifies: boolean;
  retryAfter: number | undefined;
  repos: Repo[];
  jobs: Job[];
  observations: Observation[];
  keys: Key[];
  /** Registrations whose discovery has no job yet. */
  discoveries: { repo: Repo; atMs: number; by: Key | undefined }[];
  idempotency: Map<string, { atMs: number; job: Job; body: string }>;
  /** The spending of the workspace, by the hour. */
  spent: Spending[];
  cursors: Map<string, { binding: string; rest: unknown[] }>;
  meters: Map<string, number[]>;
  tokens: Map<string, { left: number; atMs: number }>;
  settings: Map<string, unknown>;
}

/** A registered repository; deleted ones stay, unseen. */
export interface Repo {
  id: string;
  owner: string;
  name: string;
  branch: string;
  accessMode: string;
  commit: number;
  tracker: boolean;
  deleted: boolean;
  registeredMs: number;
}

/** Dollars that were drawn at a time. */
export interface Spending {
  atMs: number;
  usd: number;
}

/** One run of a workflow. */
export interface Job {
  id: string;
  workflow: string;
  params: string;
  repo: Repo;
  /** Unknown before the start, if a run finds its commit itself. */
  commit: number | undefined;
  status: "pending" | "running" | "completed" | "failed" | "cancelled";
  createdMs: number;
  startedMs?: number;
  /** The duration of its run, once it has started. */
  runsMs?: number;
  endedMs?: number;
  /** The time at which a requested cancellation takes effect. */
  cancelsMs?: number;
  retryOf?: Job;
  observation?: Observation;
  attempt?: string;
  /** The charge at its start or end, and its payer. */
  owes?: { key: Key | undefined; when: "start" | "end" };
}

/** A finding of the service. */
export interface Observation {
  ref: string;
  repo: Repo;
  kind: string;
  status: "new" | "closed";
  priority: string;
  category: string;
  domain: string;
  title: string;
  description: string;
  locations: { file_path: string; symbol: string | null; line_start: number; line_end: number }[];
  createdMs: number;
  updatedMs: number;
  acknowledgedMs?: number;
  closedMs?: number;
  closeReason?: string;
  dismissedAs?: string;
  pull?: { number: string; status: "in_review" | "revising" | "merged" | "closed" };
  tickets?: number;
  easy: boolean;
  exhausted: boolean;
}

/** A bearer key. */
export interface Key {
  id: string;
  name: string;
  secret: string;
  scopes: string[];
  deletes: boolean;
  perMinute?: number;
  perHour?: number;
  expiresMs?: number;
  networks?: string[];
  revoked: boolean;
  spent: Spending[];
}

/** The time in a world, in milliseconds. */
export function getNow({ choices, clockMs }: World): number {
  return choices.clock === "flows" ? STARTED_MS + (Date.now() - STARTED_MS) * choices.pace + clockMs : clockMs;
}

const STARTED_MS = Date.now();

/** A new identifier, in the variant's form. */
export function createId(world: World, kind: IdKind): string {
  world.serial += 1;
  return world.choices.mint(kind, world.serial);
}

/** The slug of a repository, and its whole name. */
export function getSlug({ name, branch }: Repo): string {
  return `${name}@${branch}`;
}
