import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingToolCall } from "../../src/service/tools/tool-call.js";
import type { Workspace } from "../../src/service/world/world.js";
import { type AroundTool, type Mutant, withArguments } from "./mutant.js";

/** Faults of tools that show on the second setting, on what stands beside it, and on what has a history or a name of another form. */
export const toolSettingMutants: Mutant[] = [
  onTools("adds guidance to what is there", "MCP-TOOL-GUIDANCE", ["set_guidance"], (world, call, performTool) => {
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
    onTools(`takes ${other} away too by ${purpose}`, breaks, [purpose], (world, call, performTool) => {
      const reply = performTool(world, call);
      const { [other]: _, ...rest } = call.caller.workspace.settings;
      call.caller.workspace.settings = rest;
      return reply;
    }),
  ),
  ...(
    [
      ["MCP-TOOL-GUIDANCE", "set_guidance", "clear_guidance"],
      ["MCP-TOOL-CONTEXT", "set_workspace_context", "clear_workspace_context"],
    ] as const
  ).map(([breaks, set, clear]) => forgetting(breaks, set, clear)),
  onTools(
    "sets for one workspace what is set for any",
    "KEY-WORKSPACE",
    ["set_guidance", "set_workspace_context"],
    (world, call, performTool) => performTool(world, inFirstWorkspace(call, Object.values(world.workspaces)[0]!)),
  ),
  ...(
    [
      ["MCP-TOOL-OVERVIEW", "repository_overview"],
      ["MCP-TOOL-FIXPRS", "list_fix_prs"],
      ["MCP-TOOL-SUBMIT", "submit_job"],
      ["MCP-TOOL-RECENT", "recent_issues"],
    ] as const
  ).map(([breaks, purpose]) =>
    onTools(`ends a branch at its first slash by ${purpose}`, breaks, [purpose], (world, call, performTool) => {
      const [branch] = String(call.arguments.branch).split("/");
      return performTool(world, withArguments(call, { ...call.arguments, branch }));
    }),
  ),
  ...(
    [
      ["a number", /^\d+$/],
      ["begun with a line", /^_/],
    ] as const
  ).map(([which, form]) =>
    onTools(
      `ignores undeclared arguments whose names are ${which}`,
      "MCP-ARG-TOOL-ERROR",
      ["list_observations"],
      (world, call, performTool) => {
        const given = Object.entries(call.arguments).filter(([name]) => !form.test(name));
        return performTool(world, withArguments(call, Object.fromEntries(given)));
      },
    ),
  ),
  {
    name: "takes what other keys spend from the dollars of a key that calls tools",
    breaks: "MCP-RATE-SPEND",
    aroundTool(world, call, performTool) {
      const { key, workspace } = call.caller;
      const own = world.spend[key.id];
      const all = world.spend[workspace.id];
      if (key.dollars_per_hour === null || own || !all) return performTool(world, call);
      world.spend[key.id] = all;
      const reply = performTool(world, call);
      delete world.spend[key.id];
      return reply;
    },
  },
];

function onTools(name: string, breaks: ClauseId, purposes: readonly ToolPurpose[], around: AroundTool): Mutant {
  return {
    name,
    breaks,
    aroundTool: (world, call, performTool) =>
      purposes.includes(call.purpose) ? around(world, call, performTool) : performTool(world, call),
  };
}

/** Sets nothing any more that was cleared once. */
function forgetting(breaks: ClauseId, set: ToolPurpose, clear: ToolPurpose): Mutant {
  const cleared = new WeakSet<Workspace>();
  return onTools(`sets nothing by ${set} that was cleared once`, breaks, [set, clear], (world, call, performTool) => {
    const { workspace } = call.caller;
    const { settings } = workspace;
    const reply = performTool(world, call);
    if (call.purpose === set && cleared.has(workspace)) workspace.settings = settings;
    if (call.purpose === clear) cleared.add(workspace);
    return reply;
  });
}

function inFirstWorkspace(call: IncomingToolCall, workspace: Workspace): IncomingToolCall {
  return { ...call, caller: { ...call.caller, workspace } };
}
