import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, Scope } from "../../src/contract/types.js";
import { type Mutant, withScopes } from "./mutant.js";
import { refusing } from "./tool-faults.js";

/** Faults in which tools a key may call, tool by tool. */
export const toolScopeMutants: Mutant[] = [
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
];

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
  return refusing(name, breaks, purpose, (_, { caller }) => !caller.scopes.has(scope));
}
