import type { perform } from "../service/perform.js";
import type { enterTools, performTool } from "../service/tools/perform-tool.js";
import type { ToolSite } from "./mcp/options.js";
import type { Worlds } from "./worlds.js";

/** Where a running mock is reached. */
export interface Addresses {
  api_url: string;
  app_url: string;
  docs_url: string;
  /** The tool server, with its trailing slash. */
  mcp_url: string;
  control_url: string;
}

/** The service behind the hosts. Tests of the examiner put one with a fault in its place. */
export interface Service {
  perform: typeof perform;
  enterTools: typeof enterTools;
  performTool: typeof performTool;
}

/** What the hosts of one running mock share. */
export interface Site {
  service: Service;
  worlds: Worlds;
  tools: ToolSite;
  /** Known once every host listens. */
  addresses: Addresses;
  /** Name of the host that the mock listens on. */
  host: string;
  /** Asked of every call to the control plane, where set. */
  adminToken: string | null;
  /** Believe `X-Mock-Client-IP`. */
  trustClientIp: boolean;
}
