import { contract } from "../../contract/load.js";
import { checkSetting } from "../../contract/tool-arguments.js";
import type { SettingName } from "../../contract/tool-types.js";
import { type Outcome, succeed } from "../call.js";
import { recordChange, type Workspace, type World } from "../world/world.js";
import type { ToolCall, ToolOutcome } from "./tool-call.js";

/** The untyped settings of a workspace that agents read. */
type WorkspaceField = "guidance" | "context" | "learn_mode";

/** Sets the guidance. MCP-TOOL-GUIDANCE. */
export function setGuidance(world: World, call: ToolCall): ToolOutcome {
  return setField(world, call, "guidance", call.given.guidance);
}

/** Clears the guidance. MCP-TOOL-GUIDANCE. */
export function clearGuidance(world: World, call: ToolCall): ToolOutcome {
  return setField(world, call, "guidance", null);
}

/** Sets the workspace context. MCP-TOOL-CONTEXT. */
export function setContext(world: World, call: ToolCall): ToolOutcome {
  return setField(world, call, "context", call.given.context);
}

/** Clears the workspace context. MCP-TOOL-CONTEXT. */
export function clearContext(world: World, call: ToolCall): ToolOutcome {
  return setField(world, call, "context", null);
}

/** Sets the learning flag. MCP-TOOL-LEARN. */
export function setLearnMode(world: World, call: ToolCall): ToolOutcome {
  return setField(world, call, "learn_mode", call.given.learn_mode);
}

/** Sets a typed setting. A value of another type or out of range is an argument error. MCP-TOOL-SETTING. */
export function setSetting(world: World, call: ToolCall): ToolOutcome {
  const { setting, value } = call.given as { setting: SettingName; value: unknown };
  const errors = checkSetting(setting, value);
  if (errors.length > 0) return { errors };
  change(world, call.caller.workspace, setting, value);
  return showSetting(call.caller.workspace, setting);
}

/** Resets a typed setting to its default. MCP-TOOL-SETTING. */
export function clearSetting(world: World, call: ToolCall): ToolOutcome {
  const setting = call.given.setting as SettingName;
  change(world, call.caller.workspace, setting, null);
  return showSetting(call.caller.workspace, setting);
}

/** Returns all settings of a workspace, with defaults for those that are not set. */
export function showSettings({ settings }: Workspace): Record<string, unknown> {
  const { guidance = null, context = null, learn_mode = false } = settings;
  const names = Object.keys(contract.settings) as SettingName[];
  const typed = names.map((name) => [name, settings[name] ?? contract.settings[name].default]);
  return { guidance, context, learn_mode, settings: Object.fromEntries(typed) };
}

function setField(world: World, { caller }: ToolCall, field: WorkspaceField, value: unknown): Outcome {
  change(world, caller.workspace, field, value);
  return succeed(200, { [field]: showSettings(caller.workspace)[field] });
}

function showSetting({ settings }: Workspace, setting: SettingName): Outcome {
  const { default: defaultValue } = contract.settings[setting];
  return succeed(200, {
    setting,
    value: settings[setting] ?? defaultValue,
    default: defaultValue,
    is_default: settings[setting] === undefined,
  });
}

/** Writes one setting; null removes it. */
function change(world: World, workspace: Workspace, key: WorkspaceField | SettingName, value: unknown): void {
  const { [key]: before, ...others } = workspace.settings;
  workspace.settings = value === null ? others : { ...others, [key]: value };
  recordChange(world, "workspace", workspace.id, `${key} ${JSON.stringify(before ?? null)}`, `${key} ${JSON.stringify(value)}`);
}
