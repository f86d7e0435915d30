import { operationStatement } from "../statements/operations.js";
import { DEFAULT_ROLE, isOfOtherWorkspace, isViewOnly, refusedCredentials, scopesOfRole } from "../statements/roles.js";
import { hasScope, type Scope } from "../statements/scopes.js";
import { workflowStatement } from "../statements/workflows.js";
import { type Branch, must, notFound, refused } from "./branch.js";
import type { ModelRequest } from "./request.js";
import type { States } from "./states.js";

/** Roles that lack something, in the order in which they are tried. */
export const TRESPASSERS: readonly string[] = ["viewer", "free", "triage", "no_fix", "no_delete"];

/** The scopes of a key, by its role or the name of one of ours. */
function scopesOf(states: States, as: string): readonly string[] {
  return states.keys[as]?.scopes ?? scopesOfRole(as);
}

/** How a request comes out because of who sends it, whatever else it asks; undefined when its sender may. */
export function stopped(states: States, request: ModelRequest): Branch[] | undefined {
  // A sign-in may look around in a suspended workspace; what else it may is not said.
  if (request.as.startsWith("session:")) return states.suspended ? [unsaid(states, "KEY-CREATE-ADMIN")] : undefined;
  const dead = deadBecause(states, request.as);
  if (dead === null) return [{ must: [], next: states }];
  if (dead !== undefined) return [{ must: unauthenticated(dead), next: states }];
  if (isForeign(states, request)) {
    const notThere = { must: notFound(request.job ? "JOB-ID-UNKNOWN" : "KEY-WORKSPACE-GET"), next: states };
    return request.what.endsWith("/reset") ? [notThere, unlikeFlags(states)] : [notThere];
  }
  return lackingScope(states, request);
}

/** The clause by which a caller is not let in; null when that cannot be told. */
function deadBecause(states: States, as: string): string | null | undefined {
  if (states.suspended && !isOfOtherWorkspace(as) && !(as in refusedCredentials)) return "WORKSPACE-SUSPEND-401";
  const key = states.keys[as];
  if (key === undefined) return refusedCredentials[as];
  if (key.live === null) return null;
  return key.live ? undefined : key.expires <= states.now ? "KEY-EXPIRY-401" : "KEY-STATE-REVOKED";
}

function unauthenticated(clause: string) {
  return [
    must([clause, "ERR-TYPE-AUTHENTICATION"], { status: 401 }, { refused: true }),
    ...refused(clause, 401, { type: "authentication_error" }),
  ];
}

/** REPO-RESET-ROUTE: the types of the flags of a reset are not shown, and which of two refusals comes first is not said. */
function unlikeFlags(states: States): Branch {
  return { must: refused("REPO-RESET-ROUTE", 422), next: states };
}

/** KEY-WORKSPACE-GET: a thing of another workspace is not there. */
function isForeign(states: States, { as, job, ref, repo, what }: ModelRequest): boolean {
  if (job !== undefined || ref !== undefined) return isOfOtherWorkspace(as);
  if (repo === undefined || what === "POST /api/repos") return false;
  const home = states.repos[repo]?.of ?? DEFAULT_ROLE;
  return (isOfOtherWorkspace(as) ? as : DEFAULT_ROLE) !== home;
}

/** MCP-SCOPE-*, SCOPE-VIEW-*: tools name their scopes; of routes it is only said that a key which may only look changes nothing. */
function lackingScope(states: States, request: ModelRequest): Branch[] | undefined {
  if (!lacksScope(states, request)) return undefined;
  const { scopeClause = "MCP-SCOPE-REFUSED", viewClause = "SCOPE-REFUSED" } = operationStatement(request.what);
  const clauses = [request.by === "tool" ? scopeClause : viewClause, "SCOPE-REFUSED"];
  return [{ must: refused(clauses, request.by === "tool" ? 403 : "4xx"), next: states }];
}

/** Whether it is certain that a caller lacks the scope for a request. */
export function lacksScope(states: States, request: ModelRequest): boolean {
  const scopes = scopesOf(states, request.as);
  if (request.by === "tool") return !scopesNeeded(request).every((scope) => hasScope(scopes, scope));
  return operationStatement(request.what).viewClause !== undefined && isViewOnly(scopes);
}

/** SCOPE-REFUSED-STATUS: the refusal of a request over REST that nothing but the scope stands against. */
export function forbidden(states: States, { what }: ModelRequest): Branch {
  const clauses = [operationStatement(what).viewClause ?? "SCOPE-REFUSED", "SCOPE-REFUSED", "SCOPE-REFUSED-STATUS"];
  return { must: refused(clauses, 403, { type: "permission_error" }), next: states };
}

/** The scopes that a tool call needs. MCP-SCOPE-SUBMIT-FIX, MCP-SCOPE-SUBMIT-TASK: a fix or a task needs its own beside. */
function scopesNeeded({ what, with: more }: ModelRequest): readonly Scope[] {
  const { scopes } = operationStatement(what);
  const own = workflowStatement(more?.workflow)?.scope;
  return own ? [...scopes, own.name] : scopes;
}

/** Nothing is said of how this comes out, but that it is no fault of the service. */
export function unsaid(states: States, clause: string): Branch {
  return { must: [must(clause, { status: { lt: 500 } })], next: states };
}
