import { contract } from "../../contract/load.js";
import { fillText } from "../../contract/placeholders.js";
import { refuse, succeed } from "../call.js";
import type { World } from "../world/world.js";
import type { ToolCall, ToolNames, ToolOutcome } from "./tool-call.js";

/** Lists the how-to guides. MCP-TOOL-GUIDES. */
export function listGuides(): ToolOutcome {
  return succeed(200, { guides: Object.entries(contract.guides).map(([guide, { title }]) => ({ guide, title })) });
}

/** Shows one how-to guide, with this server's tool names. MCP-TOOL-GUIDES. */
export function readGuide(_: World, { given, names }: ToolCall): ToolOutcome {
  const guide = given.guide as string;
  const foundGuide = Object.hasOwn(contract.guides, guide) ? contract.guides[guide] : undefined;
  if (!foundGuide) return refuse("not_found", { message: "There is no such guide." });
  return succeed(200, {
    guide,
    title: foundGuide.title,
    body: fillText(foundGuide.text.join("\n\n"), listToolPlaceholders(names)),
  });
}

/** Returns the values of the placeholders `tool.PURPOSE`: the names of the tools. */
export function listToolPlaceholders(names: ToolNames): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([purpose, name]) => [`tool.${purpose}`, name]));
}
