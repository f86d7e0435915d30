import { contract } from "../../contract/load.js";
import type { WorkflowName } from "../../contract/types.js";
import type { Call, Refusal } from "../call.js";
import { refuse } from "../call.js";
import { fingerprint } from "../world/cursors.js";
import { nextSerial } from "../world/ids-and-timestamps.js";
import { jobsByFingerprint } from "../world/lookups.js";
import type { Job, Repo, Submission, World } from "../world/world.js";

const idempotencyMs = contract.limits.windows.idempotency_seconds * 1000;
/** Expired keys are deleted after this many new keys. */
const cleanupInterval = 100;

/** The work that a call submits. */
export interface SubmissionRequest {
  repo: Repo;
  workflow: WorkflowName;
  params: Record<string, unknown>;
  /** Equal for submissions that soft dedupe matches. */
  fingerprint: string;
  force: boolean;
}

/** Returns a fingerprint that is equal for equal workflow, params, repository and commit (if given). */
export function submissionFingerprint(repo: Repo, workflow: WorkflowName, params: object, commit = ""): string {
  return fingerprint(JSON.stringify([repo.id, workflow, canonical(params), commit]));
}

/**
 * Returns the job that an Idempotency-Key of the last 24 hours names, or null. With `idempotency_mismatch: conflict` it refuses a
 * key that came with another body. `force` has no effect. IDEMPOTENCY-WINDOW.
 */
export function findReplay(world: World, call: Call, request: SubmissionRequest): Job | { refusal: Refusal } | null {
  const submission = call.idempotencyKey === undefined ? undefined : world.submissions[submissionKey(call)];
  if (!submission || world.now >= submission.at + idempotencyMs) return null;
  const differs = submission.fingerprint !== submissionFingerprint(request.repo, request.workflow, request.params);
  if (differs && world.options.idempotency_mismatch === "conflict") return refuse("idempotency_key_reused");
  return world.jobs[submission.job] ?? null;
}

/**
 * Returns the job that soft dedupe finds for a submission, or null: one in flight, or one that just ended unless `force` is set.
 * JOB-SUBMIT-FORCE.
 */
export function findDuplicate(world: World, request: SubmissionRequest): Job | null {
  const matches = jobsByFingerprint(world, request.fingerprint);
  const inFlight = matches.findLast((job) => job.finished_at === null);
  if (inFlight || request.force) return inFlight ?? null;
  const windowMs = world.options.dedupe_window_minutes * 60_000;
  return matches.findLast((job) => isInDedupeScope(world, job) && world.now < (job.finished_at ?? 0) + windowMs) ?? null;
}

/** Stores the job of an Idempotency-Key. A repeat does not extend the window. */
export function rememberSubmission(world: World, call: Call, request: SubmissionRequest, job: Job): void {
  if (call.idempotencyKey === undefined) return;
  const submission: Submission = {
    job: job.id,
    at: world.now,
    fingerprint: submissionFingerprint(request.repo, request.workflow, request.params),
  };
  world.submissions[submissionKey(call)] = submission;
  if (nextSerial(world, "submission") % cleanupInterval === 0) deleteExpired(world);
}

/** Deletes expired keys, so that a long-running world keeps only those of the last day. IDEMPOTENCY-WINDOW. */
function deleteExpired(world: World): void {
  for (const [name, { at }] of Object.entries(world.submissions))
    if (world.now >= at + idempotencyMs) delete world.submissions[name];
}

function isInDedupeScope(world: World, job: Job): boolean {
  return job.status === "completed" || world.options.dedupe_terminal === "terminal";
}

function submissionKey(call: Call): string {
  return `${call.caller.workspace.id} ${call.idempotencyKey}`;
}

/** Returns the value with sorted object keys. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, canonical(inner)]);
}
