import type { McpText, Step } from "../scenario/format.js";
import type { Scope } from "../stated/scopes.js";
import { cancelledJob, openFinding } from "./set-up.js";

/** A request that a key without a scope must be refused. */
export interface Probe {
  clause: string;
  step: Step;
  /** Whether a key with these scopes may be let through. */
  admitted(held: ReadonlySet<Scope>): boolean;
}

/** What the probes are about: an open finding `{ref}` and a cancelled job `{job}`. */
export const PROBED: readonly Step[] = [openFinding, ...cancelledJob()];

const REPO = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };
const NOTE = "Tried without the scope by the examiner.";

function tool(purpose: string, given: McpText["arguments"], clause: string, ...needed: Scope[]): Probe {
  return {
    clause,
    step: { mcp: { tool: purpose, arguments: given ?? {} } },
    admitted: (held) => needed.every((scope) => held.has(scope)),
  };
}

const registers: Probe = {
  ...tool("register_repository", { ...REPO, branch: "probed-{unique}", access_mode: "anonymous" }, "MCP-SCOPE-REGISTER"),
  admitted: (held) => held.has("register_repo") || held.has("manage_repos"),
};

/** The tools with a scope each, by the table of section 4. */
export const TOOL_PROBES: readonly Probe[] = [
  tool("canonical_pattern", { ...REPO }, "MCP-SCOPE-PATTERN", "view_repositories"),
  tool("list_fix_prs", { ...REPO }, "MCP-SCOPE-FIXPRS", "view_repositories"),
  tool("job_status", { job_id: "{job}" }, "MCP-SCOPE-STATUS", "view_jobs"),
  tool("list_jobs", {}, "MCP-SCOPE-JOBS", "view_jobs"),
  tool("submit_job", { ...REPO, workflow: "audit" }, "MCP-SCOPE-SUBMIT", "submit_audit_jobs"),
  tool(
    "submit_job",
    { ...REPO, workflow: "fix", params: "{binding.job_params.fix}" },
    "MCP-SCOPE-SUBMIT-FIX",
    "submit_audit_jobs",
    "submit_fix_jobs",
  ),
  tool("submit_fix", { ref: "{ref}" }, "MCP-SCOPE-FIX", "submit_fix_jobs"),
  tool("request_fix", { ref: "{ref}", job_id: "{job}" }, "MCP-SCOPE-REQFIX", "submit_fix_jobs"),
  tool("retry_job", { job_id: "{job}" }, "MCP-SCOPE-RETRY", "submit_audit_jobs"),
  registers,
  tool("acknowledge_observation", { ref: "{ref}" }, "MCP-SCOPE-TRIAGE", "triage_observations"),
  tool("complete_observation", { ref: "{ref}" }, "MCP-SCOPE-TRIAGE", "triage_observations"),
  tool(
    "dismiss_observation",
    { ref: "{ref}", dismissal_category: "other", dismissal_note: NOTE },
    "MCP-SCOPE-TRIAGE",
    "triage_observations",
  ),
];

function route(clause: string, step: Step): Probe {
  return { clause, step, admitted: (held) => [...held].some((scope) => scope !== "view_repositories" && scope !== "view_jobs") };
}

/** Routes that no key with only view scopes may use; which scope each of them needs is not shown. */
export const ROUTE_PROBES: readonly Probe[] = [
  route("SCOPE-VIEW-SUBMIT", { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "audit", params: {} } }),
  route("SCOPE-VIEW-SUBMIT", { rest: "POST /api/jobs/{job}/retry", json: {} }),
  route("SCOPE-VIEW-FIX", { rest: "POST /api/observations/{ref}/fix", json: {} }),
  route("SCOPE-VIEW-TRIAGE", { rest: "POST /api/observations/{ref}/acknowledge" }),
  route("SCOPE-VIEW-TRIAGE", { rest: "POST /api/observations/{ref}/complete", json: {} }),
  route("SCOPE-VIEW-DELETE", { rest: "DELETE /api/repos/{repo}" }),
  route("SCOPE-VIEW-DELETE", { rest: "POST /api/repos/{repo}/reset", json: { findings: true } }),
];
