/** What a request is about. */
export type Subject = "repo" | "job" | "ref" | "key";

/** What an examiner knows of one operation before it is asked for. */
export interface OperationText {
  subject: readonly Subject[];
  /** Purpose of the tool that does the same. */
  tool?: string;
  /** Scopes that the tool needs (MCP-SCOPE-*). */
  scopes: readonly string[];
  /** The clause of that. */
  scopeClause?: string;
  /** The clause by which a key with only view scopes is refused. */
  viewClause?: string;
  /** Where the id of what it makes stands in the answer. */
  save?: string;
  /** Whether a body is sent though nothing need stand in it. */
  body?: true;
  /** Whether it changes nothing. */
  read?: true;
}

const tenant = { subject: [], scopes: ["manage_tenant_settings"], scopeClause: "MCP-SCOPE-TENANT" } as const;
const triage = {
  subject: ["ref"],
  scopes: ["triage_observations"],
  scopeClause: "MCP-SCOPE-TRIAGE",
  viewClause: "SCOPE-VIEW-TRIAGE",
} as const;
const read = { scopes: [], read: true } as const;

/** Every route, and every tool that has none, as section 4 of the contract lists them. */
export const operations = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": {
    subject: ["repo"],
    tool: "submit_job",
    scopes: ["submit_audit_jobs"],
    scopeClause: "MCP-SCOPE-SUBMIT",
    viewClause: "SCOPE-VIEW-SUBMIT",
    save: "/id",
  },
  "GET /api/repos/{owner}/{repo}/{branch}/jobs": { subject: ["repo"], ...read },
  "GET /api/jobs": { subject: [], tool: "list_jobs", ...read, scopes: ["view_jobs"], scopeClause: "MCP-SCOPE-JOBS" },
  "GET /api/jobs/{job_id}": {
    subject: ["job"],
    tool: "job_status",
    ...read,
    scopes: ["view_jobs"],
    scopeClause: "MCP-SCOPE-STATUS",
  },
  "POST /api/jobs/{job_id}/cancel": { subject: ["job"], scopes: [] },
  "POST /api/jobs/{job_id}/retry": {
    subject: ["job"],
    tool: "retry_job",
    scopes: ["submit_audit_jobs"],
    scopeClause: "MCP-SCOPE-RETRY",
    viewClause: "SCOPE-VIEW-SUBMIT",
    save: "/id",
  },
  "GET /api/repos": { subject: [], tool: "list_repositories", ...read },
  "POST /api/repos": {
    subject: ["repo"],
    tool: "register_repository",
    scopes: ["register_repo"],
    scopeClause: "MCP-SCOPE-REGISTER",
    viewClause: "SCOPE-VIEW-REGISTER",
  },
  "GET /api/repos/{owner}/{repo}/{branch}": { subject: ["repo"], ...read },
  "DELETE /api/repos/{owner}/{repo}/{branch}": { subject: ["repo"], scopes: [], viewClause: "SCOPE-VIEW-DELETE" },
  "POST /api/repos/{owner}/{repo}/{branch}/reset": { subject: ["repo"], scopes: [], viewClause: "SCOPE-VIEW-DELETE", body: true },
  "GET /api/repos/{owner}/{repo}/{branch}/discovery": { subject: ["repo"], ...read },
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge": { subject: ["repo"], tool: "knowledge", ...read },
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs": {
    subject: ["repo"],
    tool: "list_fix_prs",
    ...read,
    scopes: ["view_repositories"],
    scopeClause: "MCP-SCOPE-FIXPRS",
  },
  "GET /api/repos/{owner}/{repo}/{branch}/forecasts": { subject: ["repo"], ...read },
  "GET /api/forecasts/lookup": { subject: [], tool: "forecast", ...read },
  "GET /api/observations": { subject: [], tool: "list_observations", ...read },
  "GET /api/observations/{ref}": { subject: ["ref"], tool: "explain_observation", ...read },
  "POST /api/observations/{ref}/fix": {
    subject: ["ref"],
    tool: "submit_fix",
    scopes: ["submit_fix_jobs"],
    scopeClause: "MCP-SCOPE-FIX",
    viewClause: "SCOPE-VIEW-FIX",
    save: "/job_id",
    body: true,
  },
  "POST /api/observations/{ref}/dismiss": { ...triage, tool: "dismiss_observation" },
  "POST /api/observations/{ref}/reopen": { ...triage, tool: "reopen_observation" },
  "POST /api/observations/{ref}/complete": { ...triage, tool: "complete_observation" },
  "POST /api/observations/{ref}/acknowledge": { ...triage, tool: "acknowledge_observation" },
  "POST /api/observations/{ref}/publish-ticket": { ...triage, tool: "create_ticket", body: true },
  "POST /api/keys": { subject: [], scopes: [], save: "/key_id" },
  "PATCH /api/keys/{key_id}": { subject: ["key"], scopes: [] },
  "GET /api/openapi.json": { subject: [], ...read },
  request_fix: { subject: ["ref", "job"], scopes: ["submit_fix_jobs"], scopeClause: "MCP-SCOPE-REQFIX" },
  update_repository_metadata: { subject: ["repo"], scopes: ["manage_repos"], scopeClause: "MCP-SCOPE-METADATA" },
  set_guidance: tenant,
  clear_guidance: tenant,
  set_workspace_context: tenant,
  clear_workspace_context: tenant,
  set_setting: tenant,
  clear_setting: tenant,
  set_learn_mode: tenant,
  record_doc_read: { subject: ["repo"], scopes: [] },
  repository_overview: { subject: ["repo"], ...read },
  rules_for_file: { subject: ["repo"], ...read },
  canonical_pattern: { subject: ["repo"], ...read, scopes: ["view_repositories"], scopeClause: "MCP-SCOPE-PATTERN" },
  recent_issues: { subject: ["repo"], ...read },
  pending_migrations: { subject: ["repo"], ...read },
  list_guides: { subject: [], ...read },
  read_guide: { subject: [], ...read },
} satisfies Record<string, OperationText>;

/** A route, or the purpose of a tool that has no route. */
export type Operation = keyof typeof operations;

/** What is known of an operation. */
export function textOf(what: Operation): OperationText {
  return operations[what];
}
