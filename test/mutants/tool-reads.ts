import { contract, readSpec } from "../../src/contract/load.js";
import { changeObservation } from "../../src/service/observations/observations.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { createRefusingToolMutant, performOtherCall, reportOtherResult } from "./helpers/tools.js";
import { changeToolRows, type Mutant, withArguments, withScopes } from "./mutant.js";

const dimensions = readSpec("dimensions.json") as Record<string, { values: { mcp?: string[] } }>;

/** Mutants that break a clause of MCP-TOOL-DOCREAD-*, MCP-TOOL-FORECAST-*, MCP-TOOL-KNOWLEDGE-*, MCP-TOOL-MIGRATIONS-*, MCP-TOOL-PATTERN-* or MCP-TOOL-READ-*. */
export const toolReadsMutants: Mutant[] = [
  ...(dimensions["read tool"]?.values.mcp ?? []).map(
    (purpose): Mutant => ({
      name: `acknowledges an observation when ${purpose} reads it instead of leaving it alone`,
      breaks: "MCP-TOOL-READ-PURE",
      aroundTool(world, call, performTool) {
        const response = performTool(world, call);
        const openObservation = Object.values(world.observations).findLast(
          (observation) =>
            observation.status === "new" && !observation.acknowledged_at && observation.workspace === call.caller.workspace.id,
        );
        if (call.purpose !== purpose || !openObservation) return response;
        const acknowledged = withScopes(withArguments(call, { ref: openObservation.ref }), contract.enums.Scope);
        performTool(world, { ...acknowledged, purpose: "acknowledge_observation" });
        return response;
      },
    }),
  ),
  ...["low", "mid", "high", "sample_size", "confidence"].map(
    (field): Mutant => ({
      name: `forecasts by the tool without ${field} instead of with it`,
      breaks: "MCP-TOOL-FORECAST",
      aroundTool: changeToolRows("forecast", (forecast) =>
        Object.fromEntries(Object.entries(forecast).filter(([name]) => !name.endsWith(field))),
      ),
    }),
  ),
  performOtherCall(
    "forecasts by the tool for a repository from its workspace instead of its own runs",
    "MCP-TOOL-FORECAST",
    "forecast",
    (_, call) => withArguments(call, { workflow: call.arguments.workflow }),
  ),
  reportOtherResult(
    "swaps the costs of the tool's forecast instead of ordering them",
    "MCP-TOOL-FORECAST",
    "forecast",
    (body) => ({
      ...body,
      cost_low: body.cost_high,
      cost_high: body.cost_low,
    }),
  ),
  ...mutantPerValue(
    "MCP-TOOL-READ-PURE",
    "read tool",
    "acknowledges the observations that * shows instead of leaving them alone",
    {
      mcp: (tool) =>
        wrapTool(tool, (world, call, performTool) => {
          const response = performTool(world, call);
          const rows = Object.values(world.observations).filter(({ workspace }) => workspace === call.caller.workspace.id);
          const row =
            world.observations[String(call.arguments.ref)] ??
            rows.find((observation) => observation.status === "new" && !observation.acknowledged_at);
          if (response.status === 200 && row) changeObservation(world, row, { acknowledged_at: world.now });
          return response;
        }),
    },
  ),
  {
    name: "counts an explanation as an update of the observation instead of leaving it alone",
    breaks: "MCP-TOOL-READ-PURE",
    ...wrapTool("explain_observation", (world, call, performTool) => {
      const row = world.observations[String(call.arguments.ref)];
      if (row) changeObservation(world, row, {});
      return performTool(world, call);
    }),
  },
  {
    name: "acknowledges the observations of a file when recent_issues shows them instead of leaving them alone",
    breaks: "MCP-TOOL-READ-PURE",
    ...wrapTool("recent_issues", (world, call, performTool) => {
      const response = performTool(world, call);
      const { issues = [] } = (response.body ?? {}) as { issues?: { ref: string }[] };
      for (const { ref } of issues) changeObservation(world, world.observations[ref]!, { acknowledged_at: world.now });
      return response;
    }),
  },
  createRefusingToolMutant("answers no knowledge bundle by the tool instead of one", "MCP-TOOL-KNOWLEDGE", "knowledge"),
  reportOtherResult("answers empty knowledge bundles instead of their content", "MCP-TOOL-KNOWLEDGE", "knowledge", () => ({})),
  createRefusingToolMutant(
    "requires the area for canonical patterns instead of leaving it optional",
    "MCP-TOOL-PATTERN",
    "canonical_pattern",
    ({ area }) => !area,
  ),
  createRefusingToolMutant(
    "answers no canonical pattern for an area instead of one",
    "MCP-TOOL-PATTERN",
    "canonical_pattern",
    ({ area }) => Boolean(area),
  ),
  createRefusingToolMutant("answers no pending migrations instead of a list", "MCP-TOOL-MIGRATIONS", "pending_migrations"),
  createRefusingToolMutant("records no doc read instead of one", "MCP-TOOL-DOCREAD", "record_doc_read"),
];
