import { contract } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, Scope } from "../../src/contract/types.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { World } from "../../src/service/world/world.js";
import { each, onTool, valuesOf } from "./family.js";
import { openTo } from "./helpers/keys.js";
import { refusingCalls } from "./helpers/tools.js";
import { type Mutant, withScopes } from "./mutant.js";

const everyScope = contract.enums.Scope;

type Given = IncomingToolCall["arguments"];

/** Mutants that break a clause of MCP-SCOPE-*. */
export const toolScopesMutants: Mutant[] = [
  ...each("MCP-SCOPE-TRIAGE", "triage operation", "lets any key use *", openTo()),
  ...each("MCP-SCOPE-TENANT", "tenant tool", "lets any key use *", openTo()),
  ...each("MCP-SCOPE-REFUSED", "scoped tool", "lets any key use *, whatever it lacks", openTo()),
  ...each("MCP-SCOPE-REFUSED", "scoped tool", "says that the key may not use * and does the work", {
    mcp: (tool) =>
      leavesNoTrace(tool)
        ? undefined
        : onTool(tool, (world, call, performTool) => {
            const reply = performTool(world, call);
            if (reply.rule.code === "insufficient_scope") performTool(world, withScopes(call, everyScope));
            return reply;
          }),
  }),
  ...each("MCP-SCOPE-RETRY-OWN", "workflow with a scope", "retries a * by the tool for a key that may only audit", {
    mcp: (workflow) =>
      onTool("retry_job", (world, call, performTool) =>
        performTool(world, withScopes(call, contract.workflows[workflow as "fix"].needs_scope)),
      ),
  }),
  unasked("asks for no scope to list jobs of one status", "list_jobs", "view_jobs", ({ status }) => status !== undefined),
  unasked("asks for no scope to give the pattern of an area", "canonical_pattern", "view_repositories", ({ area }) =>
    Boolean(area),
  ),
  unasked("asks for no scope to tell a retry in flight", "retry_job", "submit_audit_jobs", ({ job_id }, { jobs }) =>
    Boolean(jobs[String(job_id)]?.retried_by),
  ),
  unasked("asks for no scope to tell a fix in flight", "submit_fix", "submit_fix_jobs", ({ ref }, { observations }) =>
    Boolean(observations[String(ref)]?.attempt),
  ),
  lets("lets any key read canonical patterns", "MCP-SCOPE-PATTERN", "canonical_pattern", "view_repositories"),
  lets("lets any key read the status of a job", "MCP-SCOPE-STATUS", "job_status", "view_jobs"),
  lets("lets any key list jobs by the tool", "MCP-SCOPE-JOBS", "list_jobs", "view_jobs"),
  lets("lets any key list fix pull requests by the tool", "MCP-SCOPE-FIXPRS", "list_fix_prs", "view_repositories"),
  lets("lets any key submit audits by the tool", "MCP-SCOPE-SUBMIT", "submit_job", "submit_audit_jobs"),
  asks("asks for the fix scope whatever is submitted by the tool", "MCP-SCOPE-SUBMIT", "submit_job", "submit_fix_jobs"),
  lets("submits a task by the tool for a key that may only audit", "MCP-SCOPE-SUBMIT-TASK", "submit_job", "submit_task_jobs"),
  lets("submits a task by the tool for a key that may not audit", "MCP-SCOPE-SUBMIT-TASK", "submit_job", "submit_audit_jobs"),
  lets("lets any key submit fixes by the tool", "MCP-SCOPE-FIX", "submit_fix", "submit_fix_jobs"),
  lets("lets any key request fixes", "MCP-SCOPE-REQFIX", "request_fix", "submit_fix_jobs"),
  lets("lets any key retry audits by the tool", "MCP-SCOPE-RETRY", "retry_job", "submit_audit_jobs"),
  asks("asks for the fix scope whatever is retried by the tool", "MCP-SCOPE-RETRY", "retry_job", "submit_fix_jobs"),
  lets("lets any key register repositories by the tool", "MCP-SCOPE-REGISTER", "register_repository", "register_repo"),
  asks("takes no registration by the tool without manage_repos", "MCP-SCOPE-REGISTER", "register_repository", "manage_repos"),
  lets("lets any key update repository metadata", "MCP-SCOPE-METADATA", "update_repository_metadata", "manage_repos"),
  asks("gives no canonical pattern to a viewer", "MCP-SCOPE-PATTERN", "canonical_pattern", "manage_repos"),
  asks("gives no status of a job to a viewer", "MCP-SCOPE-STATUS", "job_status", "submit_audit_jobs"),
  asks("lists no jobs by the tool for a viewer", "MCP-SCOPE-JOBS", "list_jobs", "submit_audit_jobs"),
  asks("lists no fix pull requests by the tool for a viewer", "MCP-SCOPE-FIXPRS", "list_fix_prs", "submit_fix_jobs"),
  asks("forecasts only for keys that may view repositories", "MCP-SCOPE-FORECAST", "forecast", "view_repositories"),
  asks("takes doc reads only of keys that may view repositories", "MCP-SCOPE-DOCREAD", "record_doc_read", "view_repositories"),
  {
    name: "submits a fix by the tool for a key that may only audit",
    breaks: "MCP-SCOPE-SUBMIT-FIX",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "submit_job" ? withScopes(call, ["submit_fix_jobs"]) : call),
  },
  {
    name: "does not let manage_repos stand for register_repo",
    breaks: "MCP-SCOPE-REGISTER-IMPLIED",
    aroundTool(world, call, performTool) {
      if (call.purpose !== "register_repository") return performTool(world, call);
      const scopes = new Set([...call.caller.scopes].filter((scope) => scope !== "manage_repos"));
      return performTool(world, { ...call, caller: { ...call.caller, scopes } });
    },
  },
  {
    name: "asks for no scope to retry a fix that is a retry",
    breaks: "MCP-SCOPE-RETRY-OWN",
    aroundTool: (world, call, performTool) => {
      const job = world.jobs[String(call.arguments.job_id)];
      return performTool(world, call.purpose === "retry_job" && job?.retry_of ? withScopes(call, ["submit_fix_jobs"]) : call);
    },
  },
];

/** What a read does shows in its answer alone; of a ticket, and of what was cleared, the text shows no place to see it. */
function leavesNoTrace(tool: string): boolean {
  return tool === "create_ticket" || tool.startsWith("clear_") || valuesOf("read tool", "mcp").includes(tool);
}

/** A tool that asks for no scope in some cases. */
function unasked(name: string, purpose: ToolPurpose, scope: Scope, isMeant: (given: Given, world: World) => boolean): Mutant {
  return {
    name,
    breaks: "MCP-SCOPE-REFUSED",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === purpose && isMeant(call.arguments, world) ? withScopes(call, [scope]) : call),
  };
}

/** A server that gives every caller of one tool a scope. */
function lets(name: string, breaks: ClauseId, purpose: ToolPurpose, scope: Scope): Mutant {
  return {
    name,
    breaks,
    aroundTool: (world, call, performTool) => performTool(world, call.purpose === purpose ? withScopes(call, [scope]) : call),
  };
}

/** A server that wants a scope for one tool that the tool does not need. */
function asks(name: string, breaks: ClauseId, purpose: ToolPurpose, scope: Scope): Mutant {
  return refusingCalls(name, breaks, purpose, (_, { caller }) => !caller.scopes.has(scope));
}
