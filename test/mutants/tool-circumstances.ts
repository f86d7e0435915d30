import type { ClauseId } from "../../src/contract/types.js";
import { onTool } from "./family.js";
import { windowsOf } from "./limits.js";
import { type Mutant, withArguments } from "./mutant.js";

/** Faults of tools that show in one circumstance alone: with one form of an argument, beside another, for one sort of tool or key. */
export const toolCircumstanceMutants: Mutant[] = [
  {
    name: "does not count calls of tools that write",
    breaks: "MCP-RATE-KEY",
    value: { surface: "mcp", dimension: "mix", value: "one operation" },
    aroundTool: (world, call, performTool) => {
      if (
        /^(list|explain|search|forecast|job_status|knowledge|rules|canonical|recent|pending|read|repository_overview)/.test(
          call.purpose,
        )
      )
        return performTool(world, call);
      const { mcp } = windowsOf(world, call.caller.key.id);
      const used = mcp?.used;
      const reply = performTool(world, call);
      if (mcp && used !== undefined) mcp.used = used;
      return reply;
    },
  },
  {
    name: "takes twenty tool calls a minute of a Free key",
    breaks: "MCP-RATE-KEY",
    value: { surface: "mcp", dimension: "mix", value: "one operation" },
    aroundTool: (world, call, performTool) => {
      const { mcp } = windowsOf(world, call.caller.key.id);
      if (mcp?.used === 20 && call.caller.workspace.plan === "free") mcp.used = 60;
      return performTool(world, call);
    },
  },
  ...(
    [
      ["kind", "priority"],
      ["priority", "status"],
      ["status", "kind"],
    ] as const
  ).map(
    ([one, other]): Mutant => ({
      name: `forgets ${one} where ${other} is given to list_observations`,
      breaks: "MCP-TOOL-OBS-FILTERS",
      aroundTool: (world, call, performTool) => {
        const { [one]: _, ...rest } = call.arguments;
        const isMeant = call.purpose === "list_observations" && other in rest && !("search" in rest);
        return performTool(world, isMeant ? withArguments(call, rest) : call);
      },
    }),
  ),
  ...(
    [
      ["that are null", (_, value) => value === null],
      ["that are false", (_, value) => value === false],
      ["that are empty", (_, value) => value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0)],
      ["that are its own in capitals", (name) => name !== name.toLowerCase()],
      ["that are another tool's", (name) => ["job_id", "reopen_reason"].includes(name)],
      ["that every object has", (name) => name in Object.prototype],
    ] satisfies [string, (name: string, value: unknown) => boolean][]
  ).map(
    ([which, isMissed]): Mutant => ({
      name: `ignores undeclared arguments ${which}`,
      breaks: "MCP-ARG-TOOL-ERROR",
      aroundTool: (world, call, performTool) => {
        const given = Object.entries(call.arguments);
        const isMeant = (name: string, value: unknown) => isMissed(name, value) && call.purpose === "list_observations";
        return performTool(
          world,
          withArguments(call, Object.fromEntries(given.filter(([name, value]) => !isMeant(name, value)))),
        );
      },
    }),
  ),
  ...(
    [
      [
        "MCP-TOOL-DISMISS",
        "dismiss_observation",
        "the service's own category",
        "dismissal_category",
        "exhausted_fix_attempts",
        "other",
      ],
      ["MCP-TOOL-REOPEN", "reopen_observation", "a reason of any length", "reopen_reason", /^.{2001,}$/, "long"],
    ] satisfies [ClauseId, string, string, string, string | RegExp, string][]
  ).map(
    ([breaks, purpose, what, argument, odd, instead]): Mutant => ({
      name: `takes ${what} by the tool`,
      breaks,
      ...onTool(purpose, (world, call, performTool) => {
        const isMeant = String(call.arguments[argument]).search(odd) === 0;
        return performTool(world, isMeant ? withArguments(call, { ...call.arguments, [argument]: instead }) : call);
      }),
    }),
  ),
];
