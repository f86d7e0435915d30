import type { Step } from "../../../engine/scenario/format.js";
import { type PathBucket, pathBuckets } from "../../statements/buckets.js";
import { findTriageStatement, type TriageAction } from "../../statements/observations.js";
import type { Operation } from "../../statements/operations.js";
import { createCancelledJob, REGISTRATION, SPARE, SPARE_TRIPLE } from "../../statements/setup-steps.js";
import type { RateLimit } from "./rate-limit.js";

/** The name of a path bucket. */
export type BucketName = keyof typeof pathBuckets;

/** The role that prepares resources, so that the bucket of the tested key stays unused. */
export const HELPER_KEY_ROLE = "no_delete";
const TRACKER = ["binding.tickets.with"];

/** Requests that use up a path bucket. All are accepted ones, because it is open whether a bucket counts other refusals. */
interface Draw {
  /** The needs that the target must meet. */
  needs: readonly string[];
  /** Requests in turn, each with one concrete path. */
  requests: readonly Step[];
  after?: Step;
  /** The request that undoes an accepted one. */
  undo?: Step;
  /** Requests of other keys for another resource, so that the first resource stays unchanged. */
  elsewhere?: readonly Step[];
}

/** The requests that use up one path bucket, and their operations. */
export interface BucketDraw extends Draw {
  bucket: BucketName;
  operations: readonly Operation[];
}

/** Registers the repository of the draws with another key. */
export const ownRepository: Step = { rest: "POST /api/repos", as: HELPER_KEY_ROLE, json: REGISTRATION };

/** Returns the steps that create the other resources of the draws: two open findings, a cancelled job, a finding for a tracker. */
export function drawResources(offers: (need: string) => boolean): readonly Step[] {
  const findings: Step = { rest: "GET /api/observations", as: HELPER_KEY_ROLE };
  const open = { kind: "finding", status: "new" };
  return [
    { ...findings, query: { ...open, category: "correctness", repo: "{slug}", limit: 1 }, save: { fixable: "/data/0/ref" } },
    { ...findings, query: { ...open, category: "maintainability", repo: "{slug}", limit: 1 }, save: { triaged: "/data/0/ref" } },
    ...createCancelledJob(HELPER_KEY_ROLE),
    ...(TRACKER.every(offers)
      ? [
          {
            ...findings,
            query: { ...open, repo: "{binding.tickets.with}", category: "performance", limit: 1 },
            save: { ticketed: "/data/0/ref" },
          },
        ]
      : []),
  ];
}

const NOTE = "Sent at the limit by the runner.";
const SUBMIT: Step = { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "standard_audit", params: {} } };
const RETRY: Step = { rest: "POST /api/jobs/{job}/retry", json: {} };
const OTHER_TRIPLE = { owner: SPARE_TRIPLE.owner, repo: `${SPARE_TRIPLE.repo}-{i}`, branch: SPARE_TRIPLE.branch };

/** Triage actions that return an observation to its first state. */
const TRIAGE = ["acknowledge", "dismiss", "reopen", "complete", "reopen"] as const satisfies readonly TriageAction[];

/** Requests for each path bucket: all its operations in turn, in every form, to find an operation that does not count or counts separately. */
export const bucketDraws: readonly BucketDraw[] = [
  {
    ...draw("register", [
      {
        rest: "POST /api/repos",
        json: { ...REGISTRATION, "{binding.register_body.repo}": OTHER_TRIPLE.repo },
      },
    ]),
    // deletes the repository, so that the cap of the plan does not refuse the next one
    after: { rest: `DELETE /api/repos/${OTHER_TRIPLE.owner}/${OTHER_TRIPLE.repo}/${OTHER_TRIPLE.branch}` },
  },
  draw("list_repos", [{ rest: "GET /api/repos" }, { rest: "GET /api/repos", query: { limit: 1 } }]),
  draw("submit", [
    { ...SUBMIT, headers: { "idempotency-key": "at the limit {unique}" } },
    { ...SUBMIT, query: { force: "true" } },
    SUBMIT,
    RETRY,
  ]),
  draw("list_repo_jobs", [
    { rest: "GET /api/repos/{repo}/jobs", query: { workflow: "audit" } },
    { rest: "GET /api/repos/{repo}/jobs", query: { limit: 1 } },
  ]),
  draw(
    "reset",
    ["history", "suggestions", "findings"].map((flag) => ({ rest: `POST /api/repos/${SPARE}/reset`, json: { [flag]: true } })),
  ),
  {
    ...draw("fix", [{ rest: "POST /api/observations/{fixable}/fix", json: {}, save: { fix: "/job_id" } }]),
    undo: { rest: "POST /api/jobs/{fix}/cancel", as: HELPER_KEY_ROLE },
  },
  draw("ticket", [{ rest: "POST /api/observations/{ticketed}/publish-ticket", json: {} }], TRACKER),
  {
    ...draw(
      "triage",
      TRIAGE.map((act) => createTriageStep(act, "{triaged}")),
    ),
    elsewhere: TRIAGE.map((act) => createTriageStep(act, "{fixable}")),
  },
];

/** Returns a path bucket as a limit. */
export function createLimit({ bucket, requests, after }: BucketDraw): RateLimit {
  const { rpm, clauses }: PathBucket = pathBuckets[bucket];
  const combined = requests.length > 1 ? clauses.slice(1) : [];
  const which = [...new Set(requests.map(({ rest }) => rest))].join(", ");
  return {
    name: `the bucket of ${which}`,
    kind: "path bucket",
    ...{ min: rpm, max: rpm, requests },
    clauses: [...clauses.slice(0, 1), "BUCKET-ENFORCED"],
    alsoJudged: combined,
    ...(after && { after }),
  };
}

function draw(bucket: BucketName, requests: readonly Step[], needs: readonly string[] = []): BucketDraw {
  return { bucket, requests, needs, operations: requests.flatMap(({ rest }) => listOperations(bucket, rest ?? "")) };
}

/** Returns the operations of a bucket that a request line belongs to. They differ in the last segment of their paths. */
function listOperations(bucket: BucketName, rest: string): Operation[] {
  const { operations }: PathBucket = pathBuckets[bucket];
  const end = (line: string) => line.split("/").at(-1);
  return operations.length === 1 ? [...operations] : operations.filter((operation) => end(operation) === end(rest));
}

function createTriageStep(act: TriageAction, ref: string): Step {
  const { route, body } = findTriageStatement(act);
  return { rest: route.replace("{ref}", ref), ...(body && { json: body(NOTE) }) };
}
