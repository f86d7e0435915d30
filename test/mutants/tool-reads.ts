import { contract, readSpec } from "../../src/contract/load.js";
import { changeObservation } from "../../src/service/observations/observations.js";
import { each, onTool } from "./family.js";
import { filling, instead, refusingCalls, saying } from "./helpers/tools.js";
import { type Mutant, telling, withArguments, withScopes } from "./mutant.js";

const dimensions = readSpec("dimensions.json") as Record<string, { values: { mcp?: string[] } }>;

/** Mutants that break a clause of MCP-TOOL-DOCREAD-*, MCP-TOOL-FORECAST-*, MCP-TOOL-KNOWLEDGE-*, MCP-TOOL-MIGRATIONS-*, MCP-TOOL-PATTERN-* or MCP-TOOL-READ-*. */
export const toolReadsMutants: Mutant[] = [
  ...(dimensions["read tool"]?.values.mcp ?? []).map(
    (purpose): Mutant => ({
      name: `acknowledges an observation when ${purpose} is called`,
      breaks: "MCP-TOOL-READ-PURE",
      aroundTool(world, call, performTool) {
        const reply = performTool(world, call);
        const open = Object.values(world.observations).findLast(
          (one) => one.status === "new" && !one.acknowledged_at && one.workspace === call.caller.workspace.id,
        );
        if (call.purpose !== purpose || !open) return reply;
        const acknowledged = withScopes(withArguments(call, { ref: open.ref }), contract.enums.Scope);
        performTool(world, { ...acknowledged, purpose: "acknowledge_observation" });
        return reply;
      },
    }),
  ),
  ...["low", "mid", "high", "sample_size", "confidence"].map(
    (field): Mutant => ({
      name: `forecasts by the tool without ${field}`,
      breaks: "MCP-TOOL-FORECAST",
      aroundTool: telling("forecast", (forecast) =>
        Object.fromEntries(Object.entries(forecast).filter(([name]) => !name.endsWith(field))),
      ),
    }),
  ),
  instead("forecasts for a repository by the tool as for its workspace", "MCP-TOOL-FORECAST", "forecast", (_, call) =>
    withArguments(call, { workflow: call.arguments.workflow }),
  ),
  saying("swaps the costs of the tool's forecast", "MCP-TOOL-FORECAST", "forecast", (body) => ({
    ...body,
    cost_low: body.cost_high,
    cost_high: body.cost_low,
  })),
  ...each("MCP-TOOL-READ-PURE", "read tool", "stamps an observation as seen by *", {
    mcp: (tool) =>
      onTool(tool, (world, call, performTool) => {
        const reply = performTool(world, call);
        const rows = Object.values(world.observations).filter(({ workspace }) => workspace === call.caller.workspace.id);
        const row =
          world.observations[String(call.arguments.ref)] ?? rows.find((one) => one.status === "new" && !one.acknowledged_at);
        if (reply.status === 200 && row) changeObservation(world, row, { acknowledged_at: world.now });
        return reply;
      }),
  }),
  refusingCalls("gives no knowledge bundle by the tool", "MCP-TOOL-KNOWLEDGE", "knowledge"),
  saying("has nothing in its knowledge bundles", "MCP-TOOL-KNOWLEDGE", "knowledge", () => ({})),
  refusingCalls("asks for the area of every canonical pattern", "MCP-TOOL-PATTERN", "canonical_pattern", ({ area }) => !area),
  refusingCalls("has no canonical pattern for an area", "MCP-TOOL-PATTERN", "canonical_pattern", ({ area }) => Boolean(area)),
  refusingCalls("gives no pending migrations", "MCP-TOOL-MIGRATIONS", "pending_migrations"),
  refusingCalls("records no doc reads", "MCP-TOOL-DOCREAD", "record_doc_read"),
  filling("records the reading of no document", "MCP-TOOL-DOCREAD", "record_doc_read", () => ({ doc_path: "none" })),
];
