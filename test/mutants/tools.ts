import { contract } from "../../src/contract/load.js";
import { checkArguments } from "../../src/contract/tool-arguments.js";
import type { IncomingToolCall, ToolReply } from "../../src/service/tools/tool-call.js";
import type { World } from "../../src/service/world/world.js";
import { type Mutant, withArguments, withScopes } from "./mutant.js";

/** Faults in what tools do with a call and with their callers. */
export const toolMutants: Mutant[] = [
  {
    name: "ignores an argument that list_observations does not declare",
    breaks: "MCP-ARG-MISSPELLED",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "list_observations" ? declaredOnly(call) : call),
  },
  {
    name: "names only the first of several undeclared arguments",
    breaks: "MCP-ARG-NAMED",
    aroundTool: (world, call, performTool) =>
      reworded(performTool(world, call), (text) => text.split("\n").slice(0, 3).join("\n")),
  },
  {
    name: "makes up what a call leaves out of the required arguments",
    breaks: "MCP-SCHEMA-REQUIRED",
    aroundTool: (world, call, performTool) =>
      performTool(world, withArguments(call, { ...madeUp(world, call), ...call.arguments })),
  },
  {
    name: "submits an audit where no workflow is named",
    breaks: "MCP-TOOL-SUBMIT",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "submit_job" ? withArguments(call, { workflow: "audit", ...call.arguments }) : call),
  },
  {
    name: "ignores a kind that is none",
    breaks: "MCP-TOOL-OBS-FILTERS",
    aroundTool(world, call, performTool) {
      const { kind, ...rest } = call.arguments;
      return performTool(world, kind === "bogus" ? withArguments(call, rest) : call);
    },
  },
  {
    name: "takes a dismissal note of any length",
    breaks: "MCP-TOOL-DISMISS",
    aroundTool(world, call, performTool) {
      const { dismissal_note: note } = call.arguments;
      if (call.purpose !== "dismiss_observation" || typeof note !== "string") return performTool(world, call);
      return performTool(world, withArguments(call, { ...call.arguments, dismissal_note: note.slice(0, 500).padEnd(10, ".") }));
    },
  },
  {
    name: "submits a fix by the tool for a key that may only audit",
    breaks: "MCP-SCOPE-SUBMIT-FIX",
    aroundTool: (world, call, performTool) =>
      performTool(world, call.purpose === "submit_job" ? withScopes(call, ["submit_fix_jobs"]) : call),
  },
  {
    name: "does not let manage_repos stand for register_repo",
    breaks: "MCP-SCOPE-REGISTER-IMPLIED",
    aroundTool(world, call, performTool) {
      if (call.purpose !== "register_repository") return performTool(world, call);
      const scopes = new Set([...call.caller.scopes].filter((scope) => scope !== "manage_repos"));
      return performTool(world, { ...call, caller: { ...call.caller, scopes } });
    },
  },
  {
    name: "gives observations other refs by tool than over REST",
    breaks: "ADDR-REF-MCP",
    aroundTool(world, call, performTool) {
      const { body, ...reply } = performTool(world, call);
      return { ...reply, body: JSON.parse(JSON.stringify(body).replaceAll("SERVICE-", "OBS-")) };
    },
  },
  {
    name: "lists the oldest jobs first",
    breaks: "MCP-TOOL-JOBS-ORDER",
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const { data } = reply.body as { data?: unknown[] };
      return call.purpose === "list_jobs" && data
        ? { ...reply, body: { ...(reply.body as object), data: data.toReversed() } }
        : reply;
    },
  },
];

/** The same call without the arguments that its tool does not declare. */
function declaredOnly(call: IncomingToolCall): IncomingToolCall {
  const checked = checkArguments(call.purpose, call.arguments);
  const faults = "faults" in checked ? checked.faults : [];
  const undeclared = new Set(faults.filter(({ type }) => type === "extra_forbidden").map(({ name }) => name));
  return withArguments(call, Object.fromEntries(Object.entries(call.arguments).filter(([name]) => !undeclared.has(name))));
}

/** Values for required arguments, of things that are there. */
function madeUp(world: World, { purpose }: IncomingToolCall): Record<string, unknown> {
  const job_id = Object.keys(world.jobs)[0];
  const ref = Object.keys(world.observations)[0];
  const { required } = contract.tools[purpose].arguments as { required: string[] };
  return Object.fromEntries(Object.entries({ ref, job_id, workflow: "audit" }).filter(([name]) => required.includes(name)));
}

/** A reply with its lines for an agent reworded. */
function reworded(reply: ToolReply, reword: (text: string) => string): ToolReply {
  return reply.text === undefined ? reply : { ...reply, text: reword(reply.text) };
}
