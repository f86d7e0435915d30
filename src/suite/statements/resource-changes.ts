import type { Operation } from "./operations.js";

/** The kinds of resources that the service stores. */
export type ResourceKind = "repository" | "job" | "observation" | "key" | "setting";

const job = ["job"] as const;
const observation = ["observation"] as const;
const setting = ["setting"] as const;

/** The kinds of resources that each operation changes; operations that only read are absent (sections 3 and 4). */
export const changedKinds: Readonly<Partial<Record<Operation, readonly ResourceKind[]>>> = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": job,
  "POST /api/jobs/{job_id}/cancel": job,
  "POST /api/jobs/{job_id}/retry": job,
  "POST /api/repos": ["repository", "job"], // REPO-REGISTER-DISCOVERS: a registration starts a discovery
  // The run deletes and resets only repositories that it registered, and these have no observations.
  "DELETE /api/repos/{owner}/{repo}/{branch}": ["repository", "job"],
  "POST /api/repos/{owner}/{repo}/{branch}/reset": ["repository", "job"],
  "POST /api/observations/{ref}/fix": ["observation", "job"],
  "POST /api/observations/{ref}/dismiss": observation,
  "POST /api/observations/{ref}/reopen": observation,
  "POST /api/observations/{ref}/complete": observation,
  "POST /api/observations/{ref}/acknowledge": observation,
  "POST /api/observations/{ref}/publish-ticket": observation,
  "POST /api/keys": ["key"],
  "PATCH /api/keys/{key_id}": ["key"],
  request_fix: ["observation", "job"],
  update_repository_metadata: ["repository"],
  set_guidance: setting,
  clear_guidance: setting,
  set_workspace_context: setting,
  clear_workspace_context: setting,
  set_setting: setting,
  clear_setting: setting,
  set_learn_mode: setting,
  record_doc_read: ["repository"],
};

/** Returns the `changes` field of a property of an operation; an empty object where the changes are unknown. */
export function changesField(operation: Operation): { changes?: readonly ResourceKind[] } {
  const own = changedKinds[operation];
  return own ? { changes: own } : {};
}
