import { isRecord, type Lookup } from "../../engine/scenario/interpolate.js";
import { type ToolPurpose, toolPurposes, toolStatement } from "../statements/tools.js";
import type { Fields, Schema } from "./operation.js";

/** One tool by its purpose, as cases are drawn for it. What its arguments are called, only the server knows. */
export interface ToolUnderTest {
  purpose: ToolPurpose;
  /** The route whose work it does, or a name of its own. */
  route: string;
}

/** A tool as a server lists it. */
export interface ToolListing {
  name: string;
  /** Its input schema, as it came. */
  schema: Readonly<Record<string, unknown>>;
  /** The arguments of that. */
  fields: Fields;
}

/** Every tool that the text tells of. */
export function toolsUnderTest(): ToolUnderTest[] {
  return toolPurposes.map((purpose) => {
    const text = toolStatement(purpose);
    return { purpose, route: "route" in text ? text.route : `${text.effect === "read" ? "GET" : "POST"} ${purpose}` };
  });
}

/** Whether a tool only reads. */
export function isReading({ route }: ToolUnderTest): boolean {
  return route.startsWith("GET ");
}

/** The name of a tool on this server; the text shows one. */
export function toolName({ purpose }: ToolUnderTest, look: Lookup): string {
  return String(look(`binding.tools.${purpose}`) ?? purpose);
}

/** What the arguments of a tool stand for, by the names that they have on this server, as far as the target file or the text says. */
export function meaningsOf({ purpose }: ToolUnderTest, look: Lookup): ReadonlyMap<string, string> {
  const bound = look(`binding.tool_args.${purpose}`);
  const shown = toolStatement(purpose).shownArguments ?? [];
  return new Map([
    ...shown.map((name) => [name, name] as const),
    ...Object.entries(isRecord(bound) ? bound : {}).map(([ours, name]) => [String(name), ours] as const),
  ]);
}

/** The names by which a route or a path would know what a listed tool is about. */
export function variablesOf(tool: ToolUnderTest, { fields }: ToolListing, look: Lookup): string[] {
  const meanings = meaningsOf(tool, look);
  return Object.keys(fields.properties).flatMap((name) => meanings.get(name) ?? []);
}

/** The tool among those that a server lists, in a result of tools/list. */
export function listedTool(result: unknown, name: string): ToolListing | undefined {
  const tools = isRecord(result) && Array.isArray(result.tools) ? result.tools : [];
  const found: unknown = tools.find((tool) => isRecord(tool) && tool.name === name);
  const schema = isRecord(found) && isRecord(found.inputSchema) ? found.inputSchema : undefined;
  if (!schema) return undefined;
  const properties = isRecord(schema.properties) ? (schema.properties as Record<string, Schema>) : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return { name, schema, fields: { properties, required } };
}
