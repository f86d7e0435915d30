import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../contract/load.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import type { EraName } from "../worlds/tool-revisions.js";
import type { Era, Message } from "./era.js";
import type { Method, Params } from "./json-rpc.js";
import { openSdkServer, readMessage } from "./json-rpc-bridge.js";
import { legacyEra } from "./legacy-era.js";
import { modernEra, type ServerDescription } from "./modern-era.js";
import { promptMethods } from "./prompts.js";
import { type ToolRequest, toolsNamed } from "./tools.js";

/** The one MCP server of a mock, for every client of every world. */
export interface ToolServer {
  /** The adapter of each era, or that of the other era if the mock does not offer this one. */
  eras: Readonly<Record<EraName, Era>>;
  readMessage(value: unknown): Message;
  /** Reads a tool call. Throws the protocol's error for an unknown tool and for arguments that are no object. */
  readToolCall(params: Params): ToolRequest;
}

const instructions = "Begin with the prompt service_agent_loop. An argument that a tool does not declare is refused.";

/** Opens the server with these names of tools and these revisions. Each era has one adapter, and both use the same tools and prompts. */
export async function openToolServer(
  names: ToolNames,
  offered: Readonly<Record<EraName, readonly string[]>>,
): Promise<ToolServer> {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  const capabilities = { tools: {}, prompts: {} };
  const description: ServerDescription = { info: { name: "counterpart-mock", version }, capabilities, instructions };
  const tools = toolsNamed(names);
  const methods: Readonly<Record<string, Method>> = { "tools/list": tools.list, ...promptMethods(names) };
  const modern = modernEra(offered.modern, methods, description);
  const legacy = legacyEra(offered.legacy, methods, await openSdkServer(description));
  const eras: Record<EraName, Era> = {
    modern: offered.modern.length > 0 ? modern : legacy,
    legacy: offered.legacy.length > 0 ? legacy : modern,
  };
  return { eras, readMessage, readToolCall: tools.read };
}
