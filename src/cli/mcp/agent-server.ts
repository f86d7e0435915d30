import type { Command } from "commander";
import { findClosestName } from "../../common/nearest-names.js";
import { CallToolRequestSchema, ListToolsRequestSchema, Server, StdioServerTransport } from "../../mcp-sdk/stdio.js";
import { runTool } from "./agent-tool.js";
import { getCommandTools } from "./command-tools.js";
import { controlTools } from "./control-tools.js";

/** Opens the MCP server on standard input and output. `apiUrl`: the API host of the mock. */
export async function openAgentServer(program: Command, apiUrl: string, adminToken: string | undefined): Promise<Server> {
  const tools = [...controlTools(`${apiUrl}/__mock`, adminToken), ...getCommandTools(program, apiUrl)];
  const info = { name: "counterpart", version: program.version()! };
  const instructions = `The mock of the service is at ${apiUrl}, its tool server at ${apiUrl}/mcp/. Begin with show_world: it returns keys and repositories. "guide" lists the guides.`;
  const server = new Server(info, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema, isReadOnly }) => ({
      ...{ name, description, inputSchema: { ...inputSchema, required: [...inputSchema.required] } },
      annotations: { readOnlyHint: isReadOnly },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }, { signal }) => {
    const tool = tools.find((one) => one.name === name);
    const { text, isError } = tool
      ? await runTool(tool, given, signal)
      : {
          text: `There is no tool "${name}"${findClosestName(
            name,
            tools.map((one) => one.name),
          )}.`,
          isError: true,
        };
    return { content: [{ type: "text", text }], isError };
  });
  await server.connect(new StdioServerTransport());
  return server;
}
