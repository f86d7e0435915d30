import { createObservationsView, type ObservationQuery } from "../observations/filters.js";
import { showObservation } from "../observations/observations.js";
import { getObservation, listObservations } from "../observations/reads.js";
import { listPage } from "../world/listing.js";
import { readRow } from "../world/lookups.js";
import type { Observation, World } from "../world/world.js";
import { toRouteCall } from "./route-call.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

/**
 * Lists observations as the REST route does; `search` keeps those that contain the text. MCP-TOOL-OBS-FILTERS,
 * MCP-TOOL-OBS-SEARCH.
 */
export function listOrSearch(world: World, tool: ToolCall): ToolOutcome {
  const call = toRouteCall("GET /api/observations", tool);
  if (tool.given.search === undefined) return listObservations(world, call);
  const {
    search,
    cursor: _,
    limit: __,
    ...filters
  } = tool.given as ObservationQuery & { search: string; cursor?: string; limit?: number };
  const view = createObservationsView(world, call.caller.workspace.id, filters);
  const name = JSON.stringify([view.name, search]);
  const lower = search.toLowerCase();
  const includes = (observation: Observation) => contains(observation, lower) && view.includes(observation);
  return listPage(world, call, { ...view, name, includes }, (row) =>
    showObservation(row, readRow(world.repos, row.repo), { locations: false }),
  );
}

/** Shows one observation with its locations. MCP-TOOL-EXPLAIN. */
export function explainObservation(world: World, tool: ToolCall): ToolOutcome {
  const call = toRouteCall("GET /api/observations/{ref}", tool);
  return getObservation(world, { ...call, query: { include: "locations" } });
}

function contains({ title, description }: Observation, text: string): boolean {
  return title.toLowerCase().includes(text) || description.toLowerCase().includes(text);
}
