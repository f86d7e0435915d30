import type { Operation } from "./operations.js";

/** Kinds of things that the service keeps. */
export type Kind = "repository" | "job" | "observation" | "key" | "setting";

const job = ["job"] as const;
const observation = ["observation"] as const;
const setting = ["setting"] as const;

/** Which kinds of things each operation changes that does more than read (sections 3 and 4). */
export const changes: Readonly<Partial<Record<Operation, readonly Kind[]>>> = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": job,
  "POST /api/jobs/{job_id}/cancel": job,
  "POST /api/jobs/{job_id}/retry": job,
  "POST /api/repos": ["repository", "job"], // REPO-REGISTER-DISCOVERS: a discovery is enqueued
  // Of a repository that the run has made itself, as all are that are removed or reset: nothing was found in it.
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

/** The same, as a property says it of its cases; nothing where nobody knows. */
export function changing(operation: Operation): { changes?: readonly Kind[] } {
  const own = changes[operation];
  return own ? { changes: own } : {};
}
