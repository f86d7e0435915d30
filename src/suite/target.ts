import { contract } from "../contract/load.js";
import type { TargetRules } from "../engine/target/rules.js";
import { preflight } from "./preflight.js";
import { bindings } from "./target/bindings.js";
import { joined, toolNames } from "./target/tools.js";

/** Where a target has its tool server (MCP-ENDPOINT-PATH), where our mock describes itself, and what target files can name. */
export const target: TargetRules = {
  toolServerPath: "/mcp/",
  selfDescriptionPath: "/__mock/target",
  basePath: preflight.basePath,
  docsPath: preflight.docsPath,
  names: {
    keys: contract.roles.keys,
    sessions: contract.roles.sessions,
    drive: contract.events,
    bindings,
    tools: toolNames,
    joined,
  },
};
