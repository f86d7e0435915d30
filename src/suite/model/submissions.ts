import { isInFlight, type JobStatus, jobStatuses, submitTransition } from "../statements/jobs.js";
import { workflowStatement } from "../statements/workflows.js";
import { accepted, type Branch, invalid, must, namesNone, notFound, refused } from "./branch.js";
import { unsaid } from "./callers.js";
import { isReused, rememberedJobs, withKeyed, withKeyInDoubt } from "./idempotency.js";
import { placeOf } from "./place.js";
import type { ModelRequest } from "./request.js";
import { billed } from "./spending.js";
import { type Job, type States, withJob, withRepository } from "./states.js";
import { isRecent } from "./time.js";

/** What tells one submission's work from another's. */
export function workOf(states: States, { repo = "repo", with: body }: ModelRequest): string {
  return JSON.stringify([repo, body?.workflow, body?.params ?? {}, states.repos[repo]?.head ?? 0]);
}

/** How submitting a job may come out: JOB-SUBMIT-*, DEDUPE-*, IDEMPOTENCY-*, WORKFLOW-*. */
export function submitJob(states: States, request: ModelRequest): Branch[] {
  const repository = states.repos[request.repo ?? "repo"];
  const there = repository?.registered ?? [false];
  const refusals = wrong(states, request);
  const nothing = refusals ? refused("REPO-WRITE-UNKNOWN", "4xx") : notFound("REPO-WRITE-UNKNOWN");
  const absent: Branch[] = there.includes(false) ? [{ must: nothing, next: states }] : [];
  if (!there.includes(true)) return absent;
  if (repository?.deleted) return [...absent, unsaid(states, "JOB-SUBMIT-RESPONSE")];
  return [...absent, ...(refusals ? [...refusals, ...unpaid(states)] : work(states, request))];
}

/** Where nothing is paid for, that refusal may come before any other. */
function unpaid(states: States): Branch[] {
  return states.broke || states.paused ? billed(states) : [];
}

/** Submissions that are refused for what they ask. */
function wrong(states: States, { flaw, as, with: body }: ModelRequest): Branch[] | undefined {
  const refuse = (rules: Branch["must"]): Branch[] => [{ must: rules, next: states }];
  if (flaw === "JOB-SUBMIT-PARAMS-INVALID")
    return refuse([
      ...refused(flaw, 422, { type: "validation_error", code: "invalid_payload" }),
      must("JOB-SUBMIT-PARAMS-NOERRORS", { json: { errors: { absent: true }, error: { fields: { errors: { absent: true } } } } }),
    ]);
  if (flaw !== undefined) return refuse(invalid(flaw));
  const { retired, beta } = workflowStatement(body?.workflow) ?? {};
  if (retired !== undefined) return refuse(refused(retired, 422));
  if (beta !== undefined) {
    if (as === "beta")
      return [{ must: [must("WORKFLOW-BETA-ENABLED", { body: { not: { contains: "feature_not_enabled" } } })], next: states }];
    return refuse(refused(beta, 403, { type: "permission_error", code: "feature_not_enabled" }));
  }
  if (body?.workflow !== "{binding.workflows.not_on_free}") return undefined;
  return refuse([
    ...refused("WORKFLOW-REFUSED-STATUS", 402, { type: "billing_error" }),
    must(["WORKFLOW-REFUSED-ALLOWED", "WORKFLOW-ALLOWED-TRUE"], listed({ not: { contains: "{binding.workflows.not_on_free}" } })),
    must("WORKFLOW-AUDIT-LISTED", listed({ contains: "audit" })),
    must("WORKFLOW-BETA-UNLISTED", listed({ not: { contains: "task" } })),
  ]);
}

function listed(entries: object) {
  return { json: { error: { details: { allowed_workflows: { type: "array", ...entries } } } } };
}

/** A submission of work: something that is there already answers for it, or it is new, or it is not paid for. */
function work(states: States, request: ModelRequest): Branch[] {
  const asked = workOf(states, request);
  if (isReused(states, request, asked)) return [reused(states, request)];
  const { jobs, certain } = rememberedJobs(states, request);
  const keyed = jobs.map((job) => answeredBy(states, request, job, "IDEMPOTENCY-MATCH"));
  if (certain) return [...keyed, ...billed(states)];
  const twins = Object.keys(states.jobs).filter((name) => mayBeSame(states.jobs[name] as Job, asked));
  const fresh = twins.reduce<States | undefined>((known, name) => known && withoutTwin(known, name, request), states);
  const matches = twins.flatMap((name) => matching(states, name, request));
  const anew = fresh && !states.broke ? [startedAnew(fresh, request, twins)] : [];
  return [
    ...anew,
    ...matches,
    ...keyed,
    ...answeredByStranger(states, request),
    ...billed(states),
    ...perhapsRefused(states, request),
  ];
}

/** A key that comes again with other work: what that answers, and whether it starts a job, is not stated. */
function reused(states: States, request: ModelRequest): Branch {
  const next = withRepository(withKeyInDoubt(states, request), request.repo ?? "repo", { ours: false });
  return unsaid(next, "IDEMPOTENCY-MATCH");
}

/** What is known when a job of the same work did not answer for it; undefined when it must have. */
function withoutTwin(states: States, name: string, request: ModelRequest): States | undefined {
  const job = states.jobs[name] as Job;
  const possible = job.possible.filter((status) => !mustMatch(status, job, states, request));
  return possible.length === 0 ? undefined : withJob(states, name, { possible });
}

/** DEDUPE-INFLIGHT, JOB-SUBMIT-FORCE-INFLIGHT, DEDUPE-COMPLETED */
function mustMatch(status: JobStatus, job: Job, states: States, { query }: ModelRequest): boolean {
  if (isOfSomeCommit(job)) return false;
  return isInFlight(status) || (status === "completed" && isRecent(job, states) && query?.force !== "true");
}

/** Whether a job is the work that is asked for, or may be. */
function mayBeSame(job: Job, asked: string): boolean {
  return job.work === asked || (isOfSomeCommit(job) && besideCommit(job.work) === besideCommit(asked));
}

/** DEDUPE-COMMIT-HEAD, JOB-RETRY-COPY: which commit a job is of is not said where the branch moved before it ran, nor of a retry. */
export function isOfSomeCommit({ adrift, retried }: Job): boolean {
  return adrift === true || retried === true;
}

/** What tells work apart, the commit left out. */
export function besideCommit(work: string): string {
  return work.startsWith("[") ? JSON.stringify((JSON.parse(work) as unknown[]).slice(0, -1)) : work;
}

/** The ways in which a job of the same work answers. How long an ended one does, and of which kind, is not shown. */
function matching(states: States, name: string, request: ModelRequest): Branch[] {
  const job = states.jobs[name] as Job;
  const clause = (status: JobStatus) =>
    !isInFlight(status) ? "DEDUPE-COMPLETED" : request.query?.force === "true" ? "JOB-SUBMIT-FORCE-INFLIGHT" : "DEDUPE-INFLIGHT";
  return job.possible
    .filter((status) => isInFlight(status) || request.query?.force !== "true")
    .map((status) => answeredBy(withJob(states, name, { possible: [status] }), request, name, clause(status)));
}

function answeredBy(states: States, request: ModelRequest, name: string, clause: string): Branch {
  return {
    must: [accepted(clause, 200, { contains: `{${name}}` }), must(clause, { json: { id: `{${name}}` } }), ...response(request)],
    next: withKeyed(states, request, { work: workOf(states, request), job: name, status: 200 }),
  };
}

/** A job that was there before us may be the same work, and one that a registration or somebody else has started. */
function answeredByStranger(states: States, request: ModelRequest): Branch[] {
  const ours = states.fresh && states.repos[request.repo ?? "repo"]?.ours === true && request.with?.workflow !== "discover";
  if (ours) return [];
  const { names } = request;
  const known = names !== undefined && withJob(states, names, newJob(states, request, jobStatuses));
  const next = known
    ? withKeyed(known, request, { work: workOf(states, request), job: names, status: 200 })
    : withKeyInDoubt(states, request);
  return [
    {
      must: [
        accepted("JOB-SUBMIT-RESPONSE", 200),
        must(["JOB-SUBMIT-RESPONSE", ...differences(states, request)], { json: { id: unknown(states) } }),
        ...response(request),
      ],
      next,
      aside: true,
    },
  ];
}

function startedAnew(states: States, request: ModelRequest, twins: readonly string[]): Branch {
  const { names = "job" } = request;
  const started = withJob(states, names, newJob(states, request, [submitTransition.to]));
  const clauses =
    twins.length > 0 && request.query?.force === "true"
      ? ["JOB-SUBMIT-FORCE"]
      : ["JOB-SUBMIT-CREATED", ...differences(states, request)];
  return {
    must: [
      accepted(clauses, 201, namesNone(twins)),
      must(submitTransition.clause, { json: { status: submitTransition.to } }),
      must(clauses, { json: { id: unknown(states) } }),
      ...response(request),
    ],
    next: withKeyed(started, request, { work: workOf(states, request), job: names, status: 201 }),
  };
}

function newJob(states: States, request: ModelRequest, possible: readonly JobStatus[]): Job {
  const workflow = String(request.with?.workflow);
  return {
    repo: request.repo ?? "repo",
    workflow,
    work: workOf(states, request),
    possible,
    because: ["JOB-STATE-INITIAL", "JOB-STATE-FORWARD"],
    ...(request.ref !== undefined && { ref: request.ref }),
  };
}

const DIFFERENCES = ["DEDUPE-REPO-DIFFERS", "DEDUPE-WORKFLOW-DIFFERS", "DEDUPE-PARAMS-DIFFER", "DEDUPE-COMMIT-DIFFERS"];

/** The clauses by which jobs in flight that differ from the work in one thing only do not answer for it. */
function differences(states: States, request: ModelRequest): string[] {
  const parts = (work: string) => (JSON.parse(work) as unknown[]).map((part) => JSON.stringify(part));
  const asked = parts(workOf(states, request));
  const running = Object.values(states.jobs).filter(
    (job) => job.work.startsWith("[") && job.possible.some(isInFlight) && !isOfSomeCommit(job),
  );
  const clauses = running.flatMap(({ work }) => {
    const other = parts(work);
    const differing = DIFFERENCES.filter((_, index) => other[index] !== asked[index]);
    return differing.length === 1 ? differing : [];
  });
  return [...new Set(clauses)];
}

function unknown(states: States) {
  return { not: { in: Object.keys(states.jobs).map((name) => `{${name}}`) } };
}

/** Workflows that may want params of their own, or another plan. */
function perhapsRefused(states: States, { with: body }: ModelRequest): Branch[] {
  if (workflowStatement(body?.workflow)?.onEveryPlan || body?.workflow === "discover") return [];
  return [{ must: refused("WORKFLOW-PLAN-GATED", [402, 403, 409, 422]), next: states }];
}

/** JOB-SUBMIT-RESPONSE, JOB-FIELD-REPO-NAME: what is answered is the job that was asked for. */
function response({ with: body, repo = "repo" }: ModelRequest) {
  return [
    must("JOB-SUBMIT-RESPONSE", { json: { id: { type: "string" }, workflow: body?.workflow } }),
    must("JOB-FIELD-REPO-NAME", { json: { repo_name: placeOf(repo).slug } }),
  ];
}
