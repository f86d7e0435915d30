/** The scopes that the text names (SCOPE-NAMES). */
export const SCOPES = [
  "view_repositories",
  "view_jobs",
  "submit_audit_jobs",
  "submit_fix_jobs",
  "submit_task_jobs",
  "register_repo",
  "manage_repos",
  "triage_observations",
  "manage_tenant_settings",
] as const;

/** One of them. */
export type Scope = (typeof SCOPES)[number];
