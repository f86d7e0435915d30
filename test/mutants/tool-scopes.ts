import { contract } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, Scope } from "../../src/contract/types.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { World } from "../../src/service/world/world.js";
import { getValues, mutantPerValue, wrapTool } from "./family.js";
import { openToEveryKey } from "./helpers/keys.js";
import { createRefusingToolMutant } from "./helpers/tools.js";
import { type Mutant, withScopes } from "./mutant.js";

const everyScope = contract.enums.Scope;

type Given = IncomingToolCall["arguments"];

/** Mutants that break a clause of MCP-SCOPE-*. */
export const toolScopesMutants: Mutant[] = [
  ...mutantPerValue(
    "MCP-SCOPE-TRIAGE",
    "triage operation",
    "lets any key use * instead of answering a scope error",
    openToEveryKey(),
  ),
  ...mutantPerValue("MCP-SCOPE-TENANT", "tenant tool", "lets any key use * instead of answering a scope error", openToEveryKey()),
  ...mutantPerValue(
    "MCP-SCOPE-REFUSED",
    "scoped tool",
    "lets a key without any needed scope use * instead of answering a scope error",
    openToEveryKey(),
  ),
  ...mutantPerValue("MCP-SCOPE-REFUSED", "scoped tool", "answers a scope error for * and does the work instead of nothing", {
    mcp: (tool) =>
      dropsStoredCall(tool)
        ? undefined
        : wrapTool(tool, (world, call, performTool) => {
            const response = performTool(world, call);
            if (response.rule.code === "insufficient_scope") performTool(world, withScopes(call, everyScope));
            return response;
          }),
  }),
  ...mutantPerValue(
    "MCP-SCOPE-RETRY-OWN",
    "workflow with a scope",
    "retries a * by the tool for a key with the audit scope instead of refusing it",
    {
      mcp: (workflow) =>
        wrapTool("retry_job", (world, call, performTool) =>
          performTool(world, withScopes(call, contract.workflows[workflow as "fix"].needs_scope)),
        ),
    },
  ),
  createRefusingToolMutant(
    "requires the scope to view jobs for the forecast of a repository instead of none",
    "MCP-SCOPE-FORECAST",
    "forecast",
    ({ repo_name }, { caller }) => repo_name !== undefined && !caller.scopes.has("view_jobs"),
  ),
  skipScope(
    "requires no scope to list jobs of one status instead of the view scope",
    "list_jobs",
    "view_jobs",
    ({ status }) => status !== undefined,
  ),
  skipScope(
    "requires no scope for the pattern of an area instead of the view scope",
    "canonical_pattern",
    "view_repositories",
    ({ area }) => Boolean(area),
  ),
  skipScope(
    "requires no scope to answer a retry in flight instead of the submit scope",
    "retry_job",
    "submit_audit_jobs",
    ({ job_id }, { jobs }) => Boolean(jobs[String(job_id)]?.retried_by),
  ),
  skipScope(
    "requires no scope to answer a fix in flight instead of the fix scope",
    "submit_fix",
    "submit_fix_jobs",
    ({ ref }, { observations }) => Boolean(observations[String(ref)]?.attempt),
  ),
  letKeyUseTool(
    "lets any key read canonical patterns instead of answering a scope error",
    "MCP-SCOPE-PATTERN",
    "canonical_pattern",
    "view_repositories",
  ),
  letKeyUseTool(
    "lets any key read the status of a job instead of answering a scope error",
    "MCP-SCOPE-STATUS",
    "job_status",
    "view_jobs",
  ),
  letKeyUseTool(
    "lets any key list jobs by the tool instead of answering a scope error",
    "MCP-SCOPE-JOBS",
    "list_jobs",
    "view_jobs",
  ),
  letKeyUseTool(
    "lets any key list fix PRs by the tool instead of answering a scope error",
    "MCP-SCOPE-FIXPRS",
    "list_fix_prs",
    "view_repositories",
  ),
  letKeyUseTool(
    "lets any key submit audits by the tool instead of answering a scope error",
    "MCP-SCOPE-SUBMIT",
    "submit_job",
    "submit_audit_jobs",
  ),
  requireScope(
    "requires the fix scope for every submission by the tool instead of the workflow's scope",
    "MCP-SCOPE-SUBMIT",
    "submit_job",
    "submit_fix_jobs",
  ),
  letKeyUseTool(
    "submits a task by the tool for a key with only the audit scope instead of refusing it",
    "MCP-SCOPE-SUBMIT-TASK",
    "submit_job",
    "submit_task_jobs",
  ),
  letKeyUseTool(
    "submits a task by the tool for a key without the audit scope instead of refusing it",
    "MCP-SCOPE-SUBMIT-TASK",
    "submit_job",
    "submit_audit_jobs",
  ),
  letKeyUseTool(
    "lets any key submit fixes by the tool instead of answering a scope error",
    "MCP-SCOPE-FIX",
    "submit_fix",
    "submit_fix_jobs",
  ),
  letKeyUseTool(
    "lets any key request fixes instead of answering a scope error",
    "MCP-SCOPE-REQFIX",
    "request_fix",
    "submit_fix_jobs",
  ),
  letKeyUseTool(
    "lets any key retry audits by the tool instead of answering a scope error",
    "MCP-SCOPE-RETRY",
    "retry_job",
    "submit_audit_jobs",
  ),
  requireScope(
    "requires the fix scope for every retry by the tool instead of the workflow's scope",
    "MCP-SCOPE-RETRY",
    "retry_job",
    "submit_fix_jobs",
  ),
  letKeyUseTool(
    "lets any key register repositories by the tool instead of answering a scope error",
    "MCP-SCOPE-REGISTER",
    "register_repository",
    "register_repo",
  ),
  requireScope(
    "requires manage_repos for a registration by the tool instead of register_repo",
    "MCP-SCOPE-REGISTER",
    "register_repository",
    "manage_repos",
  ),
  letKeyUseTool(
    "lets any key update repository metadata instead of answering a scope error",
    "MCP-SCOPE-METADATA",
    "update_repository_metadata",
    "manage_repos",
  ),
  requireScope(
    "refuses canonical patterns to a viewer instead of answering them",
    "MCP-SCOPE-PATTERN",
    "canonical_pattern",
    "manage_repos",
  ),
  requireScope(
    "refuses the status of a job to a viewer instead of answering it",
    "MCP-SCOPE-STATUS",
    "job_status",
    "submit_audit_jobs",
  ),
  requireScope("refuses the tool's jobs to a viewer instead of listing them", "MCP-SCOPE-JOBS", "list_jobs", "submit_audit_jobs"),
  requireScope(
    "refuses the tool's fix PRs to a viewer instead of listing them",
    "MCP-SCOPE-FIXPRS",
    "list_fix_prs",
    "submit_fix_jobs",
  ),
  requireScope(
    "requires the repository view scope for forecasts instead of no such scope",
    "MCP-SCOPE-FORECAST",
    "forecast",
    "view_repositories",
  ),
  requireScope(
    "requires the repository view scope for doc reads instead of no such scope",
    "MCP-SCOPE-DOCREAD",
    "record_doc_read",
    "view_repositories",
  ),
  {
    name: "submits a fix by the tool for a key with only the audit scope instead of refusing it",
    breaks: "MCP-SCOPE-SUBMIT-FIX",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "submit_job" ? withScopes(call, ["submit_fix_jobs"]) : call),
  },
  {
    name: "refuses a registration with manage_repos instead of accepting it for register_repo",
    breaks: "MCP-SCOPE-REGISTER-IMPLIED",
    aroundTool(world, call, performTool) {
      if (call.purpose !== "register_repository") return performTool(world, call);
      const scopes = new Set([...call.caller.scopes].filter((scope) => scope !== "manage_repos"));
      return performTool(world, { ...call, caller: { ...call.caller, scopes } });
    },
  },
  {
    name: "requires no scope to retry a fix that is a retry instead of the fix scope",
    breaks: "MCP-SCOPE-RETRY-OWN",
    aroundTool: (world, call, performTool) => {
      const job = world.jobs[String(call.arguments.job_id)];
      return performTool(world, call.purpose === "retry_job" && job?.retry_of ? withScopes(call, ["submit_fix_jobs"]) : call);
    },
  },
];

/**
 * Returns whether the effect of a tool is invisible. A read has only its response. The contract names no place that shows a ticket or cleared
 * guidance.
 */
function dropsStoredCall(tool: string): boolean {
  return tool === "create_ticket" || tool.startsWith("clear_") || getValues("read tool", "mcp").includes(tool);
}

/** A tool that requires no scope in some cases. */
function skipScope(name: string, purpose: ToolPurpose, scope: Scope, isMeant: (given: Given, world: World) => boolean): Mutant {
  return {
    name,
    breaks: "MCP-SCOPE-REFUSED",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === purpose && isMeant(call.arguments, world) ? withScopes(call, [scope]) : call),
  };
}

/** A server that gives every caller of one tool a scope. */
function letKeyUseTool(name: string, breaks: ClauseId, purpose: ToolPurpose, scope: Scope): Mutant {
  return {
    name,
    breaks,
    aroundTool: (world, call, performTool) => performTool(world, call.purpose === purpose ? withScopes(call, [scope]) : call),
  };
}

/** A server that wants a scope for one tool that the tool does not need. */
function requireScope(name: string, breaks: ClauseId, purpose: ToolPurpose, scope: Scope): Mutant {
  return createRefusingToolMutant(name, breaks, purpose, (_, { caller }) => !caller.scopes.has(scope));
}
