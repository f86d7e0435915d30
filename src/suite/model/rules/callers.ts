import { operationStatement } from "../../statements/operations.js";
import { DEFAULT_ROLE, isOfOtherWorkspace, isViewOnly, refusedCredentials, scopesOfRole } from "../../statements/roles.js";
import { hasScope, type Scope } from "../../statements/scopes.js";
import { workflowStatement } from "../../statements/workflows.js";
import { type Branch, notFound, refusalRules, requirement } from "./branch.js";
import type { ModelRequest } from "./request.js";
import type { States } from "./states.js";

/** Roles that lack a scope or a permission, in the order of the cases. */
export const LIMITED_ROLES: readonly string[] = ["viewer", "free", "triage", "no_fix", "no_delete"];

/** Returns the scopes of a role or of a created key. */
function scopesOf(states: States, as: string): readonly string[] {
  return states.keys[as]?.scopes ?? scopesOfRole(as);
}

/** Returns the outcomes that the caller alone decides; undefined when the caller may send the request. */
export function callerRefusal(states: States, request: ModelRequest): Branch[] | undefined {
  // A session may read in a suspended workspace; the result of other requests is open.
  if (request.as.startsWith("session:")) return states.suspended ? [openOutcome(states, "KEY-CREATE-ADMIN")] : undefined;
  const clause = refusedCredentialClause(states, request.as);
  if (clause === null) return [{ requirements: [], next: states }];
  if (clause !== undefined) return [{ requirements: unauthenticated(clause), next: states }];
  if (namesOtherWorkspace(states, request)) {
    const notFoundBranch = { requirements: notFound(request.job ? "JOB-ID-UNKNOWN" : "KEY-WORKSPACE-GET"), next: states };
    return request.what.endsWith("/reset") ? [notFoundBranch, flagRefusal(states)] : [notFoundBranch];
  }
  return scopeRefusals(states, request);
}

/** Returns the clause by which the server refuses a credential; null when this is open. */
function refusedCredentialClause(states: States, as: string): string | null | undefined {
  if (states.suspended && !isOfOtherWorkspace(as) && !(as in refusedCredentials)) return "WORKSPACE-SUSPEND-401";
  const key = states.keys[as];
  if (key === undefined) return refusedCredentials[as];
  if (key.live === null) return null;
  return key.live ? undefined : key.expires <= states.now ? "KEY-EXPIRY-401" : "KEY-STATE-REVOKED";
}

function unauthenticated(clause: string) {
  return [
    requirement([clause, "ERR-TYPE-AUTHENTICATION"], { status: 401 }, { refused: true }),
    ...refusalRules(clause, 401, { type: "authentication_error" }),
  ];
}

/** REPO-RESET-ROUTE: the types of the flags are not shown, and the order of two refusals is open. */
function flagRefusal(states: States): Branch {
  return { requirements: refusalRules("REPO-RESET-ROUTE", 422), next: states };
}

/** KEY-WORKSPACE-GET: a resource of another workspace does not exist. */
function namesOtherWorkspace(states: States, { as, job, ref, repo, what }: ModelRequest): boolean {
  if (job !== undefined || ref !== undefined) return isOfOtherWorkspace(as);
  if (repo === undefined || what === "POST /api/repos") return false;
  const home = states.repos[repo]?.of ?? DEFAULT_ROLE;
  return (isOfOtherWorkspace(as) ? as : DEFAULT_ROLE) !== home;
}

/** MCP-SCOPE-*, SCOPE-VIEW-*: the contract names the scopes of tools. For routes it only states that a key with view scopes changes nothing. */
function scopeRefusals(states: States, request: ModelRequest): Branch[] | undefined {
  if (!lacksScope(states, request)) return undefined;
  const { scopeClause = "MCP-SCOPE-REFUSED", viewClause = "SCOPE-REFUSED" } = operationStatement(request.what);
  const clauses = [request.by === "tool" ? scopeClause : viewClause, "SCOPE-REFUSED"];
  return [{ requirements: refusalRules(clauses, request.by === "tool" ? 403 : "4xx"), next: states }];
}

/** Returns whether a caller certainly lacks the scope of a request. */
export function lacksScope(states: States, request: ModelRequest): boolean {
  const scopes = scopesOf(states, request.as);
  if (request.by === "tool") return !scopesNeeded(request).every((scope) => hasScope(scopes, scope));
  return operationStatement(request.what).viewClause !== undefined && isViewOnly(scopes);
}

/** Returns the refusal of a REST request that only lacks the scope. SCOPE-REFUSED-STATUS. */
export function scopeRefusal(states: States, { what }: ModelRequest): Branch {
  const clauses = [operationStatement(what).viewClause ?? "SCOPE-REFUSED", "SCOPE-REFUSED", "SCOPE-REFUSED-STATUS"];
  return { requirements: refusalRules(clauses, 403, { type: "permission_error" }), next: states };
}

/** Returns the scopes of a tool call. MCP-SCOPE-SUBMIT-FIX, MCP-SCOPE-SUBMIT-TASK: a fix or a task needs one additional scope. */
function scopesNeeded({ what, with: more }: ModelRequest): readonly Scope[] {
  const { scopes } = operationStatement(what);
  const own = workflowStatement(more?.workflow)?.scope;
  return own ? [...scopes, own.name] : scopes;
}

/** Returns a branch for an open outcome: anything except a server failure. */
export function openOutcome(states: States, clause: string): Branch {
  return { requirements: [requirement(clause, { status: { lt: 500 } })], next: states };
}
