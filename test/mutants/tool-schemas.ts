import { contract } from "../../src/contract/load.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { World } from "../../src/service/world/world.js";
import { changeToolList, changeToolResponse, forRole, inventArguments, refusalMessage } from "./helpers/tools.js";
import { type Mutant, withArguments } from "./mutant.js";

/** Mutants that break a clause of MCP-SCHEMA-*. */
export const toolSchemasMutants: Mutant[] = [
  {
    name: "publishes open schemas instead of closed ones",
    breaks: "MCP-SCHEMA-CLOSED",
    aroundWire: changeToolList((tools) =>
      tools.map(({ inputSchema: { additionalProperties: _, ...inputSchema }, ...tool }) => ({ ...tool, inputSchema })),
    ),
  },
  {
    name: "publishes one open schema instead of closed ones alone",
    breaks: "MCP-SCHEMA-CLOSED",
    aroundWire: changeToolList(([first, ...others]) => [
      ...others,
      { ...first!, inputSchema: { ...first!.inputSchema, additionalProperties: true } },
    ]),
  },
  {
    name: "requires optional arguments instead of leaving them optional",
    breaks: "MCP-SCHEMA-OPTIONAL",
    aroundWire: changeToolList((tools) =>
      tools.map((tool) => ({
        ...tool,
        inputSchema: { ...tool.inputSchema, required: Object.keys(tool.inputSchema.properties as object) },
      })),
    ),
  },
  {
    name: "leaves list_observations out of the tool list instead of listing it",
    breaks: "MCP-SCHEMA-LIST",
    aroundWire: changeToolList((tools) => tools.filter(({ name }) => name !== "list_observations")),
  },
  {
    name: "answers an unknown tool with success instead of an error",
    breaks: "MCP-SCHEMA-LIST",
    aroundWire: changeToolResponse("tools/call", ({ error, ...response }) =>
      error ? { ...response, result: { resultType: "complete", content: [{ type: "text", text: "Done." }] } } : response,
    ),
  },
  {
    name: "lists few tools to a key with view scopes instead of all",
    breaks: "MCP-SCHEMA-LIST",
    aroundWire: forRole(
      /_viewer$/,
      changeToolList((tools) => tools.filter(({ name }) => /^(list|get|read|explain)/.test(name))),
    ),
  },
  {
    name: "requires an arguments object in every call instead of leaving it optional",
    breaks: "MCP-SCHEMA-OPTIONAL",
    aroundWire: changeToolResponse("tools/call", (response, params) =>
      "arguments" in params ? response : refusalMessage(response),
    ),
  },
  inventArguments(
    "records a doc read without a document instead of refusing the call",
    "MCP-SCHEMA-REQUIRED",
    "record_doc_read",
    () => ({
      doc_path: "none",
    }),
  ),
  inventArguments(
    "updates the metadata of any repository without a name instead of refusing the call",
    "MCP-SCHEMA-REQUIRED",
    "update_repository_metadata",
    (world) => {
      const { owner, repo, branch } = Object.values(world.repos)[0]!;
      return { owner, repo, branch };
    },
  ),
  inventArguments(
    "reads the first guide without a name instead of refusing the call",
    "MCP-SCHEMA-REQUIRED",
    "read_guide",
    () => ({
      guide: "first-audit",
    }),
  ),
  inventArguments("sets guidance without a text instead of refusing the call", "MCP-SCHEMA-REQUIRED", "set_guidance", () => ({
    guidance: "None.",
  })),
  inventArguments(
    "sets a workspace context without a text instead of refusing the call",
    "MCP-SCHEMA-REQUIRED",
    "set_workspace_context",
    () => ({ context: "None." }),
  ),
  {
    name: "submits an audit without a named workflow instead of refusing the call",
    breaks: "MCP-SCHEMA-REQUIRED",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "submit_job" ? withArguments(call, { workflow: "audit", ...call.arguments }) : call),
  },
  {
    name: "fills in missing required arguments instead of refusing the call",
    breaks: "MCP-SCHEMA-REQUIRED",
    aroundTool: (world, call, performTool) =>
      performTool(world, withArguments(call, { ...madeUp(world, call), ...call.arguments })),
  },
];

/** Values for required arguments, of existing resources. */
function madeUp(world: World, { purpose }: IncomingToolCall): Record<string, unknown> {
  const job_id = Object.keys(world.jobs)[0];
  const ref = Object.keys(world.observations)[0];
  const { required } = contract.tools[purpose].arguments as { required: string[] };
  return Object.fromEntries(Object.entries({ ref, job_id, workflow: "audit" }).filter(([name]) => required.includes(name)));
}
