import { contract } from "../../contract/load.js";
import type { Tool, ToolPurpose } from "../../contract/tool-types.js";
import type { Row } from "../../engine/scenario/format.js";
import { isRecord, type Lookup } from "../../engine/scenario/interpolate.js";
import { literal } from "./literal.js";
import type { Fields, Schema } from "./operation.js";
import { fake } from "./valid-request.js";

/** One tool by its purpose, as cases are drawn from it: its arguments by our names. */
export interface ToolUnderTest {
  purpose: ToolPurpose;
  title: string;
  /** The route whose work it does, or a name of its own. */
  route: string;
  fields: Fields;
}

/** A tool as a server lists it. */
export interface ToolListing {
  name: string;
  schema: Fields;
}

/** Every tool that the text tells of. */
export function toolsUnderTest(): ToolUnderTest[] {
  return Object.entries<Tool>(contract.tools).map(([purpose, { title, route, kind, arguments: schema }]) => ({
    purpose: purpose as ToolPurpose,
    title,
    route: route ?? `${kind === "read" ? "GET" : "POST"} ${purpose}`,
    fields: { properties: schema.properties as Record<string, Schema>, required: schema.required },
  }));
}

/** The name of a tool on this server; the text shows one. */
export function toolName({ purpose }: ToolUnderTest, look: Lookup): string {
  return String(look(`binding.tools.${purpose}`) ?? purpose);
}

/** The name of an argument on this server; undefined names stay as they are. */
export function argumentName({ purpose }: ToolUnderTest, name: string, look: Lookup): string {
  return String(look(`binding.tool_args.${purpose}.${name}`) ?? name);
}

/** The tool among those that a server lists, in a result of tools/list. */
export function listedTool(result: unknown, name: string): ToolListing | undefined {
  const tools = isRecord(result) && Array.isArray(result.tools) ? result.tools : [];
  const found: unknown = tools.find((tool) => isRecord(tool) && tool.name === name);
  const schema = isRecord(found) && isRecord(found.inputSchema) ? found.inputSchema : undefined;
  if (!schema) return undefined;
  const properties = isRecord(schema.properties) ? (schema.properties as Record<string, Schema>) : {};
  return { name, schema: { properties, required: Array.isArray(schema.required) ? schema.required.map(String) : [] } };
}

/**
 * Arguments that the listed schema has and requires, with nothing wrong about them: real names where our name is known, else data of the
 * schema that the contract has for it, as a listed one may say less; an argument that only the server knows gets data of the server's.
 */
export function validArguments(tool: ToolUnderTest, { schema }: ToolListing, seed: number, look: Lookup): Row {
  const ours = new Map(Object.keys(tool.fields.properties).map((name) => [argumentName(tool, name, look), name]));
  const drawn = Object.entries(fake(schema, seed) as Row);
  const known = fake({ properties: tool.fields.properties, required: Object.keys(tool.fields.properties) }, seed) as Row;
  return Object.fromEntries(
    drawn.flatMap(([name, value]): [string, unknown][] => {
      const own = ours.get(name) ?? "";
      const real = realValue(tool, own);
      if (real === null && !schema.required.includes(name)) return [];
      return [[literal(name), real ?? literal(Object.hasOwn(known, own) ? known[own] : value)]];
    }),
  );
}

/** What stands for an argument by our name; null leaves it out, undefined takes what the schema gives. */
function realValue({ purpose }: ToolUnderTest, name: string): unknown {
  if (purpose === "register_repository" && ["owner", "repo", "branch"].includes(name)) return `{binding.spare.${name}}`;
  if (name === "repo" && purpose === "list_observations") return "{slug}";
  return Object.hasOwn(realArguments, name) ? realArguments[name] : undefined;
}

const realArguments: Readonly<Record<string, unknown>> = {
  owner: "{repo.owner}",
  repo: "{repo.name}",
  branch: "{repo.branch}",
  repo_name: "{slug}",
  ref: "{ref}",
  job_id: "{job}",
  workflow: "audit",
  params: {},
  cursor: null,
  access_mode: null,
  idempotency_key: "k-{unique}",
  guide: "{binding.guide}",
  doc_path: "{binding.doc_path}",
  file_path: "src/index.ts",
  dismissal_note: "Written by an examiner.",
  reopen_reason: "Written by an examiner.",
  setting: "audit_timeout_s",
  value: 1200,
};
