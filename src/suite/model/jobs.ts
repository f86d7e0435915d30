import {
  isInFlight,
  type JobStatus,
  jobTransition,
  repeatedRetry,
  submitTransition,
  wrongStatusClauses,
} from "../statements/jobs.js";
import { accepted, type Branch, must, namesNone, notFound, refused } from "./branch.js";
import { placeOf } from "./place.js";
import type { ModelRequest } from "./request.js";
import { billed } from "./spending.js";
import { type Job, type States, withJob } from "./states.js";

/** How long the end of a run may take to show once it was brought about. */
export const DUE_MS = 20_000;

/** How cancelling a job may come out: JOB-CANCEL-*. */
export function cancelJob(states: States, { job: name }: ModelRequest): Branch[] {
  const job = name === undefined ? undefined : states.jobs[name];
  if (name === undefined || !job) return [{ must: notFound("JOB-ID-UNKNOWN"), next: states }];
  return job.possible.map((status) => {
    const line = jobTransition(status, "cancel");
    if (!line) {
      const next = withJob(states, name, { possible: [status], because: [wrongStatusClauses.cancel] });
      return { must: [must(wrongStatusClauses.cancel, { status: { lt: 500 } })], next };
    }
    const { to, clause } = line;
    const soon = { possible: [to, status], because: [clause], due: { status: to, by: states.now + DUE_MS } };
    return { must: [accepted(clause)], next: withJob(states, name, soon) };
  });
}

/** How retrying a job may come out: JOB-RETRY-*. */
export function retryJob(states: States, request: ModelRequest): Branch[] {
  const job = request.job === undefined ? undefined : states.jobs[request.job];
  if (request.job === undefined || !job) return [{ must: notFound("JOB-ID-UNKNOWN"), next: states }];
  const name = request.job;
  const branches = job.possible.flatMap((status): Branch[] => {
    const at = withJob(states, name, { possible: [status] });
    const line = jobTransition(status, "retry");
    return line ? retryEnded(at, name, request, line.clause) : ineligible(at, name);
  });
  return [...branches, ...billed(states)];
}

function retryEnded(states: States, name: string, request: ModelRequest, clause: string): Branch[] {
  const job = states.jobs[name] as Job;
  const child = job.child === undefined ? undefined : states.jobs[job.child];
  if (!child || job.child === undefined) return [...retryAnew(states, name, request, clause), ...perhapsNot(states, job)];
  const childName = job.child;
  const { inFlight, ended } = repeatedRetry;
  return child.possible.flatMap((status): Branch[] => {
    const at = withJob(states, childName, { possible: [status] });
    if (!isInFlight(status)) return [...retryAnew(at, name, request, ended.clause), ...perhapsNot(at, job)];
    const said = { contains: `{${childName}}` };
    const route = must("JOB-RETRY-ROUTE", { json: jobResponse(job) });
    return [
      {
        must: [
          accepted(inFlight.clause, inFlight.status, said),
          must(inFlight.clause, { json: { id: `{${childName}}` } }),
          route,
        ],
        next: withJob(at, childName, { because: [inFlight.clause, "JOB-STATE-FORWARD"] }),
      },
    ];
  });
}

/** A fix may have lost its observation, and a job its repository: what a retry comes to then is not said. */
function perhapsNot(states: States, job: Job): Branch[] {
  const there = states.repos[job.repo]?.registered ?? [true];
  if (job.workflow !== "fix" && !there.includes(false)) return [];
  return [{ must: refused("JOB-RETRY-NEW", "4xx"), next: states }];
}

function retryAnew(states: States, parent: string, { names = "job" }: ModelRequest, clause: string): Branch[] {
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
      must: [
        accepted(clause, 201, namesNone(job.child === undefined ? [] : [job.child])),
        must(clause, { json: { id: { not: { in: known } }, status: submitTransition.to } }),
        must("JOB-RETRY-WORKFLOW", { json: { workflow: job.workflow } }),
        must("JOB-RETRY-ROUTE", { json: jobResponse(job) }),
      ],
      next: withJob(withJob(states, names, child), parent, { child: names, because: ["JOB-STATE-FINAL"] }),
    },
  ];
}

/** What any answer that is a job shows. */
function jobResponse({ repo, workflow }: Job) {
  return { id: { type: "string" }, status: { type: "string" }, workflow, repo_name: placeOf(repo).slug };
}

/** JOB-RETRY-INELIGIBLE: a 4xx, or the job itself unchanged. */
function ineligible(states: States, name: string): Branch[] {
  const job = states.jobs[name] as Job;
  const next = withJob(states, name, { because: job.possible.length === 1 ? [wrongStatusClauses.retry] : job.because });
  return [
    { must: refused(wrongStatusClauses.retry, "4xx"), next },
    {
      must: [
        accepted(wrongStatusClauses.retry, 200, { contains: `{${name}}` }),
        must(wrongStatusClauses.retry, { json: { id: `{${name}}` } }),
      ],
      next,
    },
  ];
}

/** How reading a job may come out. */
export function readJob(states: States, { job: name }: ModelRequest): Branch[] {
  const job = name === undefined ? undefined : states.jobs[name];
  if (name === undefined || !job) return [{ must: notFound("JOB-ID-UNKNOWN"), next: states }];
  const route = job.ref === undefined ? ["JOB-GET-ROUTE"] : ["JOB-GET-ROUTE", "OBS-FIX-FIELD-IDS"];
  const { slug } = placeOf(job.repo);
  return job.possible.map((status) => ({
    must: [
      must(route, { status: 200, json: { id: `{${name}}` } }, { content: { contains: `{${name}}` } }),
      must(job.ref === undefined ? "JOB-GET-ROUTE" : "OBS-FIX-MAKES-JOB", { json: { workflow: job.workflow } }),
      must("JOB-FIELD-REPO-NAME", { json: { repo_name: slug } }),
      must("JOB-FIELD-MCP-BASE", {}, { content: { contains: job.workflow } }),
      must("JOB-FIELD-MCP-BASE", {}, { content: { contains: slug } }),
      must(job.because, { json: { status } }, { content: { matches: wordOf(status) } }),
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
