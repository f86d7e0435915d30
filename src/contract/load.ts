import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Options, ValidateFunction } from "ajv";
import { Ajv2020, addFormats } from "../ajv/ajv.js";
import type { Contract } from "./contract.js";
import { checkReferences } from "./cross-check.js";
import { inlineReferences } from "./references.js";
import type { Tool, ToolServer } from "./tool-types.js";

/**
 * The directory of this package, which contains `spec/`, `scenarios/` and `fixtures/`, whether the code runs from `src` or
 * `dist`.
 */
export const packageRoot: string = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

/** Parses one file of `spec/`, named relative to it (`"schema/scenario.json"`). Throws when it is missing or not JSON. */
export function readSpec(name: string): unknown {
  return JSON.parse(readFileSync(join(packageRoot, "spec", name), "utf8"));
}

/**
 * Parses one YAML file of this package, named relative to its root. Loads the parser at the first call, because loading is slow.
 */
export async function readYaml(name: string): Promise<unknown> {
  const { parse } = await import("yaml");
  return parse(readFileSync(join(packageRoot, name), "utf8"));
}

/** Parses every document of a YAML file of the package, named relative to it. Throws when the file is missing. */
export async function readYamlDocuments(name: string): Promise<unknown[]> {
  const { parseAllDocuments } = await import("yaml");
  return [...parseAllDocuments(readFileSync(join(packageRoot, name), "utf8"))].map((document) => document.toJS() as unknown);
}

/**
 * Compiles a JSON Schema (2020-12, with the common formats) into a validator that reports every error. `x-rule` is a schema that
 * must also hold; other `x-…` keywords are ignored. Formats in the options override the common ones. Throws on an invalid schema.
 */
export function compileWithAllErrors(schema: object, options: Options = {}): ValidateFunction {
  schemaValidator ??= openAjv({});
  schemaValidator.validateSchema(schema, true);
  return openAjv({ ...options, validateSchema: false }).compile(schema);
}

/**
 * Compiles a JSON Schema like `compileWithAllErrors`. Of a value with more than 10,000 parts, the validator reports the first error only,
 * because the list would take longer than the validation. With `allErrors: false`, it reports only the first error of every value.
 */
export function compileSchema(schema: object, options: Options = {}): ValidateFunction {
  const all = compileWithAllErrors(schema, options);
  if (options.allErrors === false) return all;
  let first: ValidateFunction | undefined;
  const validate = (value: unknown): boolean => {
    const isLarge = countParts(value, maxParts) > maxParts;
    if (isLarge) first ??= openAjv({ ...options, allErrors: false, validateSchema: false }).compile(schema);
    const chosen = isLarge && first ? first : all;
    const isValid = chosen(value);
    validate.errors = chosen.errors;
    return isValid;
  };
  validate.errors = null as ValidateFunction["errors"];
  return validate as ValidateFunction;
}

/** For a value with more parts, the validator does not list all mistakes. */
const maxParts = 10_000;

/** Returns the number of values in a value, counted to at least `max`. */
function countParts(value: unknown, max: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const name in value) {
    if (count > max) break;
    count += countParts((value as Record<string, unknown>)[name], max - count);
  }
  return count;
}

/** Validates schemas. Each compiler would otherwise compile the meta-schema again, which takes longer than most schemas. */
let schemaValidator: Ajv2020 | undefined;

function openAjv({ formats = {}, ...options }: Options): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false, ...options });
  addFormats.default(ajv);
  ajv.addKeyword({ keyword: "x-rule", macro: (rule: object) => rule });
  for (const [name, format] of Object.entries(formats)) if (format) ajv.addFormat(name, format);
  return ajv;
}

/** The contract as data: every file of `spec/`, loaded once and cross-checked. Throws when the files contradict each other. */
export const contract: Contract = loadContract();

function loadContract(): Contract {
  const openapi = readSpec("openapi.json");
  const loadedContract = {
    clauses: readRows(readSpec("clauses.json")),
    assumptions: readRows(readSpec("assumptions.json")),
    legalVariations: readSpec("variations.json"),
    dimensions: readRows(readSpec("dimensions.json")),
    limits: readSpec("limits.json"),
    errors: readSpec("errors.json"),
    transitions: readSpec("transitions.json"),
    workflows: readRows(readSpec("workflows.json")),
    events: readEvents(readSpec("schema/events.json")),
    roles: readRows(readSpec("roles.json")),
    openapi,
    enums: readEnums(openapi),
    ...loadToolServer(openapi),
  } as Contract;
  const faults = checkReferences(loadedContract);
  if (faults.length > 0) throw new Error(`spec/ contradicts itself:\n  ${faults.join("\n  ")}`);
  return loadedContract;
}

/** Loads the tools with their argument schemas in full, because clients cannot follow references. MCP-SCHEMA-LIST. */
function loadToolServer(openapi: unknown): ToolServer {
  const { $schema: _, $defs, ...server } = readSpec("tools.json") as ToolServer & { $schema: string; $defs: object };
  const documents = { "": { $defs }, "openapi.json": openapi };
  for (const tool of Object.values<Tool>(server.tools))
    tool.arguments = inlineReferences(tool.arguments, documents) as Tool["arguments"];
  return server;
}

function readEvents(document: unknown): unknown {
  const { $defs } = document as {
    $defs: Record<string, { description: string; properties: { arguments: object; answer: object } }>;
  };
  return Object.fromEntries(
    Object.entries($defs).map(([name, { description, properties }]) => [name, { description: description, ...properties }]),
  );
}

function readEnums(openapi: unknown): unknown {
  const { schemas } = (openapi as { components: { schemas: Record<string, { "x-clauses"?: object }> } }).components;
  const listed = Object.entries(schemas).filter(([, schema]) => "x-clauses" in schema);
  return Object.fromEntries(listed.map(([name, schema]) => [name, Object.keys(schema["x-clauses"] ?? {})]));
}

function readRows(table: unknown): unknown {
  const { $schema: _, ...rest } = table as Record<string, unknown>;
  return rest;
}

function findPackageRoot(from: string): string {
  for (let dir = from; dir !== dirname(dir); dir = dirname(dir)) {
    try {
      if (JSON.parse(readFileSync(join(dir, "package.json"), "utf8")).name === "counterpart-kit") return dir;
    } catch {
      // continue one level up
    }
  }
  throw new Error(`counterpart-kit is damaged: no package.json above ${from}`);
}
