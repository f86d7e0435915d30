import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Observation, World } from "../../src/service/world/world.js";
import { wrapTool } from "./family.js";
import { getRow } from "./helpers/observations.js";
import { listOtherRows, performOtherCall, reportOtherResult } from "./helpers/tools.js";
import { type Mutant, withArguments } from "./mutant.js";
import type { AroundWire } from "./wire.js";

/** Mutants whose tool answers differently from REST, or with an unusable address. */
export const toolSurfacesMutants: Mutant[] = [
  performOtherCall(
    "ignores the kind of closed observations in list_observations instead of applying both filters",
    "MCP-TOOL-OBS-FILTERS",
    "list_observations",
    (_, call) => {
      const { kind, ...rest } = call.arguments;
      const isMeant = kind !== undefined && rest.status === "closed" && !("search" in rest) && !("repo" in rest);
      return isMeant ? withArguments(call, rest) : call;
    },
  ),
  listOtherRows(
    "leaves closed observations of P0 out of list_observations instead of listing them",
    "MCP-TOOL-OBS-FILTERS",
    "list_observations",
    (rows, { priority, status }) =>
      priority === "P0" && status === "closed" ? rows.filter((row) => row.priority !== "P0") : rows,
  ),
  listOtherRows(
    "lists every observation as never acknowledged instead of with its time",
    "MCP-TOOL-OBS-LIST",
    "list_observations",
    (rows) => rows.map((row) => ({ ...row, acknowledged_at: null })),
  ),
  listOtherRows(
    "lists operations as architecture by the tool instead of their own category",
    "MCP-TOOL-OBS-LIST",
    "list_observations",
    (rows) => rows.map((row) => (row.category === "operations" ? { ...row, category: "architecture" } : row)),
  ),
  listOtherRows("lists expired observations as completed instead of expired", "MCP-TOOL-OBS-LIST", "list_observations", (rows) =>
    rows.map((row) => (row.close_reason === "expired" ? { ...row, close_reason: "completed" } : row)),
  ),
  reportOtherResult(
    "explains an expired observation as new instead of closed",
    "MCP-TOOL-EXPLAIN",
    "explain_observation",
    (body) => (body.close_reason === "expired" ? { ...body, status: "new" } : body),
  ),
  reportOtherResult(
    "explains a suggestion with P3 instead of its own priority",
    "MCP-TOOL-EXPLAIN",
    "explain_observation",
    (body) => (body.kind === "suggestion" ? { ...body, priority: body.priority === "P3" ? "P2" : "P3" } : body),
  ),
  listOtherRows(
    "lists cancelled jobs as failed by the tool instead of cancelled",
    "MCP-TOOL-JOBS",
    "list_jobs",
    (rows, { status }) =>
      status === undefined ? rows.map((row) => (row.status === "cancelled" ? { ...row, status: "failed" } : row)) : rows,
  ),
  listOtherRows(
    "lists jobs by the tool with the name of their repository instead of its slug",
    "MCP-TOOL-JOBS",
    "list_jobs",
    (rows) => rows.map((row) => ({ ...row, repo_name: String(row.repo_name).replace(/@.*/, "") })),
  ),
  reportOtherResult(
    "forecasts in whole dollars by the tool instead of exact costs",
    "MCP-TOOL-FORECAST",
    "forecast",
    (body, given) => ("owner" in given || "repo" in given ? body : { ...body, cost_mid: Math.round(Number(body.cost_mid)) }),
  ),
  listOtherRows("lists jobs by the tool with numbers as ids instead of texts", "MCP-TOOL-JOBS", "list_jobs", (rows) =>
    rows.map((row) => ({ ...row, id: Number(String(row.id).replace(/\D/g, "")) })),
  ),
  reportOtherResult("forecasts minutes by the tool instead of seconds", "MCP-TOOL-FORECAST", "forecast", (body) => ({
    ...body,
    duration_mid: Number(body.duration_mid) / 60,
  })),
  loseStored("the note of a dismissal", "MCP-TOOL-DISMISS", "dismiss_observation", { dismissal_note: "Dismissed by a tool." }),
  loseStored(
    "the category other of a dismissal",
    "MCP-TOOL-DISMISS",
    "dismiss_observation",
    { dismissal_category: "stale" },
    (row) => row.dismissal_category === "other",
  ),
  loseStored("the proof of a completion", "MCP-TOOL-COMPLETE", "complete_observation", { completion: null }),
  loseStored("the reason of a reopening", "MCP-TOOL-REOPEN", "reopen_observation", { reopen_reason: "Reopened by a tool." }),
  {
    name: "registers by the tool an anonymous repository as installed instead of anonymous",
    breaks: "MCP-TOOL-REGISTER",
    ...wrapTool("register_repository", (world, call, performTool) => {
      const known = new Set(Object.keys(world.repos));
      const response = performTool(world, call);
      for (const repo of Object.values(world.repos)) if (!known.has(repo.id)) repo.access_mode = "installed";
      return response;
    }),
  },
  chargeSeveralTimes("charges a retry by the tool twice instead of once", "retry_job", 2),
  chargeSeveralTimes("charges a fix by the tool twice instead of once", "submit_fix", 2),
  chargeSeveralTimes("charges a submission by the tool with nothing instead of its price", "submit_job", 0),
  {
    name: "redirects the bare address to a host of the name mcp instead of the tool server",
    breaks: "MCP-ENDPOINT-BARE-PRESERVE",
    aroundWire: redirectTo("//mcp/"),
  },
  {
    name: "redirects the bare address to a path below the tool server instead of the tool server",
    breaks: "MCP-ENDPOINT-BARE-PRESERVE",
    aroundWire: redirectTo("/mcp/mcp/"),
  },
];

/** A server whose tool stores another value than it was sent. */
function loseStored(
  what: string,
  breaks: Mutant["breaks"],
  purpose: IncomingToolCall["purpose"],
  stored: Partial<Observation>,
  isMeant: (row: Observation) => boolean = () => true,
): Mutant {
  return {
    name: `does not store ${what} by the tool instead of storing it`,
    breaks,
    ...wrapTool(purpose, (world, call, performTool) => {
      const response = performTool(world, call);
      const row = getRow(world, call.arguments.ref);
      if (row && response.status < 300 && isMeant(row)) Object.assign(row, stored);
      return response;
    }),
  };
}

/** A server that charges the credit of a workspace several times for a call of a tool. */
function chargeSeveralTimes(name: string, purpose: IncomingToolCall["purpose"], times: number): Mutant {
  return {
    name,
    breaks: "JOB-SUBMIT-CREDIT",
    value: { surface: "mcp", dimension: "paid operation", value: purpose },
    ...wrapTool(purpose, (world: World, call, performTool) => {
      const { workspace } = call.caller;
      const before = workspace.credit_usd;
      const response = performTool(world, call);
      workspace.credit_usd = before - (before - workspace.credit_usd) * times;
      return response;
    }),
  };
}

function redirectTo(location: string): AroundWire {
  return async (relayedRequest, send) => {
    const response = await send(relayedRequest);
    return response.status === 307 ? { ...response, headers: { ...response.headers, location } } : response;
  };
}
