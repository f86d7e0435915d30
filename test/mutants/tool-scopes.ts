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
  lets("retries a fix by the tool for a key that may only audit", "MCP-SCOPE-RETRY-OWN", "retry_job", "submit_fix_jobs"),
  lets("retries a task by the tool for a key that may only audit", "MCP-SCOPE-RETRY-OWN", "retry_job", "submit_task_jobs"),
  lets("lets any key register repositories by the tool", "MCP-SCOPE-REGISTER", "register_repository", "register_repo"),
  asks("takes no registration by the tool without manage_repos", "MCP-SCOPE-REGISTER", "register_repository", "manage_repos"),
  lets("lets any key update repository metadata", "MCP-SCOPE-METADATA", "update_repository_metadata", "manage_repos"),
  asks("gives no canonical pattern to a viewer", "MCP-SCOPE-PATTERN", "canonical_pattern", "manage_repos"),
  asks("gives no status of a job to a viewer", "MCP-SCOPE-STATUS", "job_status", "submit_audit_jobs"),
  asks("lists no jobs by the tool for a viewer", "MCP-SCOPE-JOBS", "list_jobs", "submit_audit_jobs"),
  asks("lists no fix pull requests by the tool for a viewer", "MCP-SCOPE-FIXPRS", "list_fix_prs", "submit_fix_jobs"),
  asks("forecasts only for keys that may view repositories", "MCP-SCOPE-FORECAST", "forecast", "view_repositories"),
  asks("takes doc reads only of keys that may view repositories", "MCP-SCOPE-DOCREAD", "record_doc_read", "view_repositories"),
  tenant("lets any key set guidance", "set_guidance"),
  tenant("lets any key clear guidance", "clear_guidance"),
  tenant("lets any key set the workspace context", "set_workspace_context"),
  tenant("lets any key clear the workspace context", "clear_workspace_context"),
  tenant("lets any key set tenant settings", "set_setting"),
  tenant("lets any key clear tenant settings", "clear_setting"),
  tenant("lets any key set learn_mode", "set_learn_mode"),
  working("submits a job by the tool and says that the key may not", "submit_job", "submit_audit_jobs"),
  working("submits a fix by the tool and says that the key may not", "submit_fix", "submit_fix_jobs"),
  working("retries a job by the tool and says that the key may not", "retry_job", "submit_audit_jobs"),
  working("registers a repository by the tool and says that the key may not", "register_repository", "register_repo"),
  working("dismisses by the tool and says that the key may not", "dismiss_observation", "triage_observations"),
  working("acknowledges by the tool and says that the key may not", "acknowledge_observation", "triage_observations"),
  working("completes by the tool and says that the key may not", "complete_observation", "triage_observations"),
  working("reopens by the tool and says that the key may not", "reopen_observation", "triage_observations"),
];

/** A server that gives every caller of one tool a scope. */
function lets(name: string, breaks: ClauseId, purpose: ToolPurpose, scope: Scope): Mutant {
  return {
    name,
    breaks,
    aroundTool: (world, call, performTool) => performTool(world, call.purpose === purpose ? withScopes(call, [scope]) : call),
  };
}

function tenant(name: string, purpose: ToolPurpose): Mutant {
  return lets(name, "MCP-SCOPE-TENANT", purpose, "manage_tenant_settings");
}

/** A server that wants a scope for one tool that the tool does not need. */
function asks(name: string, breaks: ClauseId, purpose: ToolPurpose, scope: Scope): Mutant {
  return refusing(name, breaks, purpose, (_, { caller }) => !caller.scopes.has(scope));
}

/** A server that refuses for a missing scope and does the work of one tool all the same. */
function working(name: string, purpose: ToolPurpose, scope: Scope): Mutant {
  return {
    name,
    breaks: "MCP-SCOPE-REFUSED",
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      if (call.purpose === purpose && reply.rule.code === "insufficient_scope") performTool(world, withScopes(call, [scope]));
      return reply;
    },
  };
}
