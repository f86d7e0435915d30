import type { Call } from "./call.js";
import { type Refusal, refuse } from "./operation-result.js";

/** The scopes of the contract. */
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
];

const OWN_SCOPE: Record<string, string> = { fix: "submit_fix_jobs", task: "submit_task_jobs" };
const LOOKING = ["view_repositories", "view_jobs"];

/** Refuses a key without the scopes for a workflow. */
export function lacks(call: Call, workflow: string): Refusal | undefined {
  const own = OWN_SCOPE[workflow];
  return needs(call, ["submit_audit_jobs", ...(own ? [own] : [])]);
}

/** Refuses a caller without the scope for a read, if reads need one. */
export function needsToRead(call: Call, scopes: readonly string[]): Refusal | undefined {
  return call.choices.readsNeedScope ? needs(call, scopes) : undefined;
}

/** Refuses a key without all of these scopes. A signed-in member may only read, or do all. */
export function needs({ choices, key, session }: Call, scopes: readonly string[]): Refusal | undefined {
  const byPerson = session === "member" && choices.sessionScopes === "by role" ? LOOKING : SCOPES;
  const heldScopes = key?.scopes ?? byPerson;
  const missing = scopes.find((scope) => !holds(heldScopes, scope));
  return missing === undefined
    ? undefined
    : refuse(403, "permission_error", choices.code("missing scope"), `This takes the scope ${missing}`);
}

/** Whether scopes grant one, by name or by implication. */
export function holds(held: readonly string[], scope: string): boolean {
  return held.includes(scope) || (scope === "register_repo" && held.includes("manage_repos"));
}
