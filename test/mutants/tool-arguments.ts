import { checkArguments } from "../../src/contract/tool-arguments.js";
import { changeObservation } from "../../src/service/observations/observations.js";
import type { IncomingToolCall, ToolReply } from "../../src/service/tools/tool-call.js";
import { each, onTool } from "./family.js";
import { type Mutant, withArguments } from "./mutant.js";
import type { AroundWire } from "./wire.js";

const byRest = new Set(["domain", "category", "since", "order", "include", "close_reason", "has_fix_pr"]);

/** Faults in what one tool does with an argument that it does not declare, and in what one read tool changes. */
export const toolArgumentMutants: Mutant[] = [
  ...each("MCP-ARG-EVERY", "tool", "ignores undeclared arguments of *", {
    mcp: (tool) => onTool(tool, (world, call, performTool) => performTool(world, declaredOnly(call))),
  }),
  {
    name: "ignores what the list of observations takes by REST, and its tool does not",
    breaks: "MCP-ARG-TOOL-ERROR",
    ...onTool("list_observations", (world, call, performTool) => performTool(world, without(call, byRest))),
  },
  ...each("MCP-ARG-TOOL-ERROR", "tool", "flags an undeclared argument of * as no error", {
    mcp: (tool) =>
      onTool(tool, (world, call, performTool) => {
        const reply = performTool(world, call);
        return isUndeclared(reply) ? { ...reply, status: 200 } : reply;
      }),
  }),
  ...each("MCP-ARG-NAMED", "tool", "names an undeclared argument of * in the middle of a sentence", {
    mcp: (tool) => rewording(tool, (text) => text.replaceAll(/^(\w+)\n\s+(Extra .*)$/gm, "The argument $1: $2")),
  }),
  ...each("MCP-ARG-FORBIDDEN", "tool", "calls an undeclared argument of * a value error", {
    mcp: (tool) => rewording(tool, (text) => text.replaceAll("extra_forbidden", "value_error")),
  }),
  ...each("MCP-ARG-EFFECT", "write tool", "names an undeclared argument of * and does the work all the same", {
    mcp: (tool) =>
      onTool(tool, (world, call, performTool) => {
        const reply = performTool(world, call);
        if (isUndeclared(reply)) performTool(world, declaredOnly(call));
        return reply;
      }),
  }),
  ...each("MCP-TOOL-READ-PURE", "read tool", "stamps an observation as seen by *", {
    mcp: (tool) =>
      onTool(tool, (world, call, performTool) => {
        const reply = performTool(world, call);
        const rows = Object.values(world.observations).filter(({ workspace }) => workspace === call.caller.workspace.id);
        const row =
          world.observations[String(call.arguments.ref)] ?? rows.find((one) => one.status === "new" && !one.acknowledged_at);
        if (reply.status === 200 && row) changeObservation(world, row, { acknowledged_at: world.now });
        return reply;
      }),
  }),
  ...each("MCP-HEADER-ACCEPT", "tool server request", "answers * with no media type of the protocol", {
    mcp: (method) => ({ aroundWire: answeringPlainly(method) }),
  }),
  ...each("GEN-JSON-REQUEST", "surface", "takes JSON for a strange content type", {
    mcp: () => ({
      aroundWire: (asked, send) =>
        send(asked.path === "/mcp/" ? { ...asked, headers: { ...asked.headers, "content-type": "text/plain" } } : asked),
    }),
  }),
];

function answeringPlainly(method: string): AroundWire {
  return async (asked, send) => {
    const answer = await send(asked);
    const isMeant = asked.path === "/mcp/" && new RegExp(`"method"\\s*:\\s*"${method}"`).test(asked.text);
    return isMeant ? { ...answer, headers: { ...answer.headers, "content-type": "text/plain" } } : answer;
  };
}

/** Rewords the lines that one tool answers for an agent. */
function rewording(tool: string, reword: (text: string) => string) {
  return onTool(tool, (world, call, performTool) => {
    const reply = performTool(world, call);
    return reply.text === undefined ? reply : { ...reply, text: reword(reply.text) };
  });
}

function isUndeclared({ text }: ToolReply): boolean {
  return text?.includes("extra_forbidden") === true;
}

/** The same call without the arguments that its tool does not declare. */
export function declaredOnly(call: IncomingToolCall): IncomingToolCall {
  const checked = checkArguments(call.purpose, call.arguments);
  const faults = "faults" in checked ? checked.faults : [];
  const undeclared = new Set(faults.filter(({ type }) => type === "extra_forbidden").map(({ name }) => name));
  return without(call, undeclared);
}

function without(call: IncomingToolCall, names: ReadonlySet<string>): IncomingToolCall {
  return withArguments(call, Object.fromEntries(Object.entries(call.arguments).filter(([name]) => !names.has(name))));
}
