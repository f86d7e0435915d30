import { refuse } from "../service/call.js";
import { pathOf, sendRefusal, targetOf } from "./answer.js";
import { serveControl } from "./control/serve.js";
import { serveDocs } from "./docs/serve.js";
import { type HostName, otherHost } from "./host-names.js";
import { isForEndpoint, isForTools, serveTools } from "./mcp/serve.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";
import { rebindingProblem } from "./rebinding.js";
import { serveRest } from "./rest.js";
import type { Site } from "./site.js";

/** Answers one request to a host. */
type Serve = (site: Site, request: IncomingMessage, response: ServerResponse) => void;

const noPages = refuse("not_found", { message: "The app host forwards /api and /mcp/; it has no pages." });

/** Answers one request to a host, unless it is a web page's that got here under another name. */
export function serveHost(name: HostName, ...[site, request, response]: Parameters<Serve>): void {
  const isForControl = name === "api" && isUnder("/__mock", pathOf(request));
  const [prefix = "", other] = (isForControl && otherHost.exec(targetOf(request))) || [];
  if (other !== undefined) {
    const rest = targetOf(request).slice(prefix.length);
    request.url = rest.startsWith("/") ? rest : `/${rest}`;
    serveHost(other as HostName, site, request, response);
    return;
  }
  // the control plane is stricter, and the tool server refuses in words of its own
  const isOwnMatter = isForControl || isForEndpoint(request);
  const problem = isOwnMatter ? null : rebindingProblem(site, request);
  if (problem === null) hosts[name](site, request, response);
  else sendRefusal(request, response, site.worlds.default, refuse("permission_denied", { message: problem }));
}

/** Who answers at which host. */
const hosts: Record<HostName, Serve> = {
  api(site, request, response) {
    const path = pathOf(request);
    if (isUnder("/__mock", path)) serveControl(site, request, response);
    else if (isForTools(path)) serveTools(site, request, response);
    else serveRest(site, "api", request, response);
  },
  app(site, request, response) {
    if (isUnder("/api", pathOf(request))) serveRest(site, "app", request, response);
    else if (isForEndpoint(request)) serveTools(site, request, response);
    else sendRefusal(request, response, site.worlds.default, noPages);
  },
  docs: serveDocs,
};

function isUnder(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}
