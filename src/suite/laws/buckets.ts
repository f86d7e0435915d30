import type { Step } from "../../engine/scenario/format.js";
import { type PathBucket, pathBuckets } from "../statements/buckets.js";
import { triageActs } from "../statements/observations.js";
import { cancelledJob, openFinding, REGISTERS, REGISTRATION, registration, SPARE } from "../statements/set-ups.js";

/** How a path bucket is emptied by requests that start nothing, where that can be had: each counts, whatever it is answered. */
interface Drain {
  /** What the target must offer. */
  needs: readonly string[];
  /** Played by a key whose bucket is not looked at. */
  setUp: readonly Step[];
  /** Requests that all draw on the bucket; more than one where the text combines them; each may be sent again and again. */
  requests: readonly Step[];
}

/** One path bucket of the text, and how it is emptied. */
export interface Bucket extends Drain {
  perMinute: number;
  clauses: readonly string[];
}

/** The name of a path bucket. */
export type BucketName = keyof typeof pathBuckets;

const NOTE = "Asked at the limit by the examiner.";
const OWN_TRIPLE = registration({ owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" });

const drains: Readonly<Record<BucketName, Drain>> = {
  register: {
    needs: ["binding.register_body.owner"],
    setUp: [],
    requests: [{ rest: "POST /api/repos", json: OWN_TRIPLE, effect: "write" }], // a triple that is there already
  },
  listRepositories: { needs: [], setUp: [], requests: [{ rest: "GET /api/repos", query: { limit: 1 } }] },
  startJob: {
    needs: ["key.no_fix"],
    setUp: cancelledJob("no_fix"),
    requests: [
      { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "standard_audit", params: {} } },
      { rest: "POST /api/jobs/{job}/retry", json: {} },
    ],
  },
  listJobs: { needs: [], setUp: [], requests: [{ rest: "GET /api/repos/{repo}/jobs", query: { limit: 1 } }] },
  reset: {
    needs: REGISTERS,
    setUp: [{ rest: "POST /api/repos", json: REGISTRATION }],
    requests: [{ rest: `POST /api/repos/${SPARE}/reset`, json: { findings: true } }],
  },
  fix: {
    needs: ["key.no_delete"],
    setUp: [openFinding, { rest: "POST /api/observations/{ref}/complete", as: "no_delete", json: {} }],
    requests: [{ rest: "POST /api/observations/{ref}/fix", json: {}, effect: "write" }], // of a closed observation
  },
  publishTicket: {
    needs: ["binding.tickets.without"],
    setUp: [{ ...openFinding, query: { status: "new", repo: "{binding.tickets.without}", limit: 1 } }],
    requests: [{ rest: "POST /api/observations/{ref}/publish-ticket", json: {} }],
  },
  triage: {
    needs: [],
    setUp: [openFinding],
    requests: [
      { rest: triageActs.acknowledge.route },
      { rest: triageActs.dismiss.route, json: triageActs.dismiss.body(NOTE) },
      { rest: triageActs.complete.route, json: triageActs.complete.body(NOTE) },
      { rest: triageActs.reopen.route, json: triageActs.reopen.body(NOTE) },
    ],
  },
};

/** The names of all path buckets, in the order of the text. */
export const bucketNames = Object.keys(pathBuckets) as readonly BucketName[];

/** A path bucket by its name. */
export function bucketOf(name: BucketName): Bucket {
  const { rpm, clauses }: PathBucket = pathBuckets[name];
  return { perMinute: rpm, clauses, ...drains[name] };
}
