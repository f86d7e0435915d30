import type { WireResponse } from "../../engine/http/exchange.js";
import { answerIn } from "../../engine/http/mcp.js";
import { type ToolPurpose, toolText } from "../statements/tools.js";
import type { Violation } from "./violation.js";

/** Tools of whose valid calls a plan, a state, a tracker or the server's own taste decides. */
const decidedElsewhere: ReadonlySet<ToolPurpose> = new Set([
  "submit_job",
  "submit_fix",
  "request_fix",
  "retry_job",
  "register_repository",
  "create_ticket",
  "update_repository_metadata",
  "set_guidance",
  "clear_guidance",
  "set_workspace_context",
  "clear_workspace_context",
  "set_setting",
  "clear_setting",
  "set_learn_mode",
]);

/** The clause by which a valid call of a tool must be let in. */
export function servedToolClause(purpose: ToolPurpose): string | undefined {
  return decidedElsewhere.has(purpose) ? undefined : toolText(purpose).clause;
}

/** What must hold of every answer of the tool server: no fault of the server, and a success is a JSON-RPC message in one of the two media types. */
export function noAnswer(response: WireResponse): Violation | undefined {
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
