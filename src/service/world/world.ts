import type { DismissalCategory, EnumValue, PlanName, Scope, WorkflowName } from "../../contract/types.js";

/**
 * The complete state of the simulated service as one plain JSON value. A response depends on this and the request alone. Times are
 * milliseconds since 1970; money is US dollars. Indexes are kept beside it (views.ts, lookups.ts) and rebuilt from it.
 */
export interface World {
  id: string;
  now: number;
  /** The time at which the world began; dispatch ticks count from it. */
  epoch: number;
  /** State of the seeded random source. */
  random: number;
  /** The last serial number by kind of id. */
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
  /** Idempotency-Key headers, by workspace and header value. */
  submissions: Record<string, Submission>;
  /** Future events, earliest first. */
  schedule: ScheduledEvent[];
  /** E-mails that the service would have sent. */
  mails: Email[];
  /** The state changes of the current call; empty between calls. */
  changes: Change[];
}

/** When jobs complete: after their run time, before the next call, or at the N-th poll. */
export type WorkMode = "time" | "at-once" | `polls:${number}`;

/** The options of `spec/assumptions.json`, `limits` for load tests, and `work` for tests that do not wait. */
export interface Options {
  limits: "text" | "off";
  work: WorkMode;
  rate_window: "fixed" | "sliding" | "token_bucket";
  mcp_rate: "requests" | "calls";
  dedupe_window_minutes: number;
  dedupe_terminal: "completed" | "terminal";
  idempotency_mismatch: "replay" | "conflict";
  run_findings: "timed" | "always" | "none";
  dispatch_seconds: number;
}

/** The limits of a plan. A cap of null means unlimited. */
export interface Plan {
  workflows: WorkflowName[];
  repo_cap: number | null;
}

/** The usual run time and cost of a workflow, before jitter. */
export interface RunProfile {
  seconds: number;
  cost_usd: number;
}

/** The repositories that the code host does not serve. An entry is `owner/repo/branch`, or `owner/repo` for every branch. */
export interface CodeHost {
  private: string[];
  gone: string[];
  /** While set, registrations cannot be verified: 503, with Retry-After unless null. */
  outage: { retry_after: number | null } | null;
}

/** A customer's workspace. Every row below belongs to one, and no other workspace can see it. */
export interface Workspace {
  id: string;
  plan: PlanName;
  state: "active" | "suspended";
  /** The time of the suspension; web sessions may read for 30 days after it. */
  suspended_at: number | null;
  credit_usd: number;
  hourly_ceiling_usd: number | null;
  spend_paused: boolean;
  /** Enabled private beta features: `task`, `suggest`. */
  features: string[];
  /** Entitlements in addition to the plan's: `openapi`. */
  entitlements: string[];
  /** Overrides the plan's cap unless null. */
  repo_cap: number | null;
  settings: Record<string, unknown>;
}

/** A web-app session: its cookie and its role. */
export interface Session {
  id: string;
  token: string;
  workspace: string;
  role: "owner" | "admin" | "member";
}

/** An API key. It is live until revoked or expired. */
export interface Key {
  id: string;
  token: string;
  name: string;
  workspace: string;
  scopes: Scope[];
  /** The creator's permissions beyond scopes: `delete_repo`. */
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
  /** Free-form content that the discovery and knowledge routes show: plain JSON. */
  discovery: { path: string; title: string; body: string }[];
  knowledge: { profile: Record<string, unknown>; principles: string[]; conventions: string[]; open_directives: string[] };
  /** Discovery docs that agents reported as read, newest last. */
  doc_reads?: { path: string; at: number }[];
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  serial: number;
}

/** The status of a job; JOB-FIELD-STATUS. */
export type JobStatus = EnumValue<"JobStatus">;

/** One run of a workflow on a repository. Nested values are replaced, never modified, because copies of a world share them. */
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
  /** Equal for submissions that soft dedupe matches. */
  fingerprint: string;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  finished_at: number | null;
  /** Run time, set at submission, so that it depends on the seed alone. */
  seconds: number;
  cost_usd: number;
  retry_of: string | null;
  /** The newest retry of this job. */
  retried_by: string | null;
  /** The fix attempt that the job works on. */
  attempt: string | null;
  error: string | null;
  failure_classification: string | null;
  fix_pr_url: string | null;
  /** The number of polls so far, under `polls:N`. */
  polls?: number;
}

/** The status of an observation; OBS-FIELD-STATUS. */
export type ObservationStatus = EnumValue<"ObservationStatus">;
/** Why an observation is closed; OBS-FIELD-CLOSE-ENUM. */
export type CloseReason = EnumValue<"CloseReason">;

/**
 * A result that the service found in a repository. Nested values are replaced, never modified, because copies of a world share
 * them.
 */
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
  /** The newest fix PR. `has_fix_pr` is true once there has ever been one. */
  fix_pr: Readonly<{ url: string; status: "in_review" | "revising" | "merged" | "closed" }> | null;
  locations: readonly Readonly<{ file_path: string; symbol: string | null; line_start: number; line_end: number }>[];
}

/** One attempt at fixing an observation. */
export interface FixAttempt {
  id: string;
  observation: string;
  job: string;
  created_at: number;
}

/** The counters of one rate limit. `Options.rate_window` decides which fields are used. */
export interface RateWindow {
  /** fixed: the start of the window. token bucket: the time at which `tokens` was counted. */
  since: number;
  /** fixed: the number of requests in the window. */
  used: number;
  /** token bucket: the tokens left, in the unit of buckets.ts. */
  tokens: number;
  /** sliding: the time of each counted request, oldest first. */
  passed: number[];
}

/** The spending of one hour, which began at `since`. */
export interface SpendWindow {
  since: number;
  spent_usd: number;
}

/** The job that an Idempotency-Key names, and the time of its first use. */
export interface Submission {
  job: string;
  at: number;
  fingerprint: string;
}

/** An event that the service will cause by itself, with its time. */
export type ScheduledEvent = { at: number; serial: number } & (EventDetails | JobsFinish);
/** The end of several jobs that started together, in the order in which they started. */
export type JobsFinish = { event: "finish-job"; jobs: string[] };
/** The kinds of scheduled events. */
export type EventDetails =
  | { event: "dispatch" }
  | { event: "finish-job"; job: string }
  | { event: "enqueue-discovery"; repo: string }
  | { event: "warn-key-expiry"; key: string };

/** An e-mail that the service would have sent. */
export interface Email {
  at: number;
  to: string;
  subject: string;
}

/** A state change of one row, or the same change of several rows, as the journal and the clock report it. */
export type Change = {
  at: number;
  kind: "job" | "observation" | "repo" | "key" | "workspace" | "mail";
  from: string | null;
  to: string;
} & ({ id: string } | { ids: readonly string[] });

/** Records a state change for the journal. */
export function recordChange(world: World, kind: Change["kind"], id: string, from: string | null, to: string): void {
  world.changes.push({ at: world.now, kind, id, from, to });
}

/** Records the same state change of several rows, in order. */
export function recordChanges(world: World, kind: Change["kind"], ids: readonly string[], from: string | null, to: string): void {
  if (ids.length > 0) world.changes.push({ at: world.now, kind, ids, from, to });
}
