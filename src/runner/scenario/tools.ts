import type { Effect, McpText } from "./format.js";

/** What a tool does to the server, by its purpose: the read tools and write tools of the text (MCP-TOOL-*), and those that start paid work (SPEND-*). */
export const toolEffects: Readonly<Record<string, Effect>> = {
  list_repositories: "read",
  repository_overview: "read",
  knowledge: "read",
  list_observations: "read",
  rules_for_file: "read",
  canonical_pattern: "read",
  recent_issues: "read",
  explain_observation: "read",
  pending_migrations: "read",
  list_guides: "read",
  read_guide: "read",
  forecast: "read",
  job_status: "read",
  list_jobs: "read",
  list_fix_prs: "read",
  submit_job: "paid",
  submit_fix: "paid",
  request_fix: "write",
  retry_job: "paid",
  register_repository: "paid",
  dismiss_observation: "write",
  acknowledge_observation: "write",
  complete_observation: "write",
  reopen_observation: "write",
  create_ticket: "write",
  update_repository_metadata: "write",
  set_guidance: "write",
  clear_guidance: "write",
  set_workspace_context: "write",
  clear_workspace_context: "write",
  set_setting: "write",
  clear_setting: "write",
  set_learn_mode: "write",
  record_doc_read: "write",
};

/** The one tool name that the text shows, and the argument names it shows; they need no binding (MCP-TOOL-OBS-LIST, MCP-TOOL-OBS-FILTERS). */
const SHOWN: Readonly<Record<string, readonly string[]>> = { list_observations: ["kind", "status", "priority", "repo"] };

/** What one request to the tool server does, as far as it tells by itself. */
export function effectOfAsk({ effect, tool, list, prompt }: McpText): Effect {
  if (effect) return effect;
  if (list || prompt !== undefined) return "read";
  return (tool !== undefined && toolEffects[tool]) || "write";
}

/** The bindings without which a tool cannot be called by its purpose: its name, and the names of the arguments given. */
export function bindingsOfTool({ tool, arguments: given = {} }: McpText): string[] {
  if (tool === undefined) return [];
  const shown = SHOWN[tool];
  const unshown = Object.keys(given).filter((name) => !shown?.includes(name));
  return [...(shown ? [] : [`tools.${tool}`]), ...unshown.map((name) => `tool_args.${tool}.${name}`)];
}

/** A tool asked for by its purpose, in the target's own names; what is not bound keeps the name that the text shows. */
export function boundTool(ask: McpText, binding: (name: string) => unknown): McpText {
  const { tool, arguments: given = {}, ...rest } = ask;
  if (tool === undefined) return ask;
  const named = (name: string, otherwise: string) => String(binding(name) ?? otherwise);
  const renamed = Object.entries(given).map(([name, value]) => [named(`tool_args.${tool}.${name}`, name), value]);
  return { ...rest, call: named(`tools.${tool}`, tool), arguments: Object.fromEntries(renamed) };
}
