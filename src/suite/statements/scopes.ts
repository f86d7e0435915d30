/** The scopes that the contract names (SCOPE-NAMES). */
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

/** A scope. */
export type Scope = (typeof SCOPES)[number];

/** The scopes that imply another scope. MCP-SCOPE-REGISTER-IMPLIED. */
const impliedScopes: Readonly<Partial<Record<Scope, readonly Scope[]>>> = { register_repo: ["manage_repos"] };

/** Returns whether a key with these scopes has a scope, directly or implied. */
export function hasScope(held: Iterable<string>, scope: Scope): boolean {
  const all = new Set(held);
  return [scope, ...(impliedScopes[scope] ?? [])].some((one) => all.has(one));
}
