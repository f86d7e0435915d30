import type { ToolPurpose } from "../../contract/tool-types.js";
import type { ClauseId } from "../../contract/types.js";
import type { WireResponse } from "../wire/exchange.js";
import { answerIn } from "../wire/mcp.js";
import type { Breach } from "./breach.js";

/** Tools whose valid calls must be let in; of the others a plan, a state or a tracker decides. */
export const acceptedTools: { [P in ToolPurpose]?: ClauseId } = {
  list_repositories: "MCP-TOOL-REPOS",
  repository_overview: "MCP-TOOL-OVERVIEW",
  knowledge: "MCP-TOOL-KNOWLEDGE",
  list_observations: "MCP-TOOL-OBS-LIST",
  rules_for_file: "MCP-TOOL-RULES",
  canonical_pattern: "MCP-TOOL-PATTERN",
  recent_issues: "MCP-TOOL-RECENT",
  explain_observation: "MCP-TOOL-EXPLAIN",
  pending_migrations: "MCP-TOOL-MIGRATIONS",
  list_guides: "MCP-TOOL-GUIDES",
  read_guide: "MCP-TOOL-GUIDES",
  forecast: "MCP-TOOL-FORECAST",
  job_status: "MCP-TOOL-STATUS",
  list_jobs: "MCP-TOOL-JOBS",
  list_fix_prs: "MCP-TOOL-FIXPRS",
  dismiss_observation: "MCP-TOOL-DISMISS",
  acknowledge_observation: "MCP-TOOL-ACK",
  complete_observation: "MCP-TOOL-COMPLETE",
  reopen_observation: "MCP-TOOL-REOPEN",
  record_doc_read: "MCP-TOOL-DOCREAD",
};

/** What must hold of every answer of the tool server: no fault of the server, and a success is a JSON-RPC message in one of the two media types. */
export function noAnswer(response: WireResponse): Breach | undefined {
  const { status, headers } = response;
  if (status >= 500 && status !== 503)
    return {
      clauses: ["MCP-ENDPOINT-PATH"],
      why: `status ${status} instead of an answer`,
      expect: { status: ["2xx", "3xx", "4xx", 503] },
    };
  if (status !== 200) return undefined;
  const type = headers["content-type"] ?? "none";
  if (answerIn(response) && /^(application\/json|text\/event-stream)\b/i.test(type)) return undefined;
  return {
    clauses: ["MCP-HEADER-ACCEPT"],
    why: `an answer of type ${type} that is no JSON-RPC message`,
    expect: {
      headers: { "content-type": { matches: "^(application/json|text/event-stream)" } },
      json: { fields: { jsonrpc: "2.0" } },
    },
  };
}
