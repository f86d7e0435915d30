import type { ClauseId } from "../../src/contract/types.js";
import type { Mutant } from "./mutant.js";
import { onTools } from "./protocol.js";
import type { Answered, Asked } from "./wire.js";

const lost: Answered = {
  status: 404,
  headers: { "content-type": "application/json" },
  text: JSON.stringify({ error: { type: "not_found", code: "not_found", message: "Nothing is here.", request_id: "req_0" } }),
};

/** Faults in where the tool server is reached, how often, and in tools that it must not have. */
export const toolServerMutants: Mutant[] = [
  {
    name: "sends /mcp of the app host on",
    breaks: "MCP-ENDPOINT-APP-BARE",
    aroundWire: async (asked, send) =>
      isBareOnApp(asked) ? { status: 307, headers: { location: "/mcp/" }, text: "" } : send(asked),
  },
  {
    name: "serves the tools at /mcp of the app host too",
    breaks: "MCP-ENDPOINT-APP-BARE",
    aroundWire: (asked, send) => send(isBareOnApp(asked) ? { ...asked, path: "/mcp/" } : asked),
  },
  {
    name: "has no tools on its app host",
    breaks: "MCP-ENDPOINT-APP-FORWARD",
    aroundWire: async (asked, send) => (asked.host === "app" && asked.path === "/mcp/" ? lost : send(asked)),
  },
  {
    name: "lists tools on its app host and calls none",
    breaks: "MCP-ENDPOINT-APP-FORWARD",
    aroundWire: async (asked, send) => (asked.host === "app" && asked.text.includes('"tools/call"') ? lost : send(asked)),
  },
  having("cancel_job", "MCP-TOOL-NOCANCEL"),
  having("abort_job", "MCP-TOOL-NOCANCEL"),
  having("delete_repository", "MCP-TOOL-NODELETE"),
  having("reset_repository", "MCP-TOOL-NODELETE"),
  having("create_webhook", "MCP-TOOL-NOWEBHOOK"),
  {
    name: "admits a hundred thousand tool calls a minute",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      delete world.rates[call.caller.key!.id]?.mcp;
      return performTool(world, call);
    },
  },
  {
    name: "admits forty tool calls a minute",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      const window = world.rates[call.caller.key!.id]?.mcp;
      if (window?.used === 40) window.used = 60;
      return performTool(world, call);
    },
  },
  {
    name: "counts the tool calls of all keys together",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      const window = Object.values(world.rates).find(({ mcp }) => mcp)?.mcp;
      const id = call.caller.key!.id;
      if (window) world.rates[id] = { ...world.rates[id], mcp: window };
      return performTool(world, call);
    },
  },
  {
    name: "never lets a key call again that has called too often",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      const window = world.rates[call.caller.key!.id]?.mcp;
      if (window && window.used >= 60) window.since = world.now;
      return performTool(world, call);
    },
  },
];

function isBareOnApp({ host, path }: Asked): boolean {
  return host === "app" && path === "/mcp";
}

/** A server with a tool that it must not have. */
function having(tool: string, breaks: ClauseId): Mutant {
  return {
    name: `has a tool ${tool}`,
    breaks,
    aroundWire: onTools((tools) => [...tools, { ...tools[0]!, name: tool }]),
  };
}
