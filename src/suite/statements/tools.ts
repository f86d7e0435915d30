import type { Effect, Row } from "../../engine/scenario/format.js";
import type { Route, Subject } from "./routes.js";
import type { Scope } from "./scopes.js";

/** The contract's statement about one tool. A tool with a route does the same as the route; any other tool has its own effect and subject. */
export type ToolStatement = {
  /** The clause that requires the tool. */
  clause: string;
  /** Scopes that a key needs for the tool, and the clause of that (MCP-SCOPE-*). */
  scopes: readonly Scope[];
  scopeClause?: string;
  /** The argument names that the contract shows. Such a tool is named after its purpose. MCP-TOOL-NAMES: all other names are open. */
  shownArguments?: readonly string[];
  /** Valid arguments, apart from its subject. */
  sample?: Row;
} & (
  | { route: Route }
  | {
      effect: Effect;
      subject: readonly Subject[];
      /** The tool that resets what this tool sets. */
      clearedBy?: string;
    }
);

const read = { effect: "read", subject: [], scopes: [] } as const;
const readRepository = { effect: "read", subject: ["repo"], scopes: [] } as const;
const tenant = {
  effect: "write",
  subject: [],
  scopes: ["manage_tenant_settings"],
  scopeClause: "MCP-SCOPE-TENANT",
} as const;
const triage = { scopes: ["triage_observations"], scopeClause: "MCP-SCOPE-TRIAGE" } as const;
const viewRepositories = ["view_repositories"] as const;
const viewJobs = ["view_jobs"] as const;
const submitAudits = ["submit_audit_jobs"] as const;
const submitFixes = ["submit_fix_jobs"] as const;

/** The location of a finding in the file that the samples of the tools name. */
export const SAMPLE_LOCATION = { file_path: "src/explored.ts", symbol: "run", line_start: 3, line_end: 9 } as const;
const atSample = { file_path: SAMPLE_LOCATION.file_path };

/** Every tool by its purpose: the read tools and the write tools of section 4, in their order. */
const tools = {
  list_repositories: { route: "GET /api/repos", clause: "MCP-TOOL-REPOS", scopes: [] },
  repository_overview: { ...readRepository, clause: "MCP-TOOL-OVERVIEW" },
  knowledge: { route: "GET /api/repos/{owner}/{repo}/{branch}/knowledge", clause: "MCP-TOOL-KNOWLEDGE", scopes: [] },
  list_observations: {
    route: "GET /api/observations",
    clause: "MCP-TOOL-OBS-LIST",
    scopes: [],
    shownArguments: ["kind", "status", "priority", "repo"], // MCP-TOOL-OBS-FILTERS
  },
  rules_for_file: { ...readRepository, clause: "MCP-TOOL-RULES", sample: atSample },
  canonical_pattern: {
    ...readRepository,
    clause: "MCP-TOOL-PATTERN",
    scopes: viewRepositories,
    scopeClause: "MCP-SCOPE-PATTERN",
  },
  recent_issues: { ...readRepository, clause: "MCP-TOOL-RECENT", sample: atSample },
  explain_observation: { route: "GET /api/observations/{ref}", clause: "MCP-TOOL-EXPLAIN", scopes: [] },
  pending_migrations: { ...readRepository, clause: "MCP-TOOL-MIGRATIONS" },
  list_guides: { ...read, clause: "MCP-TOOL-GUIDES" },
  read_guide: { ...read, clause: "MCP-TOOL-GUIDES", sample: { guide: "{binding.guide}" } },
  forecast: {
    route: "GET /api/forecasts/lookup",
    clause: "MCP-TOOL-FORECAST",
    scopes: [], // MCP-SCOPE-FORECAST
    sample: { workflow: "audit" },
  },
  job_status: {
    route: "GET /api/jobs/{job_id}",
    clause: "MCP-TOOL-STATUS",
    scopes: viewJobs,
    scopeClause: "MCP-SCOPE-STATUS",
  },
  list_jobs: { route: "GET /api/jobs", clause: "MCP-TOOL-JOBS", scopes: viewJobs, scopeClause: "MCP-SCOPE-JOBS" },
  list_fix_prs: {
    route: "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
    clause: "MCP-TOOL-FIXPRS",
    scopes: viewRepositories,
    scopeClause: "MCP-SCOPE-FIXPRS",
  },
  submit_job: {
    route: "POST /api/repos/{owner}/{repo}/{branch}/jobs",
    clause: "MCP-TOOL-SUBMIT",
    scopes: submitAudits, // and those of the workflow
    scopeClause: "MCP-SCOPE-SUBMIT",
    sample: { workflow: "audit" },
  },
  submit_fix: {
    route: "POST /api/observations/{ref}/fix",
    clause: "MCP-TOOL-FIX",
    scopes: submitFixes,
    scopeClause: "MCP-SCOPE-FIX",
  },
  request_fix: {
    effect: "write",
    subject: ["ref", "job"],
    clause: "MCP-TOOL-REQFIX",
    scopes: submitFixes,
    scopeClause: "MCP-SCOPE-REQFIX",
  },
  retry_job: {
    route: "POST /api/jobs/{job_id}/retry",
    clause: "MCP-TOOL-RETRY",
    scopes: submitAudits,
    scopeClause: "MCP-SCOPE-RETRY",
  },
  register_repository: {
    route: "POST /api/repos",
    clause: "MCP-TOOL-REGISTER",
    scopes: ["register_repo"],
    scopeClause: "MCP-SCOPE-REGISTER",
    sample: { access_mode: "anonymous" },
  },
  dismiss_observation: { route: "POST /api/observations/{ref}/dismiss", clause: "MCP-TOOL-DISMISS", ...triage },
  acknowledge_observation: { route: "POST /api/observations/{ref}/acknowledge", clause: "MCP-TOOL-ACK", ...triage },
  complete_observation: { route: "POST /api/observations/{ref}/complete", clause: "MCP-TOOL-COMPLETE", ...triage },
  reopen_observation: { route: "POST /api/observations/{ref}/reopen", clause: "MCP-TOOL-REOPEN", ...triage },
  create_ticket: { route: "POST /api/observations/{ref}/publish-ticket", clause: "MCP-TOOL-TICKET", ...triage },
  update_repository_metadata: {
    effect: "write",
    subject: ["repo"],
    clause: "MCP-TOOL-METADATA",
    scopes: ["manage_repos"],
    scopeClause: "MCP-SCOPE-METADATA",
    sample: { pr_review_enabled: true },
  },
  set_guidance: {
    ...tenant,
    clause: "MCP-TOOL-GUIDANCE",
    sample: { guidance: "Keep changes small." },
    clearedBy: "clear_guidance",
  },
  clear_guidance: { ...tenant, clause: "MCP-TOOL-GUIDANCE" },
  set_workspace_context: {
    ...tenant,
    clause: "MCP-TOOL-CONTEXT",
    sample: { context: "A shop and its back office." },
    clearedBy: "clear_workspace_context",
  },
  clear_workspace_context: { ...tenant, clause: "MCP-TOOL-CONTEXT" },
  set_setting: {
    ...tenant,
    clause: "MCP-TOOL-SETTING",
    sample: { setting: "audit_timeout_s", value: 1800 },
    clearedBy: "clear_setting",
  },
  clear_setting: { ...tenant, clause: "MCP-TOOL-SETTING", sample: { setting: "audit_timeout_s" } },
  set_learn_mode: { ...tenant, clause: "MCP-TOOL-LEARN", sample: { learn_mode: true } },
  record_doc_read: {
    effect: "write",
    subject: ["repo"],
    scopes: [], // MCP-SCOPE-DOCREAD
    clause: "MCP-TOOL-DOCREAD",
    sample: { doc_path: "{binding.doc_path}" },
  },
} as const satisfies Record<string, ToolStatement>;

/** The purpose of a tool, as target files and scenarios name it. The contract shows the name of one tool only. */
export type ToolPurpose = keyof typeof tools;

/** The purpose of a tool that no route replaces. */
export type ToolWithoutRoute = { [P in ToolPurpose]: (typeof tools)[P] extends { route: string } ? never : P }[ToolPurpose];

/** The purpose of a tool that no route replaces and that changes something. */
export type WriteToolWithoutRoute = {
  [P in ToolWithoutRoute]: (typeof tools)[P] extends { effect: "read" } ? never : P;
}[ToolWithoutRoute];

/** Returns the contract's statement about a tool. */
export function findToolStatement(purpose: ToolPurpose): ToolStatement {
  return tools[purpose];
}

/** The purposes of all tools, in the order of the contract. */
export const toolPurposes = Object.keys(tools) as readonly ToolPurpose[];

/** Returns whether a tool with this purpose exists. */
export function isToolPurpose(purpose: string): purpose is ToolPurpose {
  return Object.hasOwn(tools, purpose);
}

/** Returns the tool that does the same as a route; undefined where none does (MCP-TOOL-NOCANCEL, MCP-TOOL-NODELETE). */
export function findRouteTool(route: Route): ToolPurpose | undefined {
  return toolPurposes.find((purpose) => {
    const text = findToolStatement(purpose);
    return "route" in text && text.route === route;
  });
}
