import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../src/contract/load.js";

/** A JSON document of which nothing is known. */
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

/** The words of the contract by kind, from `spec/` and the fixtures. */
export interface Words {
  segments: string[];
  resources: string[];
  tools: string[];
  codes: string[];
  scopes: string[];
  workflows: string[];
  buckets: string[];
  fields: string[];
  values: string[];
  roles: string[];
  events: string[];
  clauses: string[];
  assumptions: string[];
  /** Property names and values of the runner's own files, such as `status`, `full`, `repos`. */
  formats: string[];
}

let words: Words | undefined;

/** Reads them once. */
export function readWords(): Words {
  words ??= collectWords();
  return words;
}

function collectWords(): Words {
  const openapi = read("spec/openapi.json");
  const tools = read("spec/tools.json");
  const workflows = read("spec/workflows.json");
  const { buckets } = read("spec/limits.json");
  const errors = read("spec/errors.json");
  const { roles, sessions } = read("fixtures/demo.json");
  const nodes = [openapi, tools, workflows].flatMap(getNodes);
  const formats = ["scenario", "target", "report", "trace", "waivers", "quality"].map((name) => read(`spec/schema/${name}.json`));
  return {
    segments: unique(keys(openapi.paths).flatMap((path) => path.split("/").slice(1))).filter((one) => !one.startsWith("{")),
    resources: (openapi.tags as JsonObject[]).map(({ name }) => String(name).toLowerCase()),
    tools: unique([
      ...keys(tools.tools),
      ...Object.values(object(tools.tools)).map((one) => String(object(one).name)),
      ...keys(tools.prompts),
    ]),
    codes: unique([...keys(errors), ...Object.values(errors).map((row) => String(object(row).type))]),
    scopes: unique(nodes.flatMap((node) => strings(node["x-scopes"] ?? node.scopes))),
    workflows: keys(workflows).filter((name) => name !== "$schema"),
    buckets: keys(buckets),
    fields: unique([...nodes.flatMap(getFields), ...keys(tools.settings)]),
    values: unique(nodes.flatMap((node) => strings(node.enum))),
    roles: unique([...keys(roles), ...keys(sessions)]),
    events: keys(read("spec/schema/events.json").$defs),
    clauses: keys(read("spec/clauses.json")),
    assumptions: keys(read("spec/assumptions.json")),
    formats: unique(
      formats
        .flatMap(getNodes)
        .flatMap((node) => [...keys(node.properties), ...strings(node.enum), ...strings([node.const ?? null])]),
    ),
  };
}

/** Names of properties, parameters and headers that a node of an OpenAPI document defines. */
function getFields(node: JsonObject): string[] {
  const parameter = typeof node.in === "string" && typeof node.name === "string" ? [node.name] : [];
  return [...keys(node.properties), ...parameter, ...keys(node.headers)];
}

/** Every object of a document. */
function getNodes(document: Json): JsonObject[] {
  if (Array.isArray(document)) return document.flatMap(getNodes);
  if (typeof document !== "object" || document === null) return [];
  return [document, ...Object.values(document).flatMap(getNodes)];
}

function read(path: string): JsonObject {
  return object(JSON.parse(text(path)) as Json);
}

function text(path: string): string {
  return readFileSync(join(packageRoot, path), "utf8");
}

function object(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function keys(value: Json | undefined): string[] {
  return Object.keys(object(value));
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}
