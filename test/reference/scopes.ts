import type { Call } from "./call.js";
import { type Refusal, refuse } from "./reply.js";

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

/** Turns away a key without the scopes that starting a workflow takes. */
export function lacks(call: Call, workflow: string): Refusal | undefined {
  const own = OWN_SCOPE[workflow];
  return needs(call, ["submit_audit_jobs", ...(own ? [own] : [])]);
}

/** Turns away who lacks a scope that a read takes, where reads take any. */
export function needsToRead(call: Call, scopes: readonly string[]): Refusal | undefined {
  return call.choices.readsNeedScope ? needs(call, scopes) : undefined;
}

/** Turns away a key without all of these scopes; a person signed in as a member may only look, or do all. */
export function needs({ choices, key, session }: Call, scopes: readonly string[]): Refusal | undefined {
  const byPerson = session === "member" && choices.sessionScopes === "by role" ? LOOKING : SCOPES;
  const held = key?.scopes ?? byPerson;
  const missing = scopes.find((scope) => !holds(held, scope));
  return missing === undefined
    ? undefined
    : refuse(403, "permission_error", choices.code("missing scope"), `This takes the scope ${missing}`);
}

/** Whether scopes grant one, by name or by implication. */
export function holds(held: readonly string[], scope: string): boolean {
  return held.includes(scope) || (scope === "register_repo" && held.includes("manage_repos"));
}
