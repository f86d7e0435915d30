import { nearestIn } from "../../common/nearest-names.js";
import { requestMcp } from "../execute/mcp-request.js";
import { closeMcpSessions, type McpContext } from "../execute/mcp-sessions.js";
import type { Run } from "../execute/run.js";
import { readRpc, rpcRequest } from "../http/mcp.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Mistake } from "../scenario/yaml-file.js";
import type { Environment } from "../target/environment.js";
import type { Target } from "../target/target.js";

/** A tool as a server lists it, with the names of its arguments. */
export interface ListedTool {
  name: string;
  description: string;
  arguments: readonly string[];
  required: readonly string[];
}

/** Every tool that the server lists to a key, or why that cannot be told. Lists, and nothing else. */
export async function listTools(
  run: Run,
  environment: Environment,
  key: string,
): Promise<{ ok: true; tools: ListedTool[] } | { ok: false; why: string }> {
  const { mcp } = run.target.urls;
  if (mcp === undefined) return { ok: false, why: "no tool server is named" };
  const { onExchange: _, ...quiet } = run;
  const session: McpContext = { run: quiet, environment, mcpSessions: new Map() };
  try {
    const request = rpcRequest(mcp, { list: "tools" }, { authorization: `Bearer ${key}` });
    const reply = await requestMcp(session, request, new Set());
    if (!reply.ok) return { ok: false, why: reply.why };
    const rpc = readRpc(reply.response);
    if (!rpc.ok) return { ok: false, why: rpc.what };
    const listed = isRecord(rpc.result) && Array.isArray(rpc.result.tools) ? rpc.result.tools : [];
    return { ok: true, tools: listed.filter(isRecord).map(toolOf) };
  } finally {
    await closeMcpSessions(session);
  }
}

/** Names of tools and arguments in a target's bindings that the server does not list: slips of whoever wrote the file. */
export function unlistedNames({ bindings }: Pick<Target, "bindings">, tools: readonly ListedTool[]): Mistake[] {
  const { tools: named, tool_args: args } = bindings;
  if (!isRecord(named)) return [];
  return Object.entries(named).flatMap(([purpose, name]): Mistake[] => {
    const tool = tools.find((one) => one.name === name);
    const path = ["bindings", "tools", purpose];
    if (!tool) {
      const names = tools.map((one) => one.name);
      return [
        { path, what: `the server lists no tool "${name}"${nearestIn(String(name), names)}; leave it out if there is none` },
      ];
    }
    const given = isRecord(args) && isRecord(args[purpose]) ? args[purpose] : {};
    const unlisted = Object.entries(given).filter(([, argument]) => !tool.arguments.includes(String(argument)));
    return [...new Map(unlisted.map(([ours, argument]) => [String(argument), ours]))].map(([argument, ours]) => ({
      path: ["bindings", "tool_args", purpose, ours],
      what: `the tool ${tool.name} takes no argument "${argument}"${nearestIn(argument, tool.arguments)}; it takes ${tool.arguments.join(", ") || "none"}`,
    }));
  });
}

function toolOf({ name, description, inputSchema }: Record<string, unknown>): ListedTool {
  const schema = isRecord(inputSchema) ? inputSchema : {};
  return {
    name: String(name),
    description: typeof description === "string" ? description : "",
    arguments: Object.keys(isRecord(schema.properties) ? schema.properties : {}),
    required: Array.isArray(schema.required) ? schema.required.map(String) : [],
  };
}
