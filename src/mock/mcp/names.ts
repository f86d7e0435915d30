import { contract } from "../../contract/load.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import type { Problem } from "../problems.js";

const wellFormed = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * How the tools are called on one server: as in `spec/tools.json`, but for the renames asked for, from purpose or name to new name.
 * A name that the interface text gives stays. MCP-TOOL-NAMES, MCP-TOOL-OURS.
 */
export function nameTools(renames: Readonly<Record<string, string>> = {}): ToolNames | Problem {
  const names = Object.fromEntries(Object.entries(contract.tools).map(([purpose, { name }]) => [purpose, name]));
  for (const [from, to] of Object.entries(renames)) {
    const purpose = purposeOf(from);
    if (!purpose) return { problem: `There is no tool '${from}' to rename.`, allowed: renamable() };
    if (!wellFormed.test(to)) return { problem: `'${to}' is no tool name: 1 to 64 letters, digits, '_', '-' and '.'.` };
    names[purpose] = to;
  }
  const taken = Object.values(names);
  const twice = taken.find((name, i) => taken.indexOf(name) !== i);
  return twice === undefined ? (names as ToolNames) : { problem: `Two tools would be called '${twice}'.` };
}

function purposeOf(name: string): ToolPurpose | undefined {
  return renamable().find((purpose) => purpose === name || contract.tools[purpose].name === name);
}

function renamable(): ToolPurpose[] {
  return (Object.keys(contract.tools) as ToolPurpose[]).filter((purpose) => !contract.tools[purpose].shown);
}
