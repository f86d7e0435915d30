import { refuse } from "../service/call.js";
import { pathOf, sendRefusal } from "./answer.js";
import { serveControl } from "./control/serve.js";
import { serveDocs } from "./docs/serve.js";
import { isForEndpoint, isForTools, serveTools } from "./mcp/serve.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";
import { serveRest } from "./rest.js";
import type { Site } from "./site.js";

/** The three addresses of the service. */
export type HostName = "api" | "app" | "docs";

/** Answers one request to a host. */
export type Serve = (site: Site, request: IncomingMessage, response: ServerResponse) => void;

const noPages = refuse("not_found", { message: "The app host forwards /api and /mcp/; it has no pages." });

/** Who answers at which host. */
export const hosts: Record<HostName, Serve> = {
  api(site, request, response) {
    if (isUnder("/__mock", request)) serveControl(site, request, response);
    else if (isForTools(request)) serveTools(site, request, response);
    else serveRest(site, "api", request, response);
  },
  app(site, request, response) {
    if (isUnder("/api", request)) serveRest(site, "app", request, response);
    else if (isForEndpoint(request)) serveTools(site, request, response);
    else sendRefusal(request, response, site.worlds.default.world, noPages);
  },
  docs: serveDocs,
};

function isUnder(prefix: string, request: IncomingMessage): boolean {
  const path = pathOf(request);
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}
