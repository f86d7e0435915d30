import type { Operation } from "./operations.js";

/** A path bucket of section 8: requests per minute and key, and the operations that share it. */
export interface PathBucket {
  rpm: number;
  operations: readonly Operation[];
  clauses: readonly string[];
}

/** The path buckets of section 8. BUCKET-PER-KEY: each key has its own buckets. */
export const pathBuckets = {
  register: { rpm: 10, operations: ["POST /api/repos"], clauses: ["BUCKET-REPO-REGISTER"] },
  list_repos: { rpm: 60, operations: ["GET /api/repos"], clauses: ["BUCKET-REPO-LIST"] },
  submit: {
    rpm: 30,
    operations: ["POST /api/repos/{owner}/{repo}/{branch}/jobs", "POST /api/jobs/{job_id}/retry"],
    clauses: ["BUCKET-JOB-START", "BUCKET-JOB-COMBINED"],
  },
  list_repo_jobs: { rpm: 120, operations: ["GET /api/repos/{owner}/{repo}/{branch}/jobs"], clauses: ["BUCKET-JOB-LIST"] },
  reset: { rpm: 5, operations: ["POST /api/repos/{owner}/{repo}/{branch}/reset"], clauses: ["BUCKET-REPO-RESET"] },
  fix: { rpm: 30, operations: ["POST /api/observations/{ref}/fix"], clauses: ["BUCKET-OBS-FIX"] },
  ticket: { rpm: 30, operations: ["POST /api/observations/{ref}/publish-ticket"], clauses: ["BUCKET-OBS-TICKET"] },
  triage: {
    rpm: 60,
    operations: [
      "POST /api/observations/{ref}/dismiss",
      "POST /api/observations/{ref}/reopen",
      "POST /api/observations/{ref}/complete",
      "POST /api/observations/{ref}/acknowledge",
    ],
    clauses: ["BUCKET-OBS-TRIAGE", "BUCKET-OBS-COMBINED"],
  },
} as const satisfies Record<string, PathBucket>;

/** The budget of one key for all its requests, by plan: requests per minute, approximately. */
export const keyBudgets = {
  free: { rpm: 600, clause: "BUDGET-FREE" },
  paid: { rpm: 3000, clause: "BUDGET-PAID" },
} as const;

/** The limit of the tool server for one key: requests per minute, approximately. */
export const toolRate = { rpm: 60, clause: "MCP-RATE-KEY" } as const;
