import { mutantPerValue } from "./family.js";
import { changeToolResponse, changeToolResult } from "./helpers/tools.js";
import type { Mutant } from "./mutant.js";
import type { AroundWire, ChangedResponse, RelayedRequest } from "./wire.js";

const lostChangedResponse: ChangedResponse = {
  status: 404,
  headers: { "content-type": "application/json" },
  text: JSON.stringify({ error: { type: "not_found", code: "not_found", message: "Nothing is here.", request_id: "req_0" } }),
};

/** Mutants that break a clause of MCP-ENDPOINT-* or MCP-HEADER-*. */
export const toolServerMutants: Mutant[] = [
  {
    name: "serves the tools at /mcp without the slash instead of redirecting",
    breaks: "MCP-ENDPOINT-BARE-307",
    aroundWire: (relayedRequest, send) =>
      send(
        relayedRequest.host === "api" && relayedRequest.path === "/mcp" ? { ...relayedRequest, path: "/mcp/" } : relayedRequest,
      ),
  },
  {
    name: "redirects /mcp with 302 instead of 307",
    breaks: "MCP-ENDPOINT-BARE-307",
    async aroundWire(relayedRequest, send) {
      const response = await send(relayedRequest);
      return response.status === 307 ? { ...response, status: 302 } : response;
    },
  },
  {
    name: "redirects /mcp to another place instead of /mcp/",
    breaks: "MCP-ENDPOINT-BARE-PRESERVE",
    async aroundWire(relayedRequest, send) {
      const response = await send(relayedRequest);
      return response.status === 307 ? { ...response, headers: { ...response.headers, location: "/mcp/sse" } } : response;
    },
  },
  {
    name: "answers JSON-RPC ids as strings instead of unchanged",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: changeToolResponse(null, ({ id, ...response }) => ({ ...response, id: String(id) })),
  },
  {
    name: "answers an unknown protocol version instead of a known one",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: changeToolResponse("initialize", (response, { protocolVersion }) =>
      protocolVersion === "2025-06-18"
        ? { ...response, result: { ...(response.result as object), protocolVersion: "1.0.0" } }
        : response,
    ),
  },
  {
    name: "leaves serverInfo out of initialize instead of sending it",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: changeToolResult<{ serverInfo: unknown }>("initialize", ({ serverInfo: _, ...result }) => result),
  },
  {
    name: "answers an unknown method with an empty result instead of an error",
    breaks: "MCP-ENDPOINT-PATH",
    aroundWire: changeToolResponse("no/such/method", ({ error: _, ...response }) => ({ ...response, result: {} })),
  },
  ...mutantPerValue(
    "MCP-HEADER-ACCEPT",
    "tool server request",
    "answers * with another media type instead of one of the protocol",
    {
      mcp: (method) => ({ aroundWire: respondWithText(method) }),
    },
  ),
  {
    name: "redirects /mcp of the app host instead of answering an error",
    breaks: "MCP-ENDPOINT-APP-BARE",
    aroundWire: async (relayedRequest, send) =>
      isBareOnApp(relayedRequest) ? { status: 307, headers: { location: "/mcp/" }, text: "" } : send(relayedRequest),
  },
  {
    name: "serves the tools at /mcp of the app host instead of answering an error",
    breaks: "MCP-ENDPOINT-APP-BARE",
    aroundWire: (relayedRequest, send) =>
      send(isBareOnApp(relayedRequest) ? { ...relayedRequest, path: "/mcp/" } : relayedRequest),
  },
  {
    name: "serves no tools on the app host instead of the same tools",
    breaks: "MCP-ENDPOINT-APP-FORWARD",
    aroundWire: async (relayedRequest, send) =>
      relayedRequest.host === "app" && relayedRequest.path === "/mcp/" ? lostChangedResponse : send(relayedRequest),
  },
  {
    name: "serves the pages of the web app alone on the app host instead of the tools too",
    breaks: "MCP-ENDPOINT-APP-FORWARD",
    aroundWire: async (relayedRequest, send) =>
      relayedRequest.host === "app"
        ? { status: 200, headers: { "content-type": "text/html" }, text: "<h1>Welcome</h1>" }
        : send(relayedRequest),
  },
  {
    name: "lists tools on the app host and refuses to call them instead of serving them",
    breaks: "MCP-ENDPOINT-APP-FORWARD",
    aroundWire: async (relayedRequest, send) =>
      relayedRequest.host === "app" && relayedRequest.text.includes('"tools/call"') ? lostChangedResponse : send(relayedRequest),
  },
];

function respondWithText(method: string): AroundWire {
  return async (relayedRequest, send) => {
    const response = await send(relayedRequest);
    const isMeant = relayedRequest.path === "/mcp/" && new RegExp(`"method"\\s*:\\s*"${method}"`).test(relayedRequest.text);
    return isMeant ? { ...response, headers: { ...response.headers, "content-type": "text/plain" } } : response;
  };
}

function isBareOnApp({ host, path }: RelayedRequest): boolean {
  return host === "app" && path === "/mcp";
}
