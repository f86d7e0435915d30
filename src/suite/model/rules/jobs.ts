import {
  isInFlight,
  type JobStatus,
  jobTransition,
  repeatedRetry,
  submitTransition,
  wrongStatusClauses,
} from "../../statements/jobs.js";
import { acceptance, type Branch, billingRefusals, containsNone, notFound, refusalRules, requirement } from "./branch.js";
import { addressOf } from "./repository-address.js";
import type { ModelRequest } from "./request.js";
import { type Job, type States, withJob } from "./states.js";

/** Maximum time, in milliseconds, until a response shows the end of a run. */
export const DUE_MS = 20_000;

/** Returns the outcomes of cancelling a job: JOB-CANCEL-*. */
export function cancelJob(states: States, { job: name }: ModelRequest): Branch[] {
  const job = name === undefined ? undefined : states.jobs[name];
  if (name === undefined || !job) return [{ requirements: notFound("JOB-ID-UNKNOWN"), next: states }];
  return job.possible.map((status) => {
    const line = jobTransition(status, "cancel");
    if (!line) {
      const next = withJob(states, name, { possible: [status], because: [wrongStatusClauses.cancel] });
      return { requirements: [requirement(wrongStatusClauses.cancel, { status: { lt: 500 } })], next };
    }
    const { to, clause } = line;
    const soon = { possible: [to, status], because: [clause], due: { status: to, by: states.now + DUE_MS } };
    return { requirements: [acceptance(clause)], next: withJob(states, name, soon) };
  });
}

/** Returns the outcomes of retrying a job: JOB-RETRY-*. */
export function retryJob(states: States, request: ModelRequest): Branch[] {
  const job = request.job === undefined ? undefined : states.jobs[request.job];
  if (request.job === undefined || !job) return [{ requirements: notFound("JOB-ID-UNKNOWN"), next: states }];
  const name = request.job;
  const branches = job.possible.flatMap((status): Branch[] => {
    const at = withJob(states, name, { possible: [status] });
    const line = jobTransition(status, "retry");
    return line ? retryFinalJob(at, name, request, line.clause) : ineligibleRetry(at, name);
  });
  return [...branches, ...billingRefusals(states)];
}

function retryFinalJob(states: States, name: string, request: ModelRequest, clause: string): Branch[] {
  const job = states.jobs[name] as Job;
  const child = job.child === undefined ? undefined : states.jobs[job.child];
  if (!child || job.child === undefined) return [...newRetry(states, name, request, clause), ...possibleRefusal(states, job)];
  const childName = job.child;
  const { inFlight, ended } = repeatedRetry;
  return child.possible.flatMap((status): Branch[] => {
    const at = withJob(states, childName, { possible: [status] });
    if (!isInFlight(status)) return [...newRetry(at, name, request, ended.clause), ...possibleRefusal(at, job)];
    const childText = { contains: `{${childName}}` };
    const route = requirement("JOB-RETRY-ROUTE", { json: jobResponse(job) });
    return [
      {
        requirements: [
          acceptance(inFlight.clause, inFlight.status, childText),
          requirement(inFlight.clause, { json: { id: `{${childName}}` } }),
          route,
        ],
        next: withJob(at, childName, { because: [inFlight.clause, "JOB-STATE-FORWARD"] }),
      },
    ];
  });
}

/** Returns a possible refusal. A fix may have lost its observation, and a job its repository; the result is then open. */
function possibleRefusal(states: States, job: Job): Branch[] {
  const there = states.repos[job.repo]?.registered ?? [true];
  if (job.workflow !== "fix" && !there.includes(false)) return [];
  return [{ requirements: refusalRules("JOB-RETRY-NEW", "4xx"), next: states }];
}

function newRetry(states: States, parent: string, { names = "job" }: ModelRequest, clause: string): Branch[] {
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
        acceptance(clause, 201, containsNone(job.child === undefined ? [] : [job.child])),
        requirement(clause, { json: { id: { not: { in: known } }, status: submitTransition.to } }),
        requirement("JOB-RETRY-WORKFLOW", { json: { workflow: job.workflow } }),
        requirement("JOB-RETRY-ROUTE", { json: jobResponse(job) }),
      ],
      next: withJob(withJob(states, names, child), parent, { child: names, because: ["JOB-STATE-FINAL"] }),
    },
  ];
}

/** Returns the fields that every job response shows. */
function jobResponse({ repo, workflow }: Job) {
  return { id: { type: "string" }, status: { type: "string" }, workflow, repo_name: addressOf(repo).slug };
}

/** JOB-RETRY-INELIGIBLE: a 4xx, or the unchanged job. */
function ineligibleRetry(states: States, name: string): Branch[] {
  const job = states.jobs[name] as Job;
  const next = withJob(states, name, { because: job.possible.length === 1 ? [wrongStatusClauses.retry] : job.because });
  return [
    { requirements: refusalRules(wrongStatusClauses.retry, "4xx"), next },
    {
      requirements: [
        acceptance(wrongStatusClauses.retry, 200, { contains: `{${name}}` }),
        requirement(wrongStatusClauses.retry, { json: { id: `{${name}}` } }),
      ],
      next,
    },
  ];
}

/** Returns the outcomes of reading a job. */
export function readJob(states: States, { job: name }: ModelRequest): Branch[] {
  const job = name === undefined ? undefined : states.jobs[name];
  if (name === undefined || !job) return [{ requirements: notFound("JOB-ID-UNKNOWN"), next: states }];
  const route = job.ref === undefined ? ["JOB-GET-ROUTE"] : ["JOB-GET-ROUTE", "OBS-FIX-FIELD-IDS"];
  const { slug } = addressOf(job.repo);
  return job.possible.map((status) => ({
    requirements: [
      requirement(route, { status: 200, json: { id: `{${name}}` } }, { content: { contains: `{${name}}` } }),
      requirement(job.ref === undefined ? "JOB-GET-ROUTE" : "OBS-FIX-MAKES-JOB", { json: { workflow: job.workflow } }),
      requirement("JOB-FIELD-REPO-NAME", { json: { repo_name: slug } }),
      requirement("JOB-FIELD-MCP-BASE", {}, { content: { contains: job.workflow } }),
      requirement("JOB-FIELD-MCP-BASE", {}, { content: { contains: slug } }),
      requirement(job.because, { json: { status } }, { content: { matches: wordOf(status) } }),
    ],
    next: withJob(states, name, {
      possible: [status],
      ...(job.possible.length > 1 && !job.due && { because: ["JOB-STATE-FORWARD"] }),
      ...(!isInFlight(status) && { because: ["JOB-STATE-FINAL"] }),
    }),
  }));
}

function wordOf(status: JobStatus): string {
  return `\\b${status}\\b`;
}
