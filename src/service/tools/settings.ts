import { contract } from "../../contract/load.js";
import { checkSetting } from "../../contract/tool-arguments.js";
import type { SettingName } from "../../contract/tool-types.js";
import { type Outcome, ok } from "../call.js";
import { note, type Workspace, type World } from "../world/world.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

/** What a workspace tells agents, beside its typed settings. */
type Word = "guidance" | "context" | "learn_mode";

/** MCP-TOOL-GUIDANCE. */
export function setGuidance(world: World, call: ToolCall): ToolOutcome {
  return say(world, call, "guidance", call.given.guidance);
}

/** MCP-TOOL-GUIDANCE. */
export function clearGuidance(world: World, call: ToolCall): ToolOutcome {
  return say(world, call, "guidance", null);
}

/** MCP-TOOL-CONTEXT. */
export function setContext(world: World, call: ToolCall): ToolOutcome {
  return say(world, call, "context", call.given.context);
}

/** MCP-TOOL-CONTEXT. */
export function clearContext(world: World, call: ToolCall): ToolOutcome {
  return say(world, call, "context", null);
}

/** MCP-TOOL-LEARN. */
export function setLearnMode(world: World, call: ToolCall): ToolOutcome {
  return say(world, call, "learn_mode", call.given.learn_mode);
}

/** Sets a typed setting; a value of another type, or out of range, is a faulty argument. MCP-TOOL-SETTING. */
export function setSetting(world: World, call: ToolCall): ToolOutcome {
  const { setting, value } = call.given as { setting: SettingName; value: unknown };
  const faults = checkSetting(setting, value);
  if (faults.length > 0) return { faults };
  change(world, call.caller.workspace, setting, value);
  return showSetting(call.caller.workspace, setting);
}

/** Puts a typed setting back to its default. MCP-TOOL-SETTING. */
export function clearSetting(world: World, call: ToolCall): ToolOutcome {
  const setting = call.given.setting as SettingName;
  change(world, call.caller.workspace, setting, null);
  return showSetting(call.caller.workspace, setting);
}

/** Everything a workspace has set, and the defaults of what it has not. */
export function settingsView({ settings }: Workspace): Record<string, unknown> {
  const { guidance = null, context = null, learn_mode = false } = settings;
  const names = Object.keys(contract.settings) as SettingName[];
  const typed = names.map((name) => [name, settings[name] ?? contract.settings[name].default]);
  return { guidance, context, learn_mode, settings: Object.fromEntries(typed) };
}

function say(world: World, { caller }: ToolCall, word: Word, value: unknown): Outcome {
  change(world, caller.workspace, word, value);
  return ok(200, { [word]: settingsView(caller.workspace)[word] });
}

function showSetting({ settings }: Workspace, setting: SettingName): Outcome {
  const { default: usual } = contract.settings[setting];
  return ok(200, { setting, value: settings[setting] ?? usual, default: usual, is_default: settings[setting] === undefined });
}

/** Writes one key of the settings; null takes it out. */
function change(world: World, workspace: Workspace, key: Word | SettingName, value: unknown): void {
  const { [key]: before, ...others } = workspace.settings;
  workspace.settings = value === null ? others : { ...others, [key]: value };
  note(world, "workspace", workspace.id, `${key} ${JSON.stringify(before ?? null)}`, `${key} ${JSON.stringify(value)}`);
}
