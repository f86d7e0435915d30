import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../contract/load.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import type { FamilyName } from "../worlds/tool-revisions.js";
import type { Method, Params } from "./json-rpc.js";
import { openSdkServer, readMessage } from "./json-rpc-bridge.js";
import { createLegacyFamily } from "./legacy-revisions.js";
import { createModernFamily, type ServerDescription } from "./modern-revisions.js";
import { createPromptMethods } from "./prompts.js";
import type { Message, RevisionFamily } from "./revision-family.js";
import { nameToolMethods, type ToolRequest } from "./tools.js";

/** The one MCP server of a mock, for every client of every world. */
export interface ToolServer {
  /** The adapter of each family, or that of the other family if the mock does not offer this one. */
  families: Readonly<Record<FamilyName, RevisionFamily>>;
  readMessage(value: unknown): Message;
  /** Reads a tool call. Throws the protocol's error for an unknown tool and for arguments that are not an object. */
  readToolCall(params: Params): ToolRequest;
}

const instructions = "Begin with the prompt service_agent_loop. An argument that a tool does not declare is refused.";

/** Opens the server with these names of tools and these revisions. Each family of revisions has one adapter, and both use the same tools and prompts. */
export async function openToolServer(
  names: ToolNames,
  offered: Readonly<Record<FamilyName, readonly string[]>>,
): Promise<ToolServer> {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  const capabilities = { tools: {}, prompts: {} };
  const description: ServerDescription = { info: { name: "counterpart-mock", version }, capabilities, instructions };
  const tools = nameToolMethods(names);
  const methods: Readonly<Record<string, Method>> = { "tools/list": tools.list, ...createPromptMethods(names) };
  const modern = createModernFamily(offered.modern, methods, description);
  const legacy = createLegacyFamily(offered.legacy, methods, await openSdkServer(description));
  const families: Record<FamilyName, RevisionFamily> = {
    modern: offered.modern.length > 0 ? modern : legacy,
    legacy: offered.legacy.length > 0 ? legacy : modern,
  };
  return { families, readMessage, readToolCall: tools.read };
}
