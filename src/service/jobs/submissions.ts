import { contract } from "../../contract/load.js";
import type { WorkflowName } from "../../contract/types.js";
import type { Call, Refusal } from "../call.js";
import { refuse } from "../call.js";
import { fingerprint } from "../world/cursors.js";
import { jobsByFingerprint } from "../world/lookups.js";
import { nextSerial } from "../world/stamps.js";
import type { Job, Repo, Submission, World } from "../world/world.js";

const idempotencyMs = contract.limits.windows.idempotency_seconds * 1000;
/** How many keys come between one look for old ones and the next. */
const forgetsAfter = 100;

/** One submission of work: what is asked, by which call. */
export interface SubmissionRequest {
  repo: Repo;
  workflow: WorkflowName;
  params: Record<string, unknown>;
  force: boolean;
}

/** Equal for the same workflow with the same parameters on the same repository (and commit, where one is given). */
export function submissionFingerprint(repo: Repo, workflow: WorkflowName, params: object, commit = ""): string {
  return fingerprint(JSON.stringify([repo.id, workflow, canonical(params), commit]));
}

/**
 * The job that an Idempotency-Key of the last 24 hours stands for, a refusal for a key sent with another body (only under that switch),
 * or null. IDEMPOTENCY-WINDOW; `force` does not matter.
 */
export function replayed(world: World, call: Call, request: SubmissionRequest): Job | { refusal: Refusal } | null {
  const seen = call.idempotencyKey === undefined ? undefined : world.submissions[submissionKey(call)];
  if (!seen || world.now >= seen.at + idempotencyMs) return null;
  const differs = seen.fingerprint !== submissionFingerprint(request.repo, request.workflow, request.params);
  if (differs && world.options.idempotency_mismatch === "conflict") return refuse("idempotency_key_reused");
  return world.jobs[seen.job] ?? null;
}

/** The job that soft dedupe gives for a submission: one in flight always; one just ended unless `force`. JOB-SUBMIT-FORCE. */
export function deduplicated(world: World, request: SubmissionRequest): Job | null {
  const twins = jobsByFingerprint(
    world,
    submissionFingerprint(request.repo, request.workflow, request.params, request.repo.head_commit),
  );
  const inFlight = twins.findLast((job) => job.finished_at === null);
  if (inFlight || request.force) return inFlight ?? null;
  const windowMs = world.options.dedupe_window_minutes * 60_000;
  return twins.findLast((job) => countsAsDone(world, job) && world.now < (job.finished_at ?? 0) + windowMs) ?? null;
}

/** Remembers which job an Idempotency-Key stands for. The first use counts: no renewal inside the window. */
export function remember(world: World, call: Call, request: SubmissionRequest, job: Job): void {
  if (call.idempotencyKey === undefined) return;
  const submission: Submission = {
    job: job.id,
    at: world.now,
    fingerprint: submissionFingerprint(request.repo, request.workflow, request.params),
  };
  world.submissions[submissionKey(call)] = submission;
  if (nextSerial(world, "submission") % forgetsAfter === 0) forgetOld(world);
}

/** Lets go of the keys that stand for nothing any more, so that a world that runs for long keeps a day of them. IDEMPOTENCY-WINDOW. */
function forgetOld(world: World): void {
  for (const [name, { at }] of Object.entries(world.submissions))
    if (world.now >= at + idempotencyMs) delete world.submissions[name];
}

function countsAsDone(world: World, job: Job): boolean {
  return job.status === "completed" || world.options.dedupe_terminal === "terminal";
}

function submissionKey(call: Call): string {
  return `${call.caller.workspace.id} ${call.idempotencyKey}`;
}

/** The same value with every object's keys in one order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, canonical(inner)]);
}
