import type { McpText, Step } from "../../../engine/scenario/format.js";
import { triageActions } from "../../statements/observations.js";
import { isViewOnly } from "../../statements/roles.js";
import { findRouteStatement, type Route } from "../../statements/routes.js";
import { hasScope, type Scope } from "../../statements/scopes.js";
import { createCancelledJob, createRequestLine, openFinding } from "../../statements/setup-steps.js";
import { findToolStatement, type ToolPurpose } from "../../statements/tools.js";
import { workflows } from "../../statements/workflows.js";

/** A request that the server must refuse to a key without a scope. */
export interface Probe {
  clause: string;
  step: Step;
  /** Returns whether a key with these scopes may be accepted. */
  admitted(held: ReadonlySet<Scope>): boolean;
}

/** Creates the resources of the probes: an open finding `{ref}` and a cancelled job `{job}`. */
export const PROBE_RESOURCES: readonly Step[] = [openFinding, ...createCancelledJob()];

const REPO = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };
const NOTE = "Sent without the scope by the runner.";

function createToolProbe(purpose: ToolPurpose, row: McpText["arguments"], more?: { name: Scope; clause: string }): Probe {
  const { scopes, scopeClause } = findToolStatement(purpose);
  const needed = [...scopes, ...(more ? [more.name] : [])];
  return {
    clause: more?.clause ?? scopeClause ?? "",
    step: { mcp: { tool: purpose, arguments: row ?? {} } },
    admitted: (held) => needed.every((scope) => hasScope(held, scope)),
  };
}

/** The tools that need a scope, from the table of section 4. */
export const TOOL_PROBES: readonly Probe[] = [
  createToolProbe("canonical_pattern", REPO),
  createToolProbe("list_fix_prs", REPO),
  createToolProbe("job_status", { job_id: "{job}" }),
  createToolProbe("list_jobs", {}),
  createToolProbe("submit_job", { ...REPO, workflow: "audit" }),
  createToolProbe("submit_job", { ...REPO, workflow: "fix", params: "{binding.job_params.fix}" }, workflows.fix.scope),
  createToolProbe("submit_fix", { ref: "{ref}" }),
  createToolProbe("request_fix", { ref: "{ref}", job_id: "{job}" }),
  createToolProbe("retry_job", { job_id: "{job}" }),
  createToolProbe("register_repository", { ...REPO, branch: "probed-{unique}", access_mode: "anonymous" }),
  createToolProbe("acknowledge_observation", { ref: "{ref}" }),
  createToolProbe("complete_observation", { ref: "{ref}" }),
  createToolProbe("dismiss_observation", { ref: "{ref}", ...triageActions.dismiss.body(NOTE) }),
];

function createRouteProbe(name: Route, body?: Step["json"]): Probe {
  return {
    clause: findRouteStatement(name).viewClause ?? "",
    step: { rest: createRequestLine(name), ...(body !== undefined && { json: body }) },
    admitted: (held) => !isViewOnly([...held]),
  };
}

/** Routes that refuse a key with only view scopes. The contract does not show which scope each needs. */
export const ROUTE_PROBES: readonly Probe[] = [
  createRouteProbe("POST /api/repos/{owner}/{repo}/{branch}/jobs", { workflow: "audit", params: {} }),
  createRouteProbe("POST /api/jobs/{job_id}/retry", {}),
  createRouteProbe("POST /api/observations/{ref}/fix", {}),
  createRouteProbe("POST /api/observations/{ref}/acknowledge"),
  createRouteProbe("POST /api/observations/{ref}/complete", {}),
  createRouteProbe("DELETE /api/repos/{owner}/{repo}/{branch}"),
  createRouteProbe("POST /api/repos/{owner}/{repo}/{branch}/reset", { findings: true }),
];
