import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Workspace } from "../../src/service/world/world.js";
import type { Mutant } from "./mutant.js";

/** Faults that show only on what was set more than once before it is cleared: it is put back to what was there before the last time. */
export const setTwiceMutants: Mutant[] = [
  puttingBack("MCP-TOOL-GUIDANCE", "set_guidance", "clear_guidance", () => "guidance"),
  puttingBack("MCP-TOOL-CONTEXT", "set_workspace_context", "clear_workspace_context", () => "context"),
  puttingBack("MCP-TOOL-SETTING", "set_setting", "clear_setting", (call) => String(call.arguments.setting)),
];

function puttingBack(breaks: ClauseId, set: ToolPurpose, clear: ToolPurpose, wordOf: (call: IncomingToolCall) => string): Mutant {
  const before = new WeakMap<Workspace, unknown>();
  return {
    name: `puts back by ${clear} what was there before the last time`,
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
      const reply = performTool(world, call);
      if (call.purpose === set && reply.status < 300) before.set(workspace, was);
      return reply;
    },
  };
}
