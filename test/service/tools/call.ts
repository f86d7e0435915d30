import { contract } from "../../../src/contract/load.js";
import type { ToolPurpose } from "../../../src/contract/tool-types.js";
import { authenticateToolCaller, performTool } from "../../../src/service/tools/perform-tool.js";
import type { ToolNames, ToolResponse } from "../../../src/service/tools/tool-call.js";
import type { World } from "../../../src/service/world/world.js";

/** The names of the tools in `spec/tools.json`. */
export const names = Object.fromEntries(
  Object.entries(contract.tools).map(([purpose, { name }]) => [purpose, name]),
) as ToolNames;

/** Calls a tool in a default world with the key of a role. */
export function callTool(world: World, purpose: ToolPurpose, given: Record<string, unknown> = {}, as = "full"): ToolResponse {
  const caller = authenticateToolCaller(world, `Bearer mock_${as}`, "127.0.0.1");
  if ("refused" in caller) throw new Error(`mock_${as} is not let in`);
  return performTool(world, { purpose, caller, arguments: given, names });
}

/** Returns the error object of a refusal. */
export function getError({ body }: ToolResponse): Record<string, unknown> {
  return (body as { error: Record<string, unknown> }).error;
}

/** Adds a key of the first workspace with exactly these scopes. Returns the role name for `callTool`. */
export function keyWith(world: World, scopes: string[]): string {
  const key = world.keys.key_no_delete!;
  key.scopes = scopes as typeof key.scopes;
  return "no_delete";
}

/** The repository that most tests act on. */
export const web = { owner: "acme", repo: "web", branch: "main" };

/** Returns the body of a response. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
export function getBody({ body }: { body: unknown }): any {
  return body;
}
