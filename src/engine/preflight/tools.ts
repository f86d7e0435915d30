import { findClosestName } from "../../common/nearest-names.js";
import { sendMcp } from "../execute/mcp-request.js";
import { closeMcpSessions, type McpContext } from "../execute/mcp-sessions.js";
import type { Run } from "../execute/run.js";
import { createRpcRequest, readRpc } from "../http/mcp.js";
import { type ArgumentHeader, listArgumentHeaders } from "../http/mcp-revisions.js";
import { isRecord } from "../scenario/interpolate.js";
import type { ToolRules } from "../scenario/requests.js";
import type { Mistake } from "../scenario/yaml-file.js";
import type { Environment } from "../target/environment.js";
import type { Target } from "../target/target.js";

/** A tool in the list of a server, with the names of its arguments. */
export interface ListedTool {
  name: string;
  description: string;
  arguments: readonly string[];
  required: readonly string[];
  headers?: readonly ArgumentHeader[];
  /** The schemas of its arguments. */
  schemas?: Readonly<Record<string, unknown>>;
  /** Whether the server says that the tool changes nothing. */
  isReadOnly?: boolean;
}

/** Returns the tools that the server lists for a key, or why it has no list. Calls no tool. */
export async function listTools(
  run: Run,
  environment: Environment,
  key: string,
): Promise<{ ok: true; tools: ListedTool[] } | { ok: false; why: string }> {
  const { mcp } = run.target.urls;
  if (mcp === undefined) return { ok: false, why: "the target names no tool server" };
  const { onExchange: _, ...quiet } = run;
  const session: McpContext = { run: quiet, environment, mcpSessions: new Map() };
  try {
    const request = createRpcRequest(mcp, { list: "tools" }, { authorization: `Bearer ${key}` });
    const result = await sendMcp(session, request, new Set());
    if (!result.ok) return { ok: false, why: result.why };
    const rpc = readRpc(result.response);
    if (!rpc.ok) return { ok: false, why: rpc.what };
    const listed = isRecord(rpc.result) && Array.isArray(rpc.result.tools) ? rpc.result.tools : [];
    return { ok: true, tools: listed.filter(isRecord).map(readTool) };
  } finally {
    await closeMcpSessions(session);
  }
}

/**
 * Returns mistakes in the bindings of a target: tools and arguments that the server does not list. A name that the contract shows
 * is not a mistake: scenarios judge a server that does not list it.
 */
export function findUnlistedNames(
  { bindings }: Pick<Target, "bindings">,
  tools: readonly ListedTool[],
  contracted: Readonly<Record<string, ToolRules>>,
): Mistake[] {
  const { tools: named, tool_args: args } = bindings;
  if (!isRecord(named)) return [];
  return Object.entries(named).flatMap(([purpose, name]): Mistake[] => {
    if (name === null) return []; // left out
    const tool = tools.find((listedTool) => listedTool.name === name);
    const shown = contracted[purpose]?.shown;
    if (!tool && shown && name === purpose) return [];
    if (!tool)
      return [{ path: ["bindings", "tools", purpose], what: describeUnlistedTool(String(name), tools, shown && purpose) }];
    const given = isRecord(args) && isRecord(args[purpose]) ? args[purpose] : {};
    const unlisted = Object.entries(given).filter(
      ([ours, argument]) =>
        argument !== null && !tool.arguments.includes(String(argument)) && !(shown?.includes(ours) && argument === ours),
    );
    return [...new Map(unlisted.map(([ours, argument]) => [String(argument), ours]))].map(([argument, ours]) => ({
      path: ["bindings", "tool_args", purpose, ours],
      what: `the tool ${tool.name} takes no argument "${argument}"${findClosestName(argument, tool.arguments)}; it takes ${tool.arguments.join(", ") || "none"}`,
    }));
  });
}

/** Returns the message for a tool that the server does not list. `contracted`: the name that the contract shows. */
function describeUnlistedTool(name: string, tools: readonly ListedTool[], contracted: string | undefined): string {
  const near = findClosestName(
    name,
    tools.map((tool) => tool.name),
  );
  const advice =
    contracted === undefined
      ? "remove it if the server has no such tool"
      : `the contract calls this tool ${contracted}: remove the entry, so that scenarios use that name`;
  return `the server lists no tool "${name}"${near}; ${advice}`;
}

function readTool({ name, description, inputSchema, annotations }: Record<string, unknown>): ListedTool {
  const schema = isRecord(inputSchema) ? inputSchema : {};
  const headers = listArgumentHeaders(String(name), schema);
  return {
    ...(headers.length > 0 && { headers }),
    name: String(name),
    description: typeof description === "string" ? description : "",
    arguments: Object.keys(isRecord(schema.properties) ? schema.properties : {}),
    schemas: isRecord(schema.properties) ? schema.properties : {},
    ...(isRecord(annotations) && { isReadOnly: annotations.readOnlyHint === true }),
    required: Array.isArray(schema.required) ? schema.required.map(String) : [],
  };
}
