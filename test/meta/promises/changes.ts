import type { Edit } from "./tree.js";

/** A change of the contract that README promises to be small. */
export interface Change {
  /** The row of the README's table. */
  what: string;
  edits: readonly Edit[];
  /** The scenarios and properties that are about it: all pass where server and suite are both changed. */
  only: readonly string[];
  /** The tests that fail if only one of the two changes. */
  without: { changed: "server" | "suite"; fail: readonly string[] };
}

const limit: Change = {
  what: "a limit or bucket",
  edits: [
    { file: "spec/limits.json", from: `"reset": { "rpm": 5,`, to: `"reset": { "rpm": 4,` },
    { file: "scenarios/8-limits/buckets.yaml", from: "first429: { gte: 6,", to: "first429: { gte: 5," },
    { file: "src/suite/statements/buckets.ts", from: "reset: { rpm: 5,", to: "reset: { rpm: 4," },
  ],
  only: ["bucket-reset", "property:path-buckets"],
  without: { changed: "server", fail: ["bucket-reset", "property:path-buckets"] },
};

const filter: Change = {
  what: "a filter of a list",
  edits: [
    {
      file: "spec/openapi.json",
      from: `          {
            "name": "domain",
            "in": "query",`,
      to: `          {
            "name": "acknowledged",
            "in": "query",
            "schema": { "type": "boolean" }
          },
          {
            "name": "domain",
            "in": "query",`,
    },
    {
      file: "spec/clauses.json",
      from: `  "OBS-FILTER-COMBINE": {\n`,
      to: `  "OBS-FILTER-ACK": {
    "section": 4,
    "at": "List filters, acknowledged",
    "description": "\`acknowledged=true\` keeps only observations that were acknowledged, \`false\` those that were not.",
    "level": "stated",
    "surface": ["rest"]
  },
  "OBS-FILTER-COMBINE": {\n`,
    },
    {
      file: "src/service/observations/filters.ts",
      from: "  domain: (domain",
      to: `  acknowledged: (was: boolean) => (row) => (row.acknowledged_at !== null) === was,
  domain: (domain`,
    },
    {
      file: "src/suite/statements/lists.ts",
      from: `  domain: { kind: "filter",`,
      to: `  acknowledged: { kind: "filter", values: ["true", "false"], clause: "OBS-FILTER-ACK", partitions: true },
  domain: { kind: "filter",`,
    },
    {
      file: "scenarios/4-observations/filter-acknowledged.yaml",
      text: `scenario: observation-filter-acknowledged
title: Observations are listed by whether somebody has acknowledged them
proves: [OBS-FILTER-ACK]
steps:
  - id: acknowledged
    rest: GET /api/observations
    query: { acknowledged: true, limit: 200 }
    expect: { status: 200, json: { data: { each: { acknowledged_at: { type: string } } } } }
  - id: not-yet
    rest: GET /api/observations
    query: { acknowledged: false, limit: 200 }
    expect: { status: 200, json: { data: { each: { acknowledged_at: null } } } }
`,
    },
  ],
  only: ["observation-filter-acknowledged", "property:fix-pr-filter", "property:filter-subset"],
  without: { changed: "suite", fail: ["observation-filter-acknowledged", "property:fix-pr-filter"] },
};

const tool: Change = {
  what: "a tool",
  edits: [
    {
      file: "spec/tools.json",
      from: `    "read_guide": {\n`,
      to: `    "observation_counts": {
      "name": "get_observation_counts",
      "shown": false,
      "title": "Counts of observations",
      "description": "How many observations of the workspace are open and how many are closed.",
      "kind": "read",
      "scopes": ["view_repositories"],
      "clauses": ["MCP-TOOL-COUNTS"],
      "arguments": { "type": "object", "additionalProperties": false, "properties": {}, "required": [] }
    },
    "read_guide": {\n`,
    },
    {
      file: "spec/clauses.json",
      from: `  "MCP-TOOL-GUIDES": {\n`,
      to: `  "MCP-TOOL-COUNTS": {
    "section": 4,
    "at": "Tool server, rule 5",
    "description": "A read tool counts the observations that are open and those that are closed.",
    "level": "stated",
    "surface": ["mcp"]
  },
  "MCP-TOOL-GUIDES": {\n`,
    },
    {
      file: "src/service/tools/counts.ts",
      text: `import { ok } from "../call.js";
import type { World } from "../world/world.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

/** Counts the observations of the workspace by status. MCP-TOOL-COUNTS. */
export function countObservations(world: World, { caller }: ToolCall): ToolOutcome {
  const rows = Object.values(world.observations).filter((row) => row.workspace === caller.workspace.id);
  const open = rows.filter((row) => row.status === "new").length;
  return ok(200, { open, closed: rows.length - open });
}
`,
    },
    {
      file: "src/service/tools/operations.ts",
      from: `import { requestFix } from "./fixes.js";\n`,
      to: `import { countObservations } from "./counts.js";\nimport { requestFix } from "./fixes.js";\n`,
    },
    {
      file: "src/service/tools/operations.ts",
      from: "  read_guide: readGuide,\n",
      to: "  read_guide: readGuide,\n  observation_counts: countObservations,\n",
    },
    {
      file: "fixtures/mock.yaml",
      from: "    read_guide: get_guide\n",
      to: "    read_guide: get_guide\n    observation_counts: get_observation_counts\n",
    },
    {
      file: "src/suite/statements/tools.ts",
      from: "  read_guide: {",
      to: `  observation_counts: { ...read, clause: "MCP-TOOL-COUNTS" },\n  read_guide: {`,
    },
    {
      file: "scenarios/mcp/tool-counts.yaml",
      text: `scenario: mcp-tool-counts
title: A tool counts the observations by status
proves: [MCP-TOOL-COUNTS]
steps:
  - id: counts
    mcp: { tool: observation_counts, arguments: {} }
    expect: { status: 200, content: { contains: open } }
`,
    },
  ],
  only: ["mcp-tool-counts", "property:fuzz-tool-observation-counts"],
  without: { changed: "suite", fail: ["mcp-tool-counts", "property:fuzz-tool-observation-counts"] },
};

/** The changes that are made, one of each kind. */
export const changes: readonly Change[] = [limit, filter, tool];
