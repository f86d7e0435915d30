import { findClosestName } from "../../common/nearest-names.js";
import { isProblem, type Problem } from "../../common/problem.js";
import { contract } from "../../contract/load.js";
import type { Tool, ToolPurpose } from "../../contract/tool-types.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import type { ToolServerOptions } from "../worlds/options.js";
import { type FamilyName, selectRevisions } from "../worlds/tool-revisions.js";
import type { ToolServer } from "./tool-server.js";

/** The tool server of a running mock. */
export interface ToolServerSettings {
  sessions: boolean;
  sse: boolean;
  names: ToolNames;
  /** The offered protocol revisions of each family, newest first. */
  revisions: Readonly<Record<FamilyName, readonly string[]>>;
  /** The server, once it is loaded. */
  loaded: ToolServer | null;
  /** Loads the server for the first message: the SDK is slow to load. */
  server(): Promise<ToolServer>;
}

const toolName = /^[A-Za-z0-9_.-]{1,64}$/;

/** Prepares the tool server of a mock, or returns the problem with its options. */
export function readToolServerSettings({
  sessions = false,
  sse = false,
  names: renames,
  revisions: selected,
}: ToolServerOptions = {}): ToolServerSettings | Problem {
  const names = nameTools(renames);
  if (isProblem(names)) return names;
  const revisions = { modern: selectRevisions("modern", selected), legacy: selectRevisions("legacy", selected) };
  let server: Promise<ToolServer> | undefined;
  const load = async () => {
    settings.loaded = await (await import("./tool-server.js")).openToolServer(names, revisions);
    return settings.loaded;
  };
  const settings: ToolServerSettings = {
    ...{ sessions, sse, names, revisions, loaded: null },
    server: () => (server ??= load()),
  };
  return settings;
}

/**
 * Returns the tool names of one server: those of `spec/tools.json` with the requested renames, by purpose or name. A name that
 * the contract shows cannot change. MCP-TOOL-NAMES, MCP-TOOL-OURS.
 */
export function nameTools(renames: Readonly<Record<string, string>> = {}): ToolNames | Problem {
  const names = Object.fromEntries(Object.entries(contract.tools).map(([purpose, { name }]) => [purpose, name]));
  for (const [from, to] of Object.entries(renames)) {
    const purpose = findPurpose(from);
    if (!purpose) return findFixedNames(from);
    if (!toolName.test(to)) return { problem: `'${to}' is not a tool name: 1 to 64 letters, digits, '_', '-' and '.'.` };
    names[purpose] = to;
  }
  const taken = Object.values(names);
  const twice = taken.find((name, i) => taken.indexOf(name) !== i);
  return twice === undefined ? (names as ToolNames) : { problem: `Two tools would have the name '${twice}'.` };
}

function findFixedNames(name: string): Problem {
  const names = listPurposes();
  const isShown = Object.values<Tool>(contract.tools).some((tool) => tool.name === name);
  return { problem: `There is no tool '${name}' to rename${isShown ? "" : findClosestName(name, names)}.`, allowed: names };
}

function findPurpose(name: string): ToolPurpose | undefined {
  return listPurposes().find((purpose) => purpose === name || contract.tools[purpose].name === name);
}

/** Returns the tools that can be renamed: those whose names the contract does not show. */
function listPurposes(): ToolPurpose[] {
  return (Object.keys(contract.tools) as ToolPurpose[]).filter((purpose) => !contract.tools[purpose].shown);
}
