import type { Step } from "../../../engine/scenario/format.js";
import { type PathBucket, pathBuckets } from "../../statements/buckets.js";
import { type TriageAction, triageStatement } from "../../statements/observations.js";
import type { Operation } from "../../statements/operations.js";
import { cancelledJob, REGISTRATION, SPARE, SPARE_TRIPLE } from "../../statements/setup-steps.js";
import type { RateLimit } from "./rate.js";

/** The name of a path bucket. */
export type BucketName = keyof typeof pathBuckets;

/** The key that prepares. */
export const HELPER = "no_delete";
const TRACKER = ["binding.tickets.with"];

/** How a path bucket is used up by requests that are served: whether it counts those that are refused for another reason is open. */
interface Draw {
  /** What the target must offer. */
  needs: readonly string[];
  /** Requests of one concrete path, taken in turn. */
  requests: readonly Step[];
  after?: Step;
  /** What takes back what one of them has begun. */
  undo?: Step;
  /** The same requests of another thing, for who asks beside them and must not change what they are about. */
  elsewhere?: readonly Step[];
}

/** The way in which a path bucket is used up, and the operations of its requests. */
export interface BucketDraw extends Draw {
  bucket: BucketName;
  operations: readonly Operation[];
}

/** What the draws are about: a repository of our own, made by a key whose buckets are not looked at. */
export const ownRepository: Step = { rest: "POST /api/repos", as: HELPER, json: REGISTRATION };

/** And what changes as they are made, so that each begins with new ones: two open findings, a job that was cancelled, a finding for a tracker. */
export function drawnUpon(offers: (need: string) => boolean): readonly Step[] {
  const findings: Step = { rest: "GET /api/observations", as: HELPER };
  const open = { kind: "finding", status: "new" };
  return [
    { ...findings, query: { ...open, category: "correctness", repo: "{slug}", limit: 1 }, save: { fixable: "/data/0/ref" } },
    { ...findings, query: { ...open, category: "maintainability", repo: "{slug}", limit: 1 }, save: { triaged: "/data/0/ref" } },
    ...cancelledJob(HELPER),
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

const NOTE = "Asked at the limit by the examiner.";
const SUBMIT: Step = { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "standard_audit", params: {} } };
const RETRY: Step = { rest: "POST /api/jobs/{job}/retry", json: {} };
const ANOTHER = { owner: SPARE_TRIPLE.owner, repo: `${SPARE_TRIPLE.repo}-{i}`, branch: SPARE_TRIPLE.branch };

/** A round of triage, which ends where it began. */
const TRIAGE = ["acknowledge", "dismiss", "reopen", "complete", "reopen"] as const satisfies readonly TriageAction[];

/** How each path bucket is used up: by all its operations in turn, in each of their forms, so that neither one that does not count nor one that counts alone is missed. */
export const bucketDraws: readonly BucketDraw[] = [
  {
    ...draw("register", [
      {
        rest: "POST /api/repos",
        json: { ...REGISTRATION, "{binding.register_body.repo}": ANOTHER.repo },
      },
    ]),
    // so that no plan's cap is met
    after: { rest: `DELETE /api/repos/${ANOTHER.owner}/${ANOTHER.repo}/${ANOTHER.branch}` },
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
    undo: { rest: "POST /api/jobs/{fix}/cancel", as: HELPER },
  },
  draw("ticket", [{ rest: "POST /api/observations/{ticketed}/publish-ticket", json: {} }], TRACKER),
  {
    ...draw(
      "triage",
      TRIAGE.map((act) => triage(act, "{triaged}")),
    ),
    elsewhere: TRIAGE.map((act) => triage(act, "{fixable}")),
  },
];

/** A path bucket as a limit, used up in one way. */
export function limitOf({ bucket, requests, after }: BucketDraw): RateLimit {
  const { rpm, clauses }: PathBucket = pathBuckets[bucket];
  const combined = requests.length > 1 ? clauses.slice(1) : [];
  const which = [...new Set(requests.map(({ rest }) => rest))].join(", ");
  return {
    name: `the bucket of ${which}`,
    kind: "path bucket",
    ...{ least: rpm, most: rpm, requests },
    clauses: [...clauses.slice(0, 1), "BUCKET-ENFORCED", ...combined],
    ...(after && { after }),
  };
}

function draw(bucket: BucketName, requests: readonly Step[], needs: readonly string[] = []): BucketDraw {
  return { bucket, requests, needs, operations: requests.flatMap(({ rest }) => operationsOf(bucket, rest ?? "")) };
}

/** The operation of a bucket that a request line is of: they differ in the end of their paths. */
function operationsOf(bucket: BucketName, rest: string): Operation[] {
  const { operations }: PathBucket = pathBuckets[bucket];
  const end = (line: string) => line.split("/").at(-1);
  return operations.length === 1 ? [...operations] : operations.filter((one) => end(one) === end(rest));
}

function triage(act: TriageAction, ref: string): Step {
  const { route, body } = triageStatement(act);
  return { rest: route.replace("{ref}", ref), ...(body && { json: body(NOTE) }) };
}
