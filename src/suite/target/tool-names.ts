import { contract } from "../../contract/load.js";
import type { ClauseId } from "../../contract/types.js";
import type { ArgumentForm, CombinedArguments, ToolNames } from "../../engine/target/rules.js";
import { clientDismissalCategories, observationKinds, observationStatuses, priorities } from "../statements/observations.js";
import { toolEffects } from "../statements/operations.js";
import { findToolStatement, type ToolPurpose, toolPurposes } from "../statements/tools.js";
import { workflows } from "../statements/workflows.js";

/** Arguments that one combined argument can replace. ADDR-SLUG-*: the tool server uses the same naming. */
export const combinedArguments: Readonly<Record<string, CombinedArguments>> = {
  slug: {
    of: ["owner", "repo", "branch"],
    synonyms: ["repo_name"],
    aliases: ["repo_name", "repo", "repository", "slug", "repo_slug", "repository_slug", "repository_name"],
    join: ([, repo, branch]) => `${repo}@${branch}`,
  },
};

/** Alternative names of arguments, by the name that scenarios use. */
const argumentNames: Readonly<Record<string, readonly string[]>> = {
  owner: ["org", "organisation", "organization", "account", "repo_owner"],
  repo: ["repository", "repo_name", "repository_name", "name", "project"],
  branch: ["ref", "git_ref", "branch_name"],
  ref: ["observation", "observation_ref", "finding", "finding_ref", "reference"],
  job_id: ["job", "id", "run_id"],
  file_path: ["path", "file", "filename"],
  doc_path: ["path", "document", "doc", "file_path", "relative_path"],
  guide: ["slug", "guide_id", "guide_name", "topic", "name", "id"],
  area: ["keyword", "topic"],
  search: ["query", "q", "text", "substring", "contains"],
  workflow: ["workflow_name", "kind"],
  params: ["parameters", "options", "arguments"],
  access_mode: ["access", "mode"],
  dismissal_category: ["category"],
  dismissal_note: ["note", "reason", "comment"],
  reopen_reason: ["reason", "note"],
  url: ["link", "proof", "proof_url"],
  note: ["comment", "annotation"],
  pr_review_enabled: ["pr_review", "enable_pr_review", "review_enabled"],
  guidance: ["text", "content", "value"],
  context: ["text", "content", "value", "workspace_context"],
  setting: ["name", "key", "setting_name"],
  value: ["setting_value"],
  learn_mode: ["enabled", "mode", "on", "value"],
  kind: ["type"],
  status: ["state"],
  limit: ["page_size", "count", "max"],
  cursor: ["page", "page_token"],
};

/** The types and values of arguments that are not any string. */
const argumentForms: Readonly<Record<string, ArgumentForm>> = {
  kind: { type: "string", values: observationKinds },
  status: { type: "string", values: observationStatuses },
  priority: { type: "string", values: priorities },
  dismissal_category: { type: "string", values: clientDismissalCategories },
  workflow: { type: "string", values: Object.keys(workflows) },
  limit: { type: "integer" },
  params: { type: "object" },
  value: { type: "any" },
  learn_mode: { type: "boolean" },
  pr_review_enabled: { type: "boolean" },
};

const TRIPLE_ARGUMENTS = ["owner", "repo", "branch"];

/**
 * Alternative names of a tool, the arguments that scenarios send, and which of them are optional. A tool that is absent here is known by its purpose
 * only.
 */
const tools: Readonly<Partial<Record<ToolPurpose, { aliases?: string[]; takes?: string[]; may?: string[] }>>> = {
  list_repositories: { aliases: ["list_repos", "repositories", "get_repositories"] },
  repository_overview: { aliases: ["repo_overview", "overview", "repository_profile"], takes: TRIPLE_ARGUMENTS },
  knowledge: { aliases: ["read_knowledge", "knowledge_bundle", "get_knowledge_bundle"], takes: TRIPLE_ARGUMENTS },
  list_observations: { may: ["search", "kind", "status", "priority", "repo"] },
  rules_for_file: {
    aliases: ["applicable_rules", "rules", "file_rules", "rules_for_path"],
    takes: [...TRIPLE_ARGUMENTS, "file_path"],
  },
  canonical_pattern: { aliases: ["pattern", "get_pattern", "patterns"], takes: TRIPLE_ARGUMENTS, may: ["area"] },
  recent_issues: { aliases: ["issues", "recent_issues_for_file", "file_issues"], takes: [...TRIPLE_ARGUMENTS, "file_path"] },
  explain_observation: { aliases: ["explain", "get_observation", "explain_finding"], takes: ["ref"] },
  pending_migrations: { aliases: ["migrations"], takes: TRIPLE_ARGUMENTS },
  list_guides: { aliases: ["guides", "how_to_guides", "list_how_tos"] },
  read_guide: { aliases: ["guide", "get_guide", "guide_body", "how_to"], takes: ["guide"] },
  forecast: { aliases: ["cost_forecast", "lookup_forecast", "estimate"], takes: ["workflow"], may: TRIPLE_ARGUMENTS },
  job_status: { aliases: ["job", "get_job"], takes: ["job_id"] },
  list_jobs: { aliases: ["jobs"], may: ["status"] },
  list_fix_prs: { aliases: ["fix_prs", "fix_pull_requests"], takes: TRIPLE_ARGUMENTS },
  submit_job: { aliases: ["start_job", "run_job", "create_job"], takes: [...TRIPLE_ARGUMENTS, "workflow"], may: ["params"] },
  submit_fix: { aliases: ["spawn_fix", "fix_observation", "start_fix"], takes: ["ref"] },
  request_fix: { aliases: ["confirm_fix", "rebind_fix", "bind_fix"], takes: ["ref", "job_id"] },
  retry_job: { aliases: ["retry"], takes: ["job_id"] },
  register_repository: { aliases: ["register_repo", "add_repository"], takes: TRIPLE_ARGUMENTS, may: ["access_mode"] },
  dismiss_observation: { aliases: ["dismiss", "dismiss_finding"], takes: ["ref", "dismissal_category", "dismissal_note"] },
  acknowledge_observation: { aliases: ["acknowledge", "ack_observation", "ack"], takes: ["ref"] },
  complete_observation: { aliases: ["complete", "resolve_observation"], takes: ["ref"], may: ["url", "note"] },
  reopen_observation: { aliases: ["reopen"], takes: ["ref", "reopen_reason"] },
  create_ticket: { aliases: ["publish_ticket", "ticket"], takes: ["ref"] },
  update_repository_metadata: {
    aliases: ["update_repository", "update_repo", "repository_metadata"],
    takes: [...TRIPLE_ARGUMENTS, "pr_review_enabled"],
  },
  set_guidance: { aliases: ["guidance", "update_guidance"], takes: ["guidance"] },
  clear_guidance: { aliases: ["delete_guidance", "reset_guidance"] },
  set_workspace_context: { aliases: ["set_context", "workspace_context"], takes: ["context"] },
  clear_workspace_context: { aliases: ["clear_context", "delete_workspace_context"] },
  set_setting: { aliases: ["set_tenant_setting", "update_setting"], takes: ["setting", "value"] },
  clear_setting: { aliases: ["clear_tenant_setting", "reset_setting", "unset_setting"], takes: ["setting"] },
  set_learn_mode: { aliases: ["learn_mode", "set_learning", "set_learning_flag"], takes: ["learn_mode"] },
  record_doc_read: { aliases: ["record_read", "doc_read", "log_doc_read"], takes: [...TRIPLE_ARGUMENTS, "doc_path"] },
};

/** How to recognize the tools of the contract among those that a server lists. The contract shows one name only. */
export const toolNames: Readonly<Record<string, ToolNames>> = Object.fromEntries(
  toolPurposes.map((purpose) => [purpose, findNames(purpose)]),
);

function findNames(purpose: ToolPurpose): ToolNames {
  const { aliases = [], takes = [], may = [] } = tools[purpose] ?? {};
  const { clause } = findToolStatement(purpose);
  const names = [...takes, ...may];
  const { status: _, ...forms } = argumentForms;
  return {
    description: contract.clauses[clause as ClauseId].description,
    aliases,
    arguments: Object.fromEntries(names.map((name) => [name, argumentNames[name] ?? []])),
    optional: may,
    forms: purpose === "list_observations" ? argumentForms : forms, // a job has other statuses
    isRead: toolEffects[purpose] === "read",
  };
}
