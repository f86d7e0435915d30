import type { DismissalCategory, EnumValue, PlanName, Scope, WorkflowName } from "../../contract/types.js";

/**
 * Everything the simulated service knows, as one plain JSON value: what a request answers depends on this and the request alone.
 * Times are milliseconds since 1970; money is US dollars. Indexes are kept beside it (views.ts, lookups.ts) and rebuilt from it.
 */
export interface World {
  id: string;
  now: number;
  /** When the world began; dispatch ticks are counted from here. */
  epoch: number;
  /** State of the seeded random source. */
  random: number;
  /** The last number given out, by kind of id. */
  serials: Record<string, number>;
  options: Options;
  plans: Record<PlanName, Plan>;
  runs: Record<WorkflowName, RunProfile>;
  codeHost: CodeHost;
  workspaces: Record<string, Workspace>;
  keys: Record<string, Key>;
  sessions: Record<string, Session>;
  repos: Record<string, Repo>;
  jobs: Record<string, Job>;
  observations: Record<string, Observation>;
  attempts: Record<string, FixAttempt>;
  /** Rate windows by key id, then by bucket. */
  rates: Record<string, Record<string, RateWindow>>;
  /** Spend windows by workspace id or key id. */
  spend: Record<string, SpendWindow>;
  /** Idempotency-Key headers seen, by workspace and header value. */
  submissions: Record<string, Submission>;
  /** What will happen by itself, soonest first. */
  agenda: Appointment[];
  /** E-mails that the service would have sent. */
  mails: Mail[];
  /** What the call under way has changed so far; empty between calls. */
  changes: Change[];
}

/** When work is done: by the clock, before the next call, or once it was asked after so often. */
export type WorkPace = "time" | "at-once" | `polls:${number}`;

/** The switches of `spec/assumptions.json`, `limits` for load tests, and `work` for those that wait for none. */
export interface Options {
  limits: "text" | "off";
  work: WorkPace;
  rate_window: "fixed" | "sliding" | "token_bucket";
  mcp_rate: "requests" | "calls";
  dedupe_window_minutes: number;
  dedupe_terminal: "completed" | "terminal";
  idempotency_mismatch: "replay" | "conflict";
  run_findings: "timed" | "always" | "none";
  dispatch_seconds: number;
}

/** What a plan grants. A cap of null is no cap. */
export interface Plan {
  workflows: WorkflowName[];
  repo_cap: number | null;
}

/** How long a workflow runs and what it costs, before jitter. */
export interface RunProfile {
  seconds: number;
  cost_usd: number;
}

/** The world outside: which repositories the code host refuses to serve. Triples are `owner/repo/branch`, or `owner/repo` for every branch. */
export interface CodeHost {
  private: string[];
  gone: string[];
  /** While set, registrations cannot be verified: 503, with Retry-After unless null. */
  outage: { retry_after: number | null } | null;
}

/** A customer's space: everything below belongs to one, and nothing is visible from another. */
export interface Workspace {
  id: string;
  plan: PlanName;
  state: "active" | "suspended";
  /** When it was suspended; web sign-in may read for 30 days. */
  suspended_at: number | null;
  credit_usd: number;
  hourly_ceiling_usd: number | null;
  spend_paused: boolean;
  /** Private beta features switched on: `task`, `suggest`. */
  features: string[];
  /** Entitlements beside the plan's: `openapi`. */
  entitlements: string[];
  /** Overrides the plan's cap, where set. */
  repo_cap: number | null;
  settings: Record<string, unknown>;
}

/** A web-app sign-in: who holds the cookie and what they may do. */
export interface Session {
  id: string;
  token: string;
  workspace: string;
  role: "owner" | "admin" | "member";
}

/** An API key. Its token selects it; it is live until revoked or expired. */
export interface Key {
  id: string;
  token: string;
  name: string;
  workspace: string;
  scopes: Scope[];
  /** What its creator may do beyond scopes: `delete_repo`. */
  permissions: string[];
  requests_per_minute: number | null;
  dollars_per_hour: number | null;
  created_at: number;
  expires_at: number | null;
  allowed_cidrs: string[] | null;
  revoked_at: number | null;
}

/** One registered branch of a repository. A soft-deleted one keeps its row and frees its triple. */
export interface Repo {
  id: string;
  workspace: string;
  owner: string;
  repo: string;
  branch: string;
  slug: string;
  access_mode: "installed" | "anonymous";
  head_commit: string;
  ticket_integration: boolean;
  /** Repository metadata that tools may change. */
  metadata: Record<string, unknown>;
  /** Free-form content read by discovery and knowledge: plain JSON. */
  discovery: { path: string; title: string; body: string }[];
  knowledge: { profile: Record<string, unknown>; principles: string[]; conventions: string[]; open_directives: string[] };
  /** The discovery docs that agents said they read, newest last. */
  doc_reads?: { path: string; at: number }[];
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  serial: number;
}

/** Where a job stands; JOB-FIELD-STATUS. */
export type JobStatus = EnumValue<"JobStatus">;

/** One run of a workflow on a repository. What stands inside it is replaced and never written into: copies of a world share it. */
export interface Job {
  id: string;
  serial: number;
  workspace: string;
  repo: string;
  repo_name: string;
  workflow: WorkflowName;
  params: Readonly<Record<string, unknown>>;
  status: JobStatus;
  commit: string;
  /** Equal for submissions that soft dedupe treats as one. */
  fingerprint: string;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** Decided when submitted, so that a run is a function of the seed. */
  seconds: number;
  cost_usd: number;
  retry_of: string | null;
  /** The newest retry of this job. */
  retried_by: string | null;
  /** The fix attempt it works for. */
  attempt: string | null;
  error: string | null;
  failure_classification: string | null;
  fix_pr_url: string | null;
  /** How often it was asked after, where that is what ends it. */
  polls?: number;
}

/** Where an observation stands; OBS-FIELD-STATUS. */
export type ObservationStatus = EnumValue<"ObservationStatus">;
/** Why an observation is closed; OBS-FIELD-CLOSE-ENUM. */
export type CloseReason = EnumValue<"CloseReason">;

/** Something the service found in a repository. What stands inside it is replaced and never written into: copies of a world share it. */
export interface Observation {
  ref: string;
  /** The N of SERVICE-N. */
  number: number;
  workspace: string;
  repo: string;
  kind: EnumValue<"ObservationKind">;
  status: ObservationStatus;
  priority: EnumValue<"Priority">;
  category: EnumValue<"Category">;
  domain: EnumValue<"Domain">;
  title: string;
  description: string;
  severity: number;
  created_at: number;
  updated_at: number;
  acknowledged_at: number | null;
  resolved_at: number | null;
  close_reason: CloseReason | null;
  dismissal_category: DismissalCategory | null;
  dismissal_note: string | null;
  completion: Readonly<{ url: string | null; note: string | null }> | null;
  reopen_reason: string | null;
  ticket_url: string | null;
  easy_win: boolean;
  needs_review: boolean;
  /** Its newest fix attempt. */
  attempt: string | null;
  /** The fix PR it has or had last. `has_fix_pr` is about ever having had one. */
  fix_pr: Readonly<{ url: string; status: "in_review" | "revising" | "merged" | "closed" }> | null;
  locations: readonly Readonly<{ file_path: string; symbol: string | null; line_start: number; line_end: number }>[];
}

/** One try at fixing an observation. */
export interface FixAttempt {
  id: string;
  observation: string;
  job: string;
  created_at: number;
}

/** One rate bucket's memory; which fields are used depends on the window algorithm. */
export interface RateWindow {
  /** fixed: when the window began. token bucket: when `tokens` was true. */
  since: number;
  /** fixed: requests passed in the window. */
  used: number;
  /** token bucket: what is left, in units of buckets.ts. */
  tokens: number;
  /** sliding: when each counted request passed, oldest first. */
  passed: number[];
}

/** What was spent in an hour that began at `since`. */
export interface SpendWindow {
  since: number;
  spent_usd: number;
}

/** What an Idempotency-Key stands for, and since when. */
export interface Submission {
  job: string;
  at: number;
  fingerprint: string;
}

/** Something the service will do by itself at a time. */
export type Appointment = { at: number; serial: number } & (Happening | RunEnds);
/** Runs that began together end together: one appointment stands for as many, in the order in which they began. */
export type RunEnds = { event: "finish-job"; jobs: string[] };
/** The kinds of things that happen by themselves. */
export type Happening =
  | { event: "dispatch" }
  | { event: "finish-job"; job: string }
  | { event: "enqueue-discovery"; repo: string }
  | { event: "warn-key-expiry"; key: string };

/** An e-mail that would have been sent. */
export interface Mail {
  at: number;
  to: string;
  subject: string;
}

/** A state change, as the journal and the clock report it: of one row, or the same of many one after the other. */
export type Change = {
  at: number;
  kind: "job" | "observation" | "repo" | "key" | "workspace" | "mail";
  from: string | null;
  to: string;
} & ({ id: string } | { ids: readonly string[] });

/** Notes a state change for the journal. */
export function note(world: World, kind: Change["kind"], id: string, from: string | null, to: string): void {
  world.changes.push({ at: world.now, kind, id, from, to });
}

/** Notes the same state change of many rows, one after the other. */
export function noteAll(world: World, kind: Change["kind"], ids: readonly string[], from: string | null, to: string): void {
  if (ids.length > 0) world.changes.push({ at: world.now, kind, ids, from, to });
}
