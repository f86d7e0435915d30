import { contract } from "../../contract/load.js";
import type { WorkflowName } from "../../contract/types.js";
import type { Call, Refusal } from "../call.js";
import { refuse } from "../call.js";
import { hashText } from "../world/cursors.js";
import { takeSerial } from "../world/ids-and-timestamps.js";
import { listJobsByFingerprint } from "../world/lookups.js";
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
export function computeFingerprint(repo: Repo, workflow: WorkflowName, params: object, commit = ""): string {
  return hashText(JSON.stringify([repo.id, workflow, sortKeys(params), commit]));
}

/**
 * Returns the job that an Idempotency-Key of the last 24 hours names, or null. With `idempotency_mismatch: conflict` it refuses a
 * key that came with another body. `force` has no effect. IDEMPOTENCY-WINDOW.
 */
export function findReplay(world: World, call: Call, request: SubmissionRequest): Job | { refusal: Refusal } | null {
  const submission = call.idempotencyKey === undefined ? undefined : world.submissions[buildSubmissionKey(call)];
  if (!submission || world.now >= submission.at + idempotencyMs) return null;
  const differs = submission.fingerprint !== computeFingerprint(request.repo, request.workflow, request.params);
  if (differs && world.options.idempotency_mismatch === "conflict") return refuse("idempotency_key_reused");
  return world.jobs[submission.job] ?? null;
}

/**
 * Returns the job that soft dedupe finds for a submission, or null: one in flight, or one that just ended unless `force` is set.
 * JOB-SUBMIT-FORCE.
 */
export function findDuplicate(world: World, request: SubmissionRequest): Job | null {
  const matches = listJobsByFingerprint(world, request.fingerprint);
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
    fingerprint: computeFingerprint(request.repo, request.workflow, request.params),
  };
  world.submissions[buildSubmissionKey(call)] = submission;
  if (takeSerial(world, "submission") % cleanupInterval === 0) deleteExpired(world);
}

/** Deletes expired keys, so that a long-running world keeps only those of the last day. IDEMPOTENCY-WINDOW. */
function deleteExpired(world: World): void {
  for (const [name, { at }] of Object.entries(world.submissions))
    if (world.now >= at + idempotencyMs) delete world.submissions[name];
}

function isInDedupeScope(world: World, job: Job): boolean {
  return job.status === "completed" || world.options.dedupe_terminal === "terminal";
}

function buildSubmissionKey(call: Call): string {
  return `${call.caller.workspace.id} ${call.idempotencyKey}`;
}

/** Returns the value with sorted object keys. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, sortKeys(inner)]);
}
