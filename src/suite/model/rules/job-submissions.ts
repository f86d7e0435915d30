import { isInFlight, type JobStatus, jobStatuses, submitTransition } from "../../statements/jobs.js";
import { findWorkflowStatement } from "../../statements/workflows.js";
import {
  type Branch,
  containsNone,
  createAcceptance,
  createRefusalRules,
  createRequirement,
  expectNotFound,
  expectValidationError,
  listBillingRefusals,
} from "./branch.js";
import { openOutcome } from "./callers.js";
import { addKeyed, addUncertainKey, findRememberedJobs, isReused } from "./idempotency.js";
import { findAddress } from "./repository-address.js";
import type { ModelRequest } from "./request.js";
import { changeJob, changeRepository, type Job, type States } from "./states.js";
import { isRecent } from "./time.js";

/** Returns a text that identifies the work of a submission. */
export function nameWork(states: States, { repo = "repo", with: body }: ModelRequest): string {
  return JSON.stringify([repo, body?.workflow, body?.params ?? {}, states.repos[repo]?.head ?? 0]);
}

/** Returns the outcomes of submitting a job: JOB-SUBMIT-*, DEDUPE-*, IDEMPOTENCY-*, WORKFLOW-*. */
export function submitJob(states: States, request: ModelRequest): Branch[] {
  const repository = states.repos[request.repo ?? "repo"];
  const there = repository?.registered ?? [false];
  const refusals = findInvalidSubmission(states, request);
  const nothing = refusals ? createRefusalRules("REPO-WRITE-UNKNOWN", "4xx") : expectNotFound("REPO-WRITE-UNKNOWN");
  const absent: Branch[] = there.includes(false) ? [{ requirements: nothing, next: states }] : [];
  if (!there.includes(true)) return absent;
  if (repository?.deleted) return [...absent, openOutcome(states, "JOB-SUBMIT-RESPONSE")];
  return [...absent, ...(refusals ? [...refusals, ...listUnpaidRefusals(states)] : listWorkBranches(states, request))];
}

/** Returns the refusals for missing credit, which may come before any other. */
function listUnpaidRefusals(states: States): Branch[] {
  return states.broke || states.paused ? listBillingRefusals(states) : [];
}

/** Returns the refusals of an invalid submission; undefined for a valid one. */
function findInvalidSubmission(states: States, { flaw, as, with: body }: ModelRequest): Branch[] | undefined {
  const refuse = (rules: Branch["requirements"]): Branch[] => [{ requirements: rules, next: states }];
  // The model sends no params, which a workflow may need. The order of the two refusals is open.
  const params: Branch = { requirements: createRefusalRules("JOB-SUBMIT-PARAMS-INVALID", 422), next: states, unrelated: true };
  if (flaw === "JOB-SUBMIT-PARAMS-INVALID")
    return refuse([
      ...createRefusalRules(flaw, 422, { type: "validation_error", code: "invalid_payload" }),
      createRequirement("JOB-SUBMIT-PARAMS-NOERRORS", {
        json: { errors: { absent: true }, error: { fields: { errors: { absent: true } } } },
      }),
    ]);
  if (flaw !== undefined) return refuse(expectValidationError(flaw));
  const { retired, beta } = findWorkflowStatement(body?.workflow) ?? {};
  if (retired !== undefined) return refuse(createRefusalRules(retired, 422));
  if (beta !== undefined) {
    if (as === "beta")
      return [
        {
          requirements: [createRequirement("WORKFLOW-BETA-ENABLED", { body: { not: { contains: "feature_not_enabled" } } })],
          next: states,
        },
      ];
    return [...refuse(createRefusalRules(beta, 403, { type: "permission_error", code: "feature_not_enabled" })), params];
  }
  if (body?.workflow !== "{binding.workflows.not_on_free}") return undefined;
  return [
    ...refuse([
      ...createRefusalRules("WORKFLOW-REFUSED-STATUS", 402, { type: "billing_error" }),
      createRequirement(
        ["WORKFLOW-REFUSED-ALLOWED", "WORKFLOW-ALLOWED-TRUE"],
        expectAllowedWorkflows({ not: { contains: "{binding.workflows.not_on_free}" } }),
      ),
      createRequirement("WORKFLOW-AUDIT-LISTED", expectAllowedWorkflows({ contains: "audit" })),
      createRequirement("WORKFLOW-BETA-UNLISTED", expectAllowedWorkflows({ not: { contains: "task" } })),
    ]),
    params,
  ];
}

function expectAllowedWorkflows(entries: object) {
  return { json: { error: { details: { allowed_workflows: { type: "array", ...entries } } } } };
}

/** Returns the outcomes of a valid submission: an existing job answers, a new one starts, or credit is missing. */
function listWorkBranches(states: States, request: ModelRequest): Branch[] {
  const requestedWork = nameWork(states, request);
  if (isReused(states, request, requestedWork)) return [refuseReusedKey(states, request)];
  const { jobs, certain } = findRememberedJobs(states, request);
  const keyed = jobs.map((job) => createJobBranch(states, request, job, "IDEMPOTENCY-MATCH"));
  if (certain) return [...keyed, ...listBillingRefusals(states)];
  const identicalJobs = Object.keys(states.jobs).filter((name) => mayHaveSameWork(states.jobs[name] as Job, requestedWork));
  const freshStates = identicalJobs.reduce<States | undefined>(
    (knownStates, name) => knownStates && removeIdenticalJob(knownStates, name, request),
    states,
  );
  const matches = identicalJobs.flatMap((name) => listMatching(states, name, request));
  const branches = freshStates && !states.broke ? [startJob(freshStates, request, identicalJobs)] : [];
  return [
    ...branches,
    ...matches,
    ...keyed,
    ...listUnknownJobBranches(states, request),
    ...listBillingRefusals(states),
    ...listPossibleRefusals(states, request),
  ];
}

/** Returns the outcome of a known key with other work, which is open. */
function refuseReusedKey(states: States, request: ModelRequest): Branch {
  const next = changeRepository(addUncertainKey(states, request), request.repo ?? "repo", { ours: false });
  return openOutcome(next, "IDEMPOTENCY-MATCH");
}

/** Returns the states in which no job of the same work answered; undefined if one must have answered. */
function removeIdenticalJob(states: States, name: string, request: ModelRequest): States | undefined {
  const job = states.jobs[name] as Job;
  const possible = job.possible.filter((status) => !requireResponse(status, job, states, request));
  return possible.length === 0 ? undefined : changeJob(states, name, { possible });
}

/** DEDUPE-INFLIGHT, JOB-SUBMIT-FORCE-INFLIGHT, DEDUPE-COMPLETED */
function requireResponse(status: JobStatus, job: Job, states: States, { query }: ModelRequest): boolean {
  if (hasUnknownCommit(job)) return false;
  return isInFlight(status) || (status === "completed" && isRecent(job, states) && query?.force !== "true");
}

/** Returns whether a job has, or may have, the requested work. */
function mayHaveSameWork(job: Job, requestedWork: string): boolean {
  return job.work === requestedWork || (hasUnknownCommit(job) && removeCommit(job.work) === removeCommit(requestedWork));
}

/** Returns whether the commit of a job is open: a commit was pushed before it ran, or it is a retry. DEDUPE-COMMIT-HEAD, JOB-RETRY-COPY. */
export function hasUnknownCommit({ adrift, retried }: Job): boolean {
  return adrift === true || retried === true;
}

/** Returns the work without its commit. */
export function removeCommit(requestedJob: string): string {
  return requestedJob.startsWith("[") ? JSON.stringify((JSON.parse(requestedJob) as unknown[]).slice(0, -1)) : requestedJob;
}

/** Returns the outcomes in which a job of the same work answers. The contract does not show for how long a completed job answers. */
function listMatching(states: States, name: string, request: ModelRequest): Branch[] {
  const job = states.jobs[name] as Job;
  const clause = (status: JobStatus) =>
    !isInFlight(status) ? "DEDUPE-COMPLETED" : request.query?.force === "true" ? "JOB-SUBMIT-FORCE-INFLIGHT" : "DEDUPE-INFLIGHT";
  return job.possible
    .filter((status) => isInFlight(status) || request.query?.force !== "true")
    .map((status) => createJobBranch(changeJob(states, name, { possible: [status] }), request, name, clause(status)));
}

function createJobBranch(states: States, request: ModelRequest, name: string, clause: string): Branch {
  return {
    requirements: [
      createAcceptance(clause, 200, { contains: `{${name}}` }),
      createRequirement(clause, { json: { id: `{${name}}` } }),
      ...expectResponse(request),
    ],
    next: addKeyed(states, request, { work: nameWork(states, request), job: name, status: 200 }),
  };
}

/** Returns the outcome in which an unknown job answers: an earlier one, or one that a registration or another client started. */
function listUnknownJobBranches(states: States, request: ModelRequest): Branch[] {
  const ours = states.fresh && states.repos[request.repo ?? "repo"]?.ours === true && request.with?.workflow !== "discover";
  if (ours) return [];
  const { names } = request;
  const known = names !== undefined && changeJob(states, names, createJob(states, request, jobStatuses));
  const next = known
    ? addKeyed(known, request, { work: nameWork(states, request), job: names, status: 200 })
    : addUncertainKey(states, request);
  return [
    {
      requirements: [
        createAcceptance("JOB-SUBMIT-RESPONSE", 200),
        createRequirement(["JOB-SUBMIT-RESPONSE", ...listDifferences(states, request)], {
          json: { id: expectUnknownId(states) },
        }),
        ...expectResponse(request),
      ],
      next,
      unrelated: true,
    },
  ];
}

function startJob(states: States, request: ModelRequest, identicalJobs: readonly string[]): Branch {
  const { names = "job" } = request;
  const startedStates = changeJob(states, names, createJob(states, request, [submitTransition.to]));
  const clauses =
    identicalJobs.length > 0 && request.query?.force === "true"
      ? ["JOB-SUBMIT-FORCE"]
      : ["JOB-SUBMIT-CREATED", ...listDifferences(states, request)];
  return {
    requirements: [
      createAcceptance(clauses, 201, containsNone(identicalJobs)),
      createRequirement(submitTransition.clause, { json: { status: submitTransition.to } }),
      createRequirement(clauses, { json: { id: expectUnknownId(states) } }),
      ...expectResponse(request),
    ],
    next: addKeyed(startedStates, request, { work: nameWork(states, request), job: names, status: 201 }),
  };
}

function createJob(states: States, request: ModelRequest, possible: readonly JobStatus[]): Job {
  const workflow = String(request.with?.workflow);
  return {
    repo: request.repo ?? "repo",
    workflow,
    work: nameWork(states, request),
    possible,
    because: ["JOB-STATE-INITIAL", "JOB-STATE-FORWARD"],
    ...(request.ref !== undefined && { ref: request.ref }),
  };
}

const DIFFERENCE_CLAUSES = ["DEDUPE-REPO-DIFFERS", "DEDUPE-WORKFLOW-DIFFERS", "DEDUPE-PARAMS-DIFFER", "DEDUPE-COMMIT-DIFFERS"];

/** Returns the clauses of in-flight jobs whose work differs in one part. Such a job must not answer the submission. */
function listDifferences(states: States, request: ModelRequest): string[] {
  const parts = (requestedJob: string) => (JSON.parse(requestedJob) as unknown[]).map((part) => JSON.stringify(part));
  const requestedWork = parts(nameWork(states, request));
  const jobs = Object.values(states.jobs).filter(
    (job) => job.work.startsWith("[") && job.possible.some(isInFlight) && !hasUnknownCommit(job),
  );
  const clauses = jobs.flatMap(({ work: requestedJob }) => {
    const other = parts(requestedJob);
    const differing = DIFFERENCE_CLAUSES.filter((_, index) => other[index] !== requestedWork[index]);
    return differing.length === 1 ? differing : [];
  });
  return [...new Set(clauses)];
}

function expectUnknownId(states: States) {
  return { not: { in: Object.keys(states.jobs).map((name) => `{${name}}`) } };
}

/** Returns a possible refusal of workflows that may need other params or another plan. */
function listPossibleRefusals(states: States, { with: body }: ModelRequest): Branch[] {
  if (findWorkflowStatement(body?.workflow)?.onEveryPlan || body?.workflow === "discover") return [];
  return [{ requirements: createRefusalRules("WORKFLOW-PLAN-GATED", [402, 403, 409, 422]), next: states }];
}

/** Returns the requirements of a job response. JOB-SUBMIT-RESPONSE, JOB-FIELD-REPO-NAME. */
function expectResponse({ with: body, repo = "repo" }: ModelRequest) {
  return [
    createRequirement("JOB-SUBMIT-RESPONSE", { json: { id: { type: "string" }, workflow: body?.workflow } }),
    createRequirement("JOB-FIELD-REPO-NAME", { json: { repo_name: findAddress(repo).slug } }),
  ];
}
