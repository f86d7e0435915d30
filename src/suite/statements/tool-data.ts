import { lists } from "./lists.js";
import { findToolStatement, type ToolPurpose } from "./tools.js";

/**
 * What a read tool shows of the resource that its route shows. The contract leaves open the form of a result, other fields, how many rows a tool
 * shows, and their order. MCP-TOOL-JOBS-ORDER: of jobs the newest first.
 */
export interface ToolData {
  /** The field that identifies the resource; for a forecast, a field that every forecast has. */
  key: string;
  /** The fields that have one value on both surfaces. A tool need not show them. */
  fields: readonly string[];
  /** The clause that another value breaks. */
  clause: string;
  /** The clause that a row breaks if a filter excludes it. */
  filterClause?: string;
}

/** The fields of an observation with listed values. A tool may shorten a title or a description. */
const observationFields = ["ref", "kind", "status", "priority", "category", "acknowledged_at", "close_reason"] as const;
const forecastFields = ["cost_low", "cost_mid", "cost_high", "duration_low", "duration_mid", "duration_high"] as const;

/** The read tools whose route shows named fields. OBS-LANE-FIELD-NAMES, and no field is shown of repositories and knowledge. */
export const toolData = {
  list_observations: {
    key: "ref",
    fields: observationFields,
    clause: findToolStatement("list_observations").clause,
    filterClause: "MCP-TOOL-OBS-FILTERS",
  },
  explain_observation: {
    key: "ref",
    fields: observationFields,
    clause: findToolStatement("explain_observation").clause,
  },
  list_jobs: {
    key: "id",
    fields: lists.jobs.fields,
    clause: findToolStatement("list_jobs").clause,
    filterClause: "MCP-TOOL-JOBS-FILTER",
  },
  job_status: { key: "id", fields: lists.jobs.fields, clause: "JOB-FIELD-MCP-BASE" },
  forecast: {
    key: "sample_size",
    fields: [...forecastFields, "sample_size", "confidence"],
    clause: findToolStatement("forecast").clause,
  },
} as const satisfies Partial<Record<ToolPurpose, ToolData>>;

/** A read tool whose route shows named fields. */
export type DataTool = keyof typeof toolData;

/** Returns what a read tool shows. */
export function findToolData(tool: DataTool): ToolData {
  return toolData[tool];
}
