import type { McpText, Step } from "../../../engine/scenario/format.js";
import { triageActions } from "../../statements/observations.js";
import { isViewOnly } from "../../statements/roles.js";
import { type Route, routeStatement } from "../../statements/routes.js";
import { hasScope, type Scope } from "../../statements/scopes.js";
import { cancelledJob, openFinding, requestLine } from "../../statements/setup-steps.js";
import { type ToolPurpose, toolStatement } from "../../statements/tools.js";
import { workflows } from "../../statements/workflows.js";

/** A request that the server must refuse to a key without a scope. */
export interface Probe {
  clause: string;
  step: Step;
  /** Returns whether a key with these scopes may be accepted. */
  admitted(held: ReadonlySet<Scope>): boolean;
}

/** Creates the resources of the probes: an open finding `{ref}` and a cancelled job `{job}`. */
export const PROBE_RESOURCES: readonly Step[] = [openFinding, ...cancelledJob()];

const REPO = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };
const NOTE = "Sent without the scope by the runner.";

function tool(purpose: ToolPurpose, row: McpText["arguments"], more?: { name: Scope; clause: string }): Probe {
  const { scopes, scopeClause } = toolStatement(purpose);
  const needed = [...scopes, ...(more ? [more.name] : [])];
  return {
    clause: more?.clause ?? scopeClause ?? "",
    step: { mcp: { tool: purpose, arguments: row ?? {} } },
    admitted: (held) => needed.every((scope) => hasScope(held, scope)),
  };
}

/** The tools that need a scope, from the table of section 4. */
export const TOOL_PROBES: readonly Probe[] = [
  tool("canonical_pattern", REPO),
  tool("list_fix_prs", REPO),
  tool("job_status", { job_id: "{job}" }),
  tool("list_jobs", {}),
  tool("submit_job", { ...REPO, workflow: "audit" }),
  tool("submit_job", { ...REPO, workflow: "fix", params: "{binding.job_params.fix}" }, workflows.fix.scope),
  tool("submit_fix", { ref: "{ref}" }),
  tool("request_fix", { ref: "{ref}", job_id: "{job}" }),
  tool("retry_job", { job_id: "{job}" }),
  tool("register_repository", { ...REPO, branch: "probed-{unique}", access_mode: "anonymous" }),
  tool("acknowledge_observation", { ref: "{ref}" }),
  tool("complete_observation", { ref: "{ref}" }),
  tool("dismiss_observation", { ref: "{ref}", ...triageActions.dismiss.body(NOTE) }),
];

function route(name: Route, body?: Step["json"]): Probe {
  return {
    clause: routeStatement(name).viewClause ?? "",
    step: { rest: requestLine(name), ...(body !== undefined && { json: body }) },
    admitted: (held) => !isViewOnly([...held]),
  };
}

/** Routes that refuse a key with only view scopes. The contract does not show which scope each needs. */
export const ROUTE_PROBES: readonly Probe[] = [
  route("POST /api/repos/{owner}/{repo}/{branch}/jobs", { workflow: "audit", params: {} }),
  route("POST /api/jobs/{job_id}/retry", {}),
  route("POST /api/observations/{ref}/fix", {}),
  route("POST /api/observations/{ref}/acknowledge"),
  route("POST /api/observations/{ref}/complete", {}),
  route("DELETE /api/repos/{owner}/{repo}/{branch}"),
  route("POST /api/repos/{owner}/{repo}/{branch}/reset", { findings: true }),
];
