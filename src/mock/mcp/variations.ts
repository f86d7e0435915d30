import { contract } from "../../contract/load.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import type { World } from "../../service/world/world.js";
import { readPlainCursor } from "../variations/cursors.js";
import type { Subject } from "../variations/variation.js";
import type { Result } from "./json-rpc.js";

/** Returns the subject of variations for a request that calls no tool. */
export function createToolSubject(world: World, authorization: string | undefined): Subject {
  return { world, surface: "mcp", route: null, params: {}, query: {}, body: undefined, authorization, ip: null };
}

/** Returns the subject of variations for a tool call. The arguments replace path, query and body of the tool's route. */
export function createCallSubject(whose: Subject, purpose: ToolPurpose, given: Readonly<Record<string, unknown>>): Subject {
  const named = Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    ...whose,
    route: contract.tools[purpose].route ?? null,
    params: Object.fromEntries(named),
    query: given,
    body: given,
  };
}

/** Returns the arguments of a call with the cursor in the service's form. */
export function readArgumentsVaried(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof given.cursor === "string" ? { ...given, cursor: readPlainCursor(given.cursor) } : given;
}

/** Returns the result of a tool in one of two legal forms: text only, or structured content only. */
export function varyResult(body: unknown, number: number): Result {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  if (isObject && number % 2 === 0) return { content: [], structuredContent: body };
  return { content: [{ type: "text", text: outline(body) }] };
}

/** A value in nested lists. */
function outline(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return String(value);
  const indent = "  ".repeat(depth);
  const lines = Object.entries(value).map(([name, item]) => {
    const isDeep = typeof item === "object" && item !== null;
    return `${indent}- ${name}: ${isDeep ? `\n${outline(item, depth + 1)}` : String(item)}`;
  });
  return lines.join("\n");
}
