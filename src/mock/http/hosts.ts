import { findRebindingProblem } from "../../common/origins.js";
import type { MockContext, Serve, ServeHost } from "../context.js";
import { type HostName, otherHost } from "./host-names.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";
import { readPath, readTarget } from "./response.js";

/** The handlers of the three hosts. */
export interface Handlers {
  control: Serve;
  docs: Serve;
  /** Answers requests to the tool server, and to the paths at which its clients look for a sign-in. */
  tools: Serve;
  rest(context: MockContext, host: "api" | "app", request: IncomingMessage, response: ServerResponse): void;
  /** Refuses a request of another origin (403) or for an unknown page (404). */
  refuse(
    context: MockContext,
    request: IncomingMessage,
    response: ServerResponse,
    why: { code: "permission_denied" | "not_found"; message: string },
  ): void;
}

/** Returns the function that answers requests to the three hosts. It refuses pages of other origins (protection against DNS rebinding). */
export function createHosts(handlers: Handlers): ServeHost {
  const serve: Record<HostName, Serve> = {
    api(context, request, response) {
      const path = readPath(request);
      if (isUnder("/__mock", path)) handlers.control(context, request, response);
      else if (isForTools(path)) handlers.tools(context, request, response);
      else handlers.rest(context, "api", request, response);
    },
    app(context, request, response) {
      if (isUnder("/api", readPath(request))) handlers.rest(context, "app", request, response);
      else if (isForToolEndpoint(request)) handlers.tools(context, request, response);
      else handlers.refuse(context, request, response, { code: "not_found", message: noPages });
    },
    docs: handlers.docs,
  };
  return function serveHost(name, context, request, response) {
    const isForControl = name === "api" && isUnder("/__mock", readPath(request));
    const [prefix = "", other] = (isForControl && otherHost.exec(readTarget(request))) || [];
    if (other !== undefined) {
      const rest = readTarget(request).slice(prefix.length);
      request.url = rest.startsWith("/") ? rest : `/${rest}`;
      serveHost(other as HostName, context, request, response);
      return;
    }
    // the control plane has stricter rules, and the tool server refuses in the form of its protocol
    const refusesItself = isForControl || isForToolEndpoint(request);
    const problem = refusesItself ? null : findRebindingProblem(context, request);
    if (problem === null) serve[name](context, request, response);
    else handlers.refuse(context, request, response, { code: "permission_denied", message: problem });
  };
}

/** Path of the tool server. */
export const toolEndpoint = "/mcp/";

/** Returns whether a request is for the tool server. The app host forwards such requests too. MCP-ENDPOINT-APP-FORWARD. */
export function isForToolEndpoint(request: IncomingMessage): boolean {
  return readPath(request) === toolEndpoint;
}

/** Returns whether a path belongs to the tool server, or is a path at which clients look for its sign-in. */
function isForTools(path: string): boolean {
  return path === toolEndpoint || path === "/mcp" || path === "/register" || path.startsWith("/.well-known/");
}

const noPages = "The app host forwards /api and /mcp/; it has no pages.";

function isUnder(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}
