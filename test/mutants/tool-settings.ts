import { contract } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Workspace } from "../../src/service/world/world.js";
import { addForbiddenTool, aroundTools, createRefusingToolMutant, performOtherCall, reportOtherResult } from "./helpers/tools.js";
import { type Mutant, withArguments } from "./mutant.js";

/** Mutants that break a clause of MCP-TOOL-CONTEXT-*, MCP-TOOL-GUIDANCE-*, MCP-TOOL-GUIDES-*, MCP-TOOL-LEARN-*, MCP-TOOL-NOWEBHOOK-*, MCP-TOOL-RULES-* or MCP-TOOL-SETTING-*. */
export const toolSettingsMutants: Mutant[] = [
  restoreFormer("MCP-TOOL-GUIDANCE", "set_guidance", "clear_guidance", () => "guidance"),
  restoreFormer("MCP-TOOL-CONTEXT", "set_workspace_context", "clear_workspace_context", () => "context"),
  restoreFormer("MCP-TOOL-SETTING", "set_setting", "clear_setting", (call) => String(call.arguments.setting)),
  createRefusingToolMutant("answers no rules for a file instead of them", "MCP-TOOL-RULES", "rules_for_file"),
  reportOtherResult("lists no how-to guides instead of all", "MCP-TOOL-GUIDES", "list_guides", () => ({ guides: [] })),
  createRefusingToolMutant("refuses to read a how-to guide instead of answering its text", "MCP-TOOL-GUIDES", "read_guide"),
  createRefusingToolMutant(
    "refuses to read the last how-to guide of the list instead of answering its text",
    "MCP-TOOL-GUIDES",
    "read_guide",
    ({ guide }) => guide === Object.keys(contract.guides).at(-1),
  ),
  performOtherCall("lists the guides again for a named one instead of its text", "MCP-TOOL-GUIDES", "read_guide", (_, call) => ({
    ...withArguments(call, {}),
    purpose: "list_guides",
  })),
  addForbiddenTool("create_webhook", "MCP-TOOL-NOWEBHOOK"),
  aroundTools("appends guidance instead of replacing it", "MCP-TOOL-GUIDANCE", ["set_guidance"], (world, call, performTool) => {
    const { guidance } = call.caller.workspace.settings;
    const more = guidance === undefined ? call.arguments.guidance : `${guidance} ${call.arguments.guidance}`;
    return performTool(world, withArguments(call, { guidance: more }));
  }),
  ...(
    [
      ["MCP-TOOL-CONTEXT", "clear_guidance", "context"],
      ["MCP-TOOL-GUIDANCE", "clear_workspace_context", "guidance"],
      ["MCP-TOOL-LEARN", "clear_setting", "learn_mode"],
    ] as const
  ).map(([breaks, purpose, other]) =>
    aroundTools(
      `clears ${other} also by ${purpose} instead of its own setting alone`,
      breaks,
      [purpose],
      (world, call, performTool) => {
        const response = performTool(world, call);
        const { [other]: _, ...rest } = call.caller.workspace.settings;
        call.caller.workspace.settings = rest;
        return response;
      },
    ),
  ),
  ...(
    [
      ["MCP-TOOL-GUIDANCE", "set_guidance", "clear_guidance"],
      ["MCP-TOOL-CONTEXT", "set_workspace_context", "clear_workspace_context"],
    ] as const
  ).map(([breaks, set, clear]) => ignoreSecondSet(breaks, set, clear)),
  createRefusingToolMutant("sets no guidance instead of the given one", "MCP-TOOL-GUIDANCE", "set_guidance"),
  createRefusingToolMutant("keeps guidance that is cleared instead of removing it", "MCP-TOOL-GUIDANCE", "clear_guidance"),
  createRefusingToolMutant("sets no workspace context instead of the given one", "MCP-TOOL-CONTEXT", "set_workspace_context"),
  createRefusingToolMutant(
    "keeps a workspace context that is cleared instead of removing it",
    "MCP-TOOL-CONTEXT",
    "clear_workspace_context",
  ),
  createRefusingToolMutant("sets no tenant setting instead of the given one", "MCP-TOOL-SETTING", "set_setting"),
  createRefusingToolMutant("keeps a tenant setting that is cleared instead of removing it", "MCP-TOOL-SETTING", "clear_setting"),
  performOtherCall("sets audit_timeout_s to a text instead of refusing the call", "MCP-TOOL-SETTING", "set_setting", (_, call) =>
    typeof call.arguments.value === "string" ? withArguments(call, { ...call.arguments, value: 60 }) : call,
  ),
  performOtherCall(
    "answers that a tenant setting is cleared and keeps it instead of removing it",
    "MCP-TOOL-SETTING",
    "clear_setting",
    (_, call) => {
      const value = call.caller.workspace.settings.audit_timeout_s;
      return { ...withArguments(call, { setting: "audit_timeout_s", value }), purpose: "set_setting" };
    },
  ),
  createRefusingToolMutant(
    "sets no learn_mode instead of the given one",
    "MCP-TOOL-LEARN",
    "set_learn_mode",
    (given) => given.learn_mode === true,
  ),
  createRefusingToolMutant(
    "keeps learn_mode that is cleared instead of removing it",
    "MCP-TOOL-LEARN",
    "set_learn_mode",
    (given) => given.learn_mode === false,
  ),
];

function restoreFormer(
  breaks: ClauseId,
  set: ToolPurpose,
  clear: ToolPurpose,
  wordOf: (call: IncomingToolCall) => string,
): Mutant {
  const before = new WeakMap<Workspace, unknown>();
  return {
    name: `restores by ${clear} the value before the last change instead of removing it`,
    breaks,
    aroundTool(world, call, performTool) {
      const { workspace } = call.caller;
      const word = wordOf(call);
      const was = workspace.settings[word];
      if (call.purpose === clear && before.get(workspace) !== undefined) {
        const value = before.get(workspace);
        const given = set === "set_setting" ? { ...call.arguments, value } : { [word]: value };
        return performTool(world, { ...call, purpose: set, arguments: given });
      }
      const response = performTool(world, call);
      if (call.purpose === set && response.status < 300) before.set(workspace, was);
      return response;
    },
  };
}

/** Ignores a setting after it was cleared once. */
function ignoreSecondSet(breaks: ClauseId, set: ToolPurpose, clear: ToolPurpose): Mutant {
  const cleared = new WeakSet<Workspace>();
  return aroundTools(
    `sets nothing by ${set} after a clear instead of the new value`,
    breaks,
    [set, clear],
    (world, call, performTool) => {
      const { workspace } = call.caller;
      const { settings } = workspace;
      const response = performTool(world, call);
      if (call.purpose === set && cleared.has(workspace)) workspace.settings = settings;
      if (call.purpose === clear) cleared.add(workspace);
      return response;
    },
  );
}
