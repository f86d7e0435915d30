import { isRecord, type Lookup } from "../../../engine/scenario/interpolate.js";
import { findToolStatement, type ToolPurpose, toolPurposes } from "../../statements/tools.js";
import { combinedArguments } from "../../target/tool-names.js";
import type { Fields, Schema } from "../faults/operation.js";

/** A tool by its purpose. Only the server knows the names of its arguments. */
export interface ToolUnderTest {
  purpose: ToolPurpose;
  /** The route that does the same, or a name for a tool without one. */
  route: string;
}

/** A tool as a server lists it. */
export interface ToolListing {
  name: string;
  /** The input schema as published. */
  schema: Readonly<Record<string, unknown>>;
  /** The arguments of the schema. */
  fields: Fields;
}

/** Returns every tool of the contract. */
export function listToolsUnderTest(): ToolUnderTest[] {
  return toolPurposes.map((purpose) => {
    const text = findToolStatement(purpose);
    return { purpose, route: "route" in text ? text.route : `${text.effect === "read" ? "GET" : "POST"} ${purpose}` };
  });
}

/** Returns whether a tool only reads. */
export function isReadOnly({ route }: ToolUnderTest): boolean {
  return route.startsWith("GET ");
}

/** Returns the name of a tool on this server. The contract shows one name only. */
export function findToolName({ purpose }: ToolUnderTest, look: Lookup): string {
  return String(look(`binding.tools.${purpose}`) ?? purpose);
}

/**
 * Returns the meaning of arguments by their name on this server, as far as the target file or the contract states it. An argument that stands for
 * several parts means the whole.
 */
export function mapMeanings({ purpose }: ToolUnderTest, look: Lookup): ReadonlyMap<string, string> {
  const bound = look(`binding.tool_args.${purpose}`);
  const shownArguments = findToolStatement(purpose).shownArguments ?? [];
  const stated = Object.entries(isRecord(bound) ? bound : {}).map(([ours, name]) => [String(name), ours] as const);
  return new Map([
    ...shownArguments.map((name) => [name, name] as const),
    ...stated.filter(([, ours]) => !Object.hasOwn(combinedArguments, ours)),
    ...stated.filter(([, ours]) => Object.hasOwn(combinedArguments, ours)),
  ]);
}

/** Returns the path variables that correspond to a tool's arguments. */
export function listVariables(tool: ToolUnderTest, { fields }: ToolListing, look: Lookup): string[] {
  const meanings = mapMeanings(tool, look);
  return Object.keys(fields.properties).flatMap((name) => meanings.get(name) ?? []);
}

/** Finds a tool by its name in a result of tools/list. */
export function findListedTool(result: unknown, name: string): ToolListing | undefined {
  const tools = isRecord(result) && Array.isArray(result.tools) ? result.tools : [];
  const tool: unknown = tools.find((tool) => isRecord(tool) && tool.name === name);
  const schema = isRecord(tool) && isRecord(tool.inputSchema) ? tool.inputSchema : undefined;
  if (!schema) return undefined;
  const properties = isRecord(schema.properties) ? (schema.properties as Record<string, Schema>) : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return { name, schema, fields: { properties, required } };
}
