import type { TargetRules } from "../engine/target/rules.js";

/** Where a target has its tool server (MCP-ENDPOINT-PATH), and where our mock describes itself. */
export const target: TargetRules = { toolServerPath: "/mcp/", selfDescriptionPath: "/__mock/target" };
