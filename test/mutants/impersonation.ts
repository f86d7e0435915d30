import { contract } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import { roles } from "../../src/suite/statements/roles.js";
import type { AroundWire, RelayedRequest } from "./wire.js";

/** The operation of a request: a route, a tool by its purpose, or a method of the tool server. */
type What = { route: string } | { tool: ToolPurpose } | { method: string };

/** A server that treats a caller as the key with every scope in some requests. `who`: the key of a role, a key that a scenario created, or no key. */
export function impersonate(who: string, isAsked: (relayedRequest: RelayedRequest) => boolean): AroundWire {
  let rights = "Bearer mock_full"; // in the world of the last request
  return (relayedRequest, send) => {
    const { authorization } = relayedRequest.headers;
    const [, world, holder = ""] = /^Bearer (mock_(?:w\d+_)?)(\w+)$/.exec(String(authorization)) ?? [];
    if (world !== undefined) rights = `Bearer ${world}full`;
    const sender = authorization === undefined ? "none" : holder in roles ? holder : world === undefined ? "other" : "made";
    const isTaken = sender === who && relayedRequest.headers.cookie === undefined && isAsked(relayedRequest);
    return send(isTaken ? { ...relayedRequest, headers: { ...relayedRequest.headers, authorization: rights } } : relayedRequest);
  };
}

/** Returns a function that tells whether a request is for an operation. */
export function matchesOperation(what: What): (relayedRequest: RelayedRequest) => boolean {
  if ("route" in what) return matchesRoute(what.route);
  return ({ path, text }) => {
    if (!path.startsWith("/mcp/") || !text.startsWith("{")) return false;
    const message = JSON.parse(text) as { method: string; params?: { name?: string } };
    return "tool" in what ? message.params?.name === contract.tools[what.tool].name : message.method === what.method;
  };
}

/** Whether a request goes to a route. */
export function matchesRoute(route: string): (relayedRequest: RelayedRequest) => boolean {
  const [verb, path = ""] = route.split(" ");
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?]+")}(\\?|$)`);
  return (relayedRequest) =>
    relayedRequest.host !== "docs" && relayedRequest.method === verb && pattern.test(relayedRequest.path);
}
