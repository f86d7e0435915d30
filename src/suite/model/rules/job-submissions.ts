import { isInFlight, type JobStatus, jobStatuses, submitTransition } from "../../statements/jobs.js";
import { workflowStatement } from "../../statements/workflows.js";
import {
  acceptance,
  type Branch,
  billingRefusals,
  containsNone,
  notFound,
  refusalRules,
  requirement,
  validationError,
} from "./branch.js";
import { openOutcome } from "./callers.js";
import { isReused, rememberedJobs, withKeyed, withUncertainKey } from "./idempotency.js";
import { addressOf } from "./repository-address.js";
import type { ModelRequest } from "./request.js";
import { type Job, type States, withJob, withRepository } from "./states.js";
import { isRecent } from "./time.js";

/** Returns a text that identifies the work of a submission. */
export function workOf(states: States, { repo = "repo", with: body }: ModelRequest): string {
  return JSON.stringify([repo, body?.workflow, body?.params ?? {}, states.repos[repo]?.head ?? 0]);
}

/** Returns the outcomes of submitting a job: JOB-SUBMIT-*, DEDUPE-*, IDEMPOTENCY-*, WORKFLOW-*. */
export function submitJob(states: States, request: ModelRequest): Branch[] {
  const repository = states.repos[request.repo ?? "repo"];
  const there = repository?.registered ?? [false];
  const refusals = invalidSubmission(states, request);
  const nothing = refusals ? refusalRules("REPO-WRITE-UNKNOWN", "4xx") : notFound("REPO-WRITE-UNKNOWN");
  const absent: Branch[] = there.includes(false) ? [{ requirements: nothing, next: states }] : [];
  if (!there.includes(true)) return absent;
  if (repository?.deleted) return [...absent, openOutcome(states, "JOB-SUBMIT-RESPONSE")];
  return [...absent, ...(refusals ? [...refusals, ...unpaidRefusals(states)] : workBranches(states, request))];
}

/** Returns the refusals for missing credit, which may come before any other. */
function unpaidRefusals(states: States): Branch[] {
  return states.broke || states.paused ? billingRefusals(states) : [];
}

/** Returns the refusals of an invalid submission; undefined for a valid one. */
function invalidSubmission(states: States, { flaw, as, with: body }: ModelRequest): Branch[] | undefined {
  const refuse = (rules: Branch["requirements"]): Branch[] => [{ requirements: rules, next: states }];
  // The model sends no params, which a workflow may need. The order of the two refusals is open.
  const params: Branch = { requirements: refusalRules("JOB-SUBMIT-PARAMS-INVALID", 422), next: states, unrelated: true };
  if (flaw === "JOB-SUBMIT-PARAMS-INVALID")
    return refuse([
      ...refusalRules(flaw, 422, { type: "validation_error", code: "invalid_payload" }),
      requirement("JOB-SUBMIT-PARAMS-NOERRORS", {
        json: { errors: { absent: true }, error: { fields: { errors: { absent: true } } } },
      }),
    ]);
  if (flaw !== undefined) return refuse(validationError(flaw));
  const { retired, beta } = workflowStatement(body?.workflow) ?? {};
  if (retired !== undefined) return refuse(refusalRules(retired, 422));
  if (beta !== undefined) {
    if (as === "beta")
      return [
        {
          requirements: [requirement("WORKFLOW-BETA-ENABLED", { body: { not: { contains: "feature_not_enabled" } } })],
          next: states,
        },
      ];
    return [...refuse(refusalRules(beta, 403, { type: "permission_error", code: "feature_not_enabled" })), params];
  }
  if (body?.workflow !== "{binding.workflows.not_on_free}") return undefined;
  return [
    ...refuse([
      ...refusalRules("WORKFLOW-REFUSED-STATUS", 402, { type: "billing_error" }),
      requirement(
        ["WORKFLOW-REFUSED-ALLOWED", "WORKFLOW-ALLOWED-TRUE"],
        allowedWorkflowsText({ not: { contains: "{binding.workflows.not_on_free}" } }),
      ),
      requirement("WORKFLOW-AUDIT-LISTED", allowedWorkflowsText({ contains: "audit" })),
      requirement("WORKFLOW-BETA-UNLISTED", allowedWorkflowsText({ not: { contains: "task" } })),
    ]),
    params,
  ];
}

function allowedWorkflowsText(entries: object) {
  return { json: { error: { details: { allowed_workflows: { type: "array", ...entries } } } } };
}

/** Returns the outcomes of a valid submission: an existing job answers, a new one starts, or credit is missing. */
function workBranches(states: States, request: ModelRequest): Branch[] {
  const requestedWork = workOf(states, request);
  if (isReused(states, request, requestedWork)) return [reusedKey(states, request)];
  const { jobs, certain } = rememberedJobs(states, request);
  const keyed = jobs.map((job) => resultOfJob(states, request, job, "IDEMPOTENCY-MATCH"));
  if (certain) return [...keyed, ...billingRefusals(states)];
  const identicalJobs = Object.keys(states.jobs).filter((name) => mayHaveSameWork(states.jobs[name] as Job, requestedWork));
  const freshStates = identicalJobs.reduce<States | undefined>(
    (knownStates, name) => knownStates && withoutIdenticalJob(knownStates, name, request),
    states,
  );
  const matches = identicalJobs.flatMap((name) => matching(states, name, request));
  const branches = freshStates && !states.broke ? [startedJob(freshStates, request, identicalJobs)] : [];
  return [
    ...branches,
    ...matches,
    ...keyed,
    ...resultOfUnknownJob(states, request),
    ...billingRefusals(states),
    ...possibleRefusal(states, request),
  ];
}

/** Returns the outcome of a known key with other work, which is open. */
function reusedKey(states: States, request: ModelRequest): Branch {
  const next = withRepository(withUncertainKey(states, request), request.repo ?? "repo", { ours: false });
  return openOutcome(next, "IDEMPOTENCY-MATCH");
}

/** Returns the states in which a job of the same work did not answer; undefined when it must have. */
function withoutIdenticalJob(states: States, name: string, request: ModelRequest): States | undefined {
  const job = states.jobs[name] as Job;
  const possible = job.possible.filter((status) => !mustRespond(status, job, states, request));
  return possible.length === 0 ? undefined : withJob(states, name, { possible });
}

/** DEDUPE-INFLIGHT, JOB-SUBMIT-FORCE-INFLIGHT, DEDUPE-COMPLETED */
function mustRespond(status: JobStatus, job: Job, states: States, { query }: ModelRequest): boolean {
  if (hasUnknownCommit(job)) return false;
  return isInFlight(status) || (status === "completed" && isRecent(job, states) && query?.force !== "true");
}

/** Returns whether a job has, or may have, the requested work. */
function mayHaveSameWork(job: Job, requestedWork: string): boolean {
  return (
    job.work === requestedWork || (hasUnknownCommit(job) && workWithoutCommit(job.work) === workWithoutCommit(requestedWork))
  );
}

/** Returns whether the commit of a job is open: a commit was pushed before it ran, or it is a retry. DEDUPE-COMMIT-HEAD, JOB-RETRY-COPY. */
export function hasUnknownCommit({ adrift, retried }: Job): boolean {
  return adrift === true || retried === true;
}

/** Returns the work without its commit. */
export function workWithoutCommit(work: string): string {
  return work.startsWith("[") ? JSON.stringify((JSON.parse(work) as unknown[]).slice(0, -1)) : work;
}

/** Returns the outcomes in which a job of the same work answers. The contract does not show for how long a completed job answers. */
function matching(states: States, name: string, request: ModelRequest): Branch[] {
  const job = states.jobs[name] as Job;
  const clause = (status: JobStatus) =>
    !isInFlight(status) ? "DEDUPE-COMPLETED" : request.query?.force === "true" ? "JOB-SUBMIT-FORCE-INFLIGHT" : "DEDUPE-INFLIGHT";
  return job.possible
    .filter((status) => isInFlight(status) || request.query?.force !== "true")
    .map((status) => resultOfJob(withJob(states, name, { possible: [status] }), request, name, clause(status)));
}

function resultOfJob(states: States, request: ModelRequest, name: string, clause: string): Branch {
  return {
    requirements: [
      acceptance(clause, 200, { contains: `{${name}}` }),
      requirement(clause, { json: { id: `{${name}}` } }),
      ...response(request),
    ],
    next: withKeyed(states, request, { work: workOf(states, request), job: name, status: 200 }),
  };
}

/** Returns the outcome in which an unknown job answers: an earlier one, or one that a registration or another client started. */
function resultOfUnknownJob(states: States, request: ModelRequest): Branch[] {
  const ours = states.fresh && states.repos[request.repo ?? "repo"]?.ours === true && request.with?.workflow !== "discover";
  if (ours) return [];
  const { names } = request;
  const known = names !== undefined && withJob(states, names, newJob(states, request, jobStatuses));
  const next = known
    ? withKeyed(known, request, { work: workOf(states, request), job: names, status: 200 })
    : withUncertainKey(states, request);
  return [
    {
      requirements: [
        acceptance("JOB-SUBMIT-RESPONSE", 200),
        requirement(["JOB-SUBMIT-RESPONSE", ...differences(states, request)], { json: { id: unknown(states) } }),
        ...response(request),
      ],
      next,
      unrelated: true,
    },
  ];
}

function startedJob(states: States, request: ModelRequest, identicalJobs: readonly string[]): Branch {
  const { names = "job" } = request;
  const startedStates = withJob(states, names, newJob(states, request, [submitTransition.to]));
  const clauses =
    identicalJobs.length > 0 && request.query?.force === "true"
      ? ["JOB-SUBMIT-FORCE"]
      : ["JOB-SUBMIT-CREATED", ...differences(states, request)];
  return {
    requirements: [
      acceptance(clauses, 201, containsNone(identicalJobs)),
      requirement(submitTransition.clause, { json: { status: submitTransition.to } }),
      requirement(clauses, { json: { id: unknown(states) } }),
      ...response(request),
    ],
    next: withKeyed(startedStates, request, { work: workOf(states, request), job: names, status: 201 }),
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

/** Returns the clauses of in-flight jobs whose work differs in one part. Such a job must not answer the submission. */
function differences(states: States, request: ModelRequest): string[] {
  const parts = (work: string) => (JSON.parse(work) as unknown[]).map((part) => JSON.stringify(part));
  const requestedWork = parts(workOf(states, request));
  const jobs = Object.values(states.jobs).filter(
    (job) => job.work.startsWith("[") && job.possible.some(isInFlight) && !hasUnknownCommit(job),
  );
  const clauses = jobs.flatMap(({ work }) => {
    const other = parts(work);
    const differing = DIFFERENCES.filter((_, index) => other[index] !== requestedWork[index]);
    return differing.length === 1 ? differing : [];
  });
  return [...new Set(clauses)];
}

function unknown(states: States) {
  return { not: { in: Object.keys(states.jobs).map((name) => `{${name}}`) } };
}

/** Returns a possible refusal of workflows that may need other params or another plan. */
function possibleRefusal(states: States, { with: body }: ModelRequest): Branch[] {
  if (workflowStatement(body?.workflow)?.onEveryPlan || body?.workflow === "discover") return [];
  return [{ requirements: refusalRules("WORKFLOW-PLAN-GATED", [402, 403, 409, 422]), next: states }];
}

/** Returns the requirements of a job response. JOB-SUBMIT-RESPONSE, JOB-FIELD-REPO-NAME. */
function response({ with: body, repo = "repo" }: ModelRequest) {
  return [
    requirement("JOB-SUBMIT-RESPONSE", { json: { id: { type: "string" }, workflow: body?.workflow } }),
    requirement("JOB-FIELD-REPO-NAME", { json: { repo_name: addressOf(repo).slug } }),
  ];
}
