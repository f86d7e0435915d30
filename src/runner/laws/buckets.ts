import type { Step } from "../scenario/format.js";
import { cancelledJob, openFinding, REGISTERS, REGISTRATION, SPARE } from "./set-up.js";

/** One path bucket of the text: its requests a minute, and requests that all draw on it. */
export interface Bucket {
  perMinute: number;
  clauses: readonly string[];
  needs: readonly string[];
  /** Played by a key whose bucket is not looked at. */
  setUp: readonly Step[];
  /** More than one where the text combines them; each may be sent again and again. */
  requests: readonly Step[];
}

const REGISTERED = {
  "{binding.register_body.owner}": "{repo.owner}",
  "{binding.register_body.repo}": "{repo.name}",
  "{binding.register_body.branch}": "{repo.branch}",
};
const NOTE = "Asked at the limit by the examiner.";

/** The table of section 8. Requests that start nothing where that can be had: each counts, whatever it is answered. */
export const BUCKETS: readonly Bucket[] = [
  {
    perMinute: 10,
    clauses: ["BUCKET-REPO-REGISTER"],
    needs: ["binding.register_body.owner"],
    setUp: [],
    requests: [{ rest: "POST /api/repos", json: REGISTERED, effect: "write" }], // a triple that is there already
  },
  {
    perMinute: 60,
    clauses: ["BUCKET-REPO-LIST"],
    needs: [],
    setUp: [],
    requests: [{ rest: "GET /api/repos", query: { limit: 1 } }],
  },
  {
    perMinute: 30,
    clauses: ["BUCKET-JOB-START", "BUCKET-JOB-COMBINED"],
    needs: ["key.no_fix"],
    setUp: cancelledJob("no_fix"),
    requests: [
      { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "standard_audit", params: {} } },
      { rest: "POST /api/jobs/{job}/retry", json: {} },
    ],
  },
  {
    perMinute: 120,
    clauses: ["BUCKET-JOB-LIST"],
    needs: [],
    setUp: [],
    requests: [{ rest: "GET /api/repos/{repo}/jobs", query: { limit: 1 } }],
  },
  {
    perMinute: 5,
    clauses: ["BUCKET-REPO-RESET"],
    needs: REGISTERS,
    setUp: [{ rest: "POST /api/repos", json: REGISTRATION }],
    requests: [{ rest: `POST /api/repos/${SPARE}/reset`, json: { findings: true } }],
  },
  {
    perMinute: 30,
    clauses: ["BUCKET-OBS-FIX"],
    needs: ["key.no_delete"],
    setUp: [openFinding, { rest: "POST /api/observations/{ref}/complete", as: "no_delete", json: {} }],
    requests: [{ rest: "POST /api/observations/{ref}/fix", json: {}, effect: "write" }], // of a closed observation
  },
  {
    perMinute: 30,
    clauses: ["BUCKET-OBS-TICKET"],
    needs: ["binding.tickets.without"],
    setUp: [{ ...openFinding, query: { status: "new", repo: "{binding.tickets.without}", limit: 1 } }],
    requests: [{ rest: "POST /api/observations/{ref}/publish-ticket", json: {} }],
  },
  {
    perMinute: 60,
    clauses: ["BUCKET-OBS-TRIAGE", "BUCKET-OBS-COMBINED"],
    needs: [],
    setUp: [openFinding],
    requests: [
      { rest: "POST /api/observations/{ref}/acknowledge" },
      { rest: "POST /api/observations/{ref}/dismiss", json: { dismissal_category: "other", dismissal_note: NOTE } },
      { rest: "POST /api/observations/{ref}/complete", json: { note: NOTE } },
      { rest: "POST /api/observations/{ref}/reopen", json: { reopen_reason: NOTE } },
    ],
  },
];
