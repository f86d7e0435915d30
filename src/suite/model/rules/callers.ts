import { findOperationStatement } from "../../statements/operations.js";
import { DEFAULT_ROLE, isOfOtherWorkspace, isViewOnly, listRoleScopes, refusedCredentials } from "../../statements/roles.js";
import { hasScope, type Scope } from "../../statements/scopes.js";
import { findWorkflowStatement } from "../../statements/workflows.js";
import { type Branch, createRefusalRules, createRequirement, expectNotFound } from "./branch.js";
import type { ModelRequest } from "./request.js";
import type { States } from "./states.js";

/** Roles that lack a scope or a permission, in the order of the cases. */
export const LIMITED_ROLES: readonly string[] = ["viewer", "free", "triage", "no_fix", "no_delete"];

/** Returns the scopes of a role or of a created key. */
function listScopes(states: States, as: string): readonly string[] {
  return states.keys[as]?.scopes ?? listRoleScopes(as);
}

/** Returns the outcomes that the caller alone decides; undefined when the caller may send the request. */
export function findCallerRefusal(states: States, request: ModelRequest): Branch[] | undefined {
  // A session may read in a suspended workspace; the result of other requests is open.
  if (request.as.startsWith("session:")) return states.suspended ? [openOutcome(states, "KEY-CREATE-ADMIN")] : undefined;
  const clause = findCredentialClause(states, request.as);
  if (clause === null) return [{ requirements: [], next: states }];
  if (clause !== undefined) return [{ requirements: expectUnauthenticated(clause), next: states }];
  if (namesOtherWorkspace(states, request)) {
    const notFoundBranch = { requirements: expectNotFound(request.job ? "JOB-ID-UNKNOWN" : "KEY-WORKSPACE-GET"), next: states };
    return request.what.endsWith("/reset") ? [notFoundBranch, createFlagRefusal(states)] : [notFoundBranch];
  }
  return findScopeRefusals(states, request);
}

/** Returns the clause by which the server refuses a credential; null when this is open. */
function findCredentialClause(states: States, as: string): string | null | undefined {
  if (states.suspended && !isOfOtherWorkspace(as) && !(as in refusedCredentials)) return "WORKSPACE-SUSPEND-401";
  const key = states.keys[as];
  if (key === undefined) return refusedCredentials[as];
  if (key.live === null) return null;
  return key.live ? undefined : key.expires <= states.now ? "KEY-EXPIRY-401" : "KEY-STATE-REVOKED";
}

function expectUnauthenticated(clause: string) {
  return [
    createRequirement([clause, "ERR-TYPE-AUTHENTICATION"], { status: 401 }, { refused: true }),
    ...createRefusalRules(clause, 401, { type: "authentication_error" }),
  ];
}

/** REPO-RESET-ROUTE: the types of the flags are not shown, and the order of two refusals is open. */
function createFlagRefusal(states: States): Branch {
  return { requirements: createRefusalRules("REPO-RESET-ROUTE", 422), next: states };
}

/** KEY-WORKSPACE-GET: a resource of another workspace does not exist. */
function namesOtherWorkspace(states: States, { as, job, ref, repo, what }: ModelRequest): boolean {
  if (job !== undefined || ref !== undefined) return isOfOtherWorkspace(as);
  if (repo === undefined || what === "POST /api/repos") return false;
  const home = states.repos[repo]?.of ?? DEFAULT_ROLE;
  return (isOfOtherWorkspace(as) ? as : DEFAULT_ROLE) !== home;
}

/** MCP-SCOPE-*, SCOPE-VIEW-*: the contract names the scopes of tools. For routes it only states that a key with view scopes changes nothing. */
function findScopeRefusals(states: States, request: ModelRequest): Branch[] | undefined {
  if (!lacksScope(states, request)) return undefined;
  const { scopeClause = "MCP-SCOPE-REFUSED", viewClause = "SCOPE-REFUSED" } = findOperationStatement(request.what);
  const clauses = [request.by === "tool" ? scopeClause : viewClause, "SCOPE-REFUSED"];
  return [{ requirements: createRefusalRules(clauses, request.by === "tool" ? 403 : "4xx"), next: states }];
}

/** Returns whether a caller certainly lacks the scope of a request. */
export function lacksScope(states: States, request: ModelRequest): boolean {
  const scopes = listScopes(states, request.as);
  if (request.by === "tool") return !listNeededScopes(request).every((scope) => hasScope(scopes, scope));
  return findOperationStatement(request.what).viewClause !== undefined && isViewOnly(scopes);
}

/** Returns the refusal of a REST request that only lacks the scope. SCOPE-REFUSED-STATUS. */
export function createScopeRefusal(states: States, { what }: ModelRequest): Branch {
  const clauses = [findOperationStatement(what).viewClause ?? "SCOPE-REFUSED", "SCOPE-REFUSED", "SCOPE-REFUSED-STATUS"];
  return { requirements: createRefusalRules(clauses, 403, { type: "permission_error" }), next: states };
}

/** Returns the scopes of a tool call. MCP-SCOPE-SUBMIT-FIX, MCP-SCOPE-SUBMIT-TASK: a fix or a task needs one additional scope. */
function listNeededScopes({ what, with: more }: ModelRequest): readonly Scope[] {
  const { scopes } = findOperationStatement(what);
  const own = findWorkflowStatement(more?.workflow)?.scope;
  return own ? [...scopes, own.name] : scopes;
}

/** Returns a branch for an open outcome: anything except a server failure. */
export function openOutcome(states: States, clause: string): Branch {
  return { requirements: [createRequirement(clause, { status: { lt: 500 } })], next: states };
}
