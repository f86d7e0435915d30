import { SCOPES } from "../stated/scopes.js";
import type { Ask } from "./ask.js";
import { accepted, type Branch, must, notFound, refused } from "./branch.js";
import { textOf } from "./operations.js";
import type { States } from "./states.js";

/** Credentials that must be refused, and the clause that says so (ERR-TYPE-AUTHENTICATION for all). */
export const DEAD: Readonly<Record<string, string>> = {
  none: "AUTH-MISSING",
  malformed: "AUTH-MALFORMED",
  unknown: "ERR-TYPE-AUTHENTICATION",
  expired: "KEY-EXPIRY-401",
  revoked: "KEY-STATE-REVOKED",
  fenced: "KEY-FENCE-OUTSIDE",
  suspended: "WORKSPACE-SUSPEND-401",
};

/** Roles of other workspaces than that of `full`. */
export const ELSEWHERE: readonly string[] = ["free", "broke", "beta"];

/** Roles that lack something, in the order of their picks. */
export const TRESPASSERS: readonly string[] = ["viewer", "free", "triage", "no_fix", "no_delete"];

const VIEW = ["view_repositories", "view_jobs"];

/** The scopes of a key, by its role. */
export function scopesOf(states: States, as: string): readonly string[] {
  if (as === "viewer") return VIEW;
  if (as === "triage") return ["triage_observations"];
  if (as === "no_fix") return [...VIEW, "submit_audit_jobs", "triage_observations"];
  return states.keys[as]?.scopes ?? SCOPES;
}

/** How a request comes out because of who sends it, whatever else it asks; undefined when its sender may. */
export function stopped(states: States, ask: Ask): Branch[] | undefined {
  // A sign-in may look around in a suspended workspace; what else it may is not said.
  if (ask.as.startsWith("session:")) return states.suspended ? [unsaid(states, "KEY-CREATE-ADMIN")] : undefined;
  const dead = deadBecause(states, ask.as);
  if (dead === null) return [{ must: [], next: states }];
  if (dead !== undefined) return [{ must: unauthenticated(dead), next: states }];
  if (isForeign(states, ask)) return [{ must: notFound(ask.job ? "JOB-ID-UNKNOWN" : "KEY-WORKSPACE-GET"), next: states }];
  return lackingScope(states, ask);
}

/** The clause by which a caller is not let in; null when that cannot be told. */
function deadBecause(states: States, as: string): string | null | undefined {
  if (states.suspended && !ELSEWHERE.includes(as) && !(as in DEAD)) return "WORKSPACE-SUSPEND-401";
  const key = states.keys[as];
  if (key === undefined) return DEAD[as];
  if (key.live === null) return null;
  return key.live ? undefined : key.expires <= states.now ? "KEY-EXPIRY-401" : "KEY-STATE-REVOKED";
}

function unauthenticated(clause: string) {
  return [
    must([clause, "ERR-TYPE-AUTHENTICATION"], { status: 401 }, { refused: true }),
    ...refused(clause, 401, { type: "authentication_error" }),
  ];
}

/** KEY-WORKSPACE-GET: a thing of another workspace is not there. */
function isForeign(states: States, { as, job, ref, repo, what }: Ask): boolean {
  if (job !== undefined || ref !== undefined) return ELSEWHERE.includes(as);
  if (repo === undefined || what === "POST /api/repos") return false;
  const home = states.repos[repo]?.of ?? "full";
  return (ELSEWHERE.includes(as) ? as : "full") !== home;
}

/** MCP-SCOPE-*, SCOPE-VIEW-*: tools name their scopes; of routes it is only said that a key which may only look changes nothing. */
function lackingScope(states: States, ask: Ask): Branch[] | undefined {
  if (!lacksScope(states, ask)) return undefined;
  const { scopeClause = "MCP-SCOPE-REFUSED", viewClause = "SCOPE-REFUSED" } = textOf(ask.what);
  const clauses = [ask.by === "tool" ? scopeClause : viewClause, "SCOPE-REFUSED"];
  return [{ must: refused(clauses, ask.by === "tool" ? 403 : "4xx"), next: states }];
}

/** Whether it is certain that a caller lacks the scope for a request. */
export function lacksScope(states: States, ask: Ask): boolean {
  const scopes = scopesOf(states, ask.as);
  if (ask.by === "tool") return !scopesNeeded(ask).every((scope) => holds(scopes, scope));
  return textOf(ask.what).viewClause !== undefined && scopes.every((scope) => VIEW.includes(scope));
}

/** SCOPE-REFUSED-STATUS: the refusal of a request over REST that nothing but the scope stands against. */
export function forbidden(states: States, { what }: Ask): Branch {
  const clauses = [textOf(what).viewClause ?? "SCOPE-REFUSED", "SCOPE-REFUSED", "SCOPE-REFUSED-STATUS"];
  return { must: refused(clauses, 403, { type: "permission_error" }), next: states };
}

/** The scopes that a tool call needs. MCP-SCOPE-SUBMIT-FIX, MCP-SCOPE-SUBMIT-TASK: a fix or a task needs its own beside. */
function scopesNeeded({ what, with: more }: Ask): readonly string[] {
  const { scopes } = textOf(what);
  const own = more?.workflow === "fix" ? ["submit_fix_jobs"] : more?.workflow === "task" ? ["submit_task_jobs"] : [];
  return [...scopes, ...own];
}

/** MCP-SCOPE-REGISTER-IMPLIED: one scope that holds another. */
function holds(scopes: readonly string[], scope: string): boolean {
  return scopes.includes(scope) || (scope === "register_repo" && scopes.includes("manage_repos"));
}

/** Nothing is said of how this comes out, but that it is no fault of the service. */
export function unsaid(states: States, clause: string): Branch {
  return { must: [must(clause, { status: { lt: 500 } })], next: states };
}

/** The request is carried out and nothing in the model changes. */
export function served(states: States, clause: string, status: unknown = "2xx"): Branch {
  return { must: [accepted(clause, status)], next: states };
}
