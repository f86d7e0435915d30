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

/** The scopes that hold another one in them. MCP-SCOPE-REGISTER-IMPLIED. */
const implied: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { register_repo: ["manage_repos"] };

/** Whether a key with these scopes may do what needs one. */
export function grants(held: Iterable<string>, scope: Scope): boolean {
  const all = new Set(held);
  return [scope, ...(implied[scope] ?? [])].some((one) => all.has(one));
}
