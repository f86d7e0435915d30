import {
  findJobTransition,
  isInFlight,
  type JobStatus,
  repeatedRetry,
  submitTransition,
  wrongStatusClauses,
} from "../../statements/jobs.js";
import {
  type Branch,
  containsNone,
  createAcceptance,
  createRefusalRules,
  createRequirement,
  expectNotFound,
  listBillingRefusals,
} from "./branch.js";
import { findAddress } from "./repository-address.js";
import type { ModelRequest } from "./request.js";
import { changeJob, type Job, type States } from "./states.js";

/** Maximum time, in milliseconds, until a response shows the end of a run. */
export const DUE_MS = 20_000;

/** Returns the outcomes of cancelling a job: JOB-CANCEL-*. */
export function cancelJob(states: States, { job: name }: ModelRequest): Branch[] {
  const job = name === undefined ? undefined : states.jobs[name];
  if (name === undefined || !job) return [{ requirements: expectNotFound("JOB-ID-UNKNOWN"), next: states }];
  return job.possible.map((status) => {
    const line = findJobTransition(status, "cancel");
    if (!line) {
      const next = changeJob(states, name, { possible: [status], because: [wrongStatusClauses.cancel] });
      return { requirements: [createRequirement(wrongStatusClauses.cancel, { status: { lt: 500 } })], next };
    }
    const { to, clause } = line;
    const soon = { possible: [to, status], because: [clause], due: { status: to, by: states.now + DUE_MS } };
    return { requirements: [createAcceptance(clause)], next: changeJob(states, name, soon) };
  });
}

/** Returns the outcomes of retrying a job: JOB-RETRY-*. */
export function retryJob(states: States, request: ModelRequest): Branch[] {
  const job = request.job === undefined ? undefined : states.jobs[request.job];
  if (request.job === undefined || !job) return [{ requirements: expectNotFound("JOB-ID-UNKNOWN"), next: states }];
  const name = request.job;
  const branches = job.possible.flatMap((status): Branch[] => {
    const at = changeJob(states, name, { possible: [status] });
    const line = findJobTransition(status, "retry");
    return line ? retryFinalJob(at, name, request, line.clause) : refuseIneligibleRetry(at, name);
  });
  return [...branches, ...listBillingRefusals(states)];
}

function retryFinalJob(states: States, name: string, request: ModelRequest, clause: string): Branch[] {
  const job = states.jobs[name] as Job;
  const child = job.child === undefined ? undefined : states.jobs[job.child];
  if (!child || job.child === undefined)
    return [...listNewRetries(states, name, request, clause), ...listPossibleRefusals(states, job)];
  const childName = job.child;
  const { inFlight, ended } = repeatedRetry;
  return child.possible.flatMap((status): Branch[] => {
    const at = changeJob(states, childName, { possible: [status] });
    if (!isInFlight(status)) return [...listNewRetries(at, name, request, ended.clause), ...listPossibleRefusals(at, job)];
    const childText = { contains: `{${childName}}` };
    const route = createRequirement("JOB-RETRY-ROUTE", { json: expectJob(job) });
    return [
      {
        requirements: [
          createAcceptance(inFlight.clause, inFlight.status, childText),
          createRequirement(inFlight.clause, { json: { id: `{${childName}}` } }),
          route,
        ],
        next: changeJob(at, childName, { because: [inFlight.clause, "JOB-STATE-FORWARD"] }),
      },
    ];
  });
}

/** Returns a possible refusal. A fix may have lost its observation, and a job its repository; the result is then open. */
function listPossibleRefusals(states: States, job: Job): Branch[] {
  const there = states.repos[job.repo]?.registered ?? [true];
  if (job.workflow !== "fix" && !there.includes(false)) return [];
  return [{ requirements: createRefusalRules("JOB-RETRY-NEW", "4xx"), next: states }];
}

function listNewRetries(states: States, parent: string, { names = "job" }: ModelRequest, clause: string): Branch[] {
  const job = states.jobs[parent] as Job;
  const known = Object.keys(states.jobs).map((name) => `{${name}}`);
  const child: Job = {
    repo: job.repo,
    workflow: job.workflow,
    work: job.work,
    retried: true,
    possible: [submitTransition.to],
    because: ["JOB-RETRY-NEW", "JOB-STATE-FORWARD"],
    ...(job.ref !== undefined && { ref: job.ref }),
  };
  return [
    {
      requirements: [
        createAcceptance(clause, 201, containsNone(job.child === undefined ? [] : [job.child])),
        createRequirement(clause, { json: { id: { not: { in: known } }, status: submitTransition.to } }),
        createRequirement("JOB-RETRY-WORKFLOW", { json: { workflow: job.workflow } }),
        createRequirement("JOB-RETRY-ROUTE", { json: expectJob(job) }),
      ],
      next: changeJob(changeJob(states, names, child), parent, { child: names, because: ["JOB-STATE-FINAL"] }),
    },
  ];
}

/** Returns the fields that every job response shows. */
function expectJob({ repo, workflow }: Job) {
  return { id: { type: "string" }, status: { type: "string" }, workflow, repo_name: findAddress(repo).slug };
}

/** JOB-RETRY-INELIGIBLE: a 4xx, or the unchanged job. */
function refuseIneligibleRetry(states: States, name: string): Branch[] {
  const job = states.jobs[name] as Job;
  const next = changeJob(states, name, { because: job.possible.length === 1 ? [wrongStatusClauses.retry] : job.because });
  return [
    { requirements: createRefusalRules(wrongStatusClauses.retry, "4xx"), next },
    {
      requirements: [
        createAcceptance(wrongStatusClauses.retry, 200, { contains: `{${name}}` }),
        createRequirement(wrongStatusClauses.retry, { json: { id: `{${name}}` } }),
      ],
      next,
    },
  ];
}

/** Returns the outcomes of reading a job. */
export function readJob(states: States, { job: name }: ModelRequest): Branch[] {
  const job = name === undefined ? undefined : states.jobs[name];
  if (name === undefined || !job) return [{ requirements: expectNotFound("JOB-ID-UNKNOWN"), next: states }];
  const route = job.ref === undefined ? ["JOB-GET-ROUTE"] : ["JOB-GET-ROUTE", "OBS-FIX-FIELD-IDS"];
  const { slug } = findAddress(job.repo);
  return job.possible.map((status) => ({
    requirements: [
      createRequirement(route, { status: 200, json: { id: `{${name}}` } }, { content: { contains: `{${name}}` } }),
      createRequirement(job.ref === undefined ? "JOB-GET-ROUTE" : "OBS-FIX-MAKES-JOB", { json: { workflow: job.workflow } }),
      createRequirement("JOB-FIELD-REPO-NAME", { json: { repo_name: slug } }),
      createRequirement("JOB-FIELD-MCP-BASE", {}, { content: { contains: job.workflow } }),
      createRequirement("JOB-FIELD-MCP-BASE", {}, { content: { contains: slug } }),
      createRequirement(job.because, { json: { status } }, { content: { matches: formatStatus(status) } }),
    ],
    next: changeJob(states, name, {
      possible: [status],
      ...(job.possible.length > 1 && !job.due && { because: ["JOB-STATE-FORWARD"] }),
      ...(!isInFlight(status) && { because: ["JOB-STATE-FINAL"] }),
    }),
  }));
}

function formatStatus(status: JobStatus): string {
  return `\\b${status}\\b`;
}
