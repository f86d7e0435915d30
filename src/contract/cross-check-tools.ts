import type { OpenAPIV3_1 } from "openapi-types";
import type { Contract } from "./contract.js";
import { inlineReferences } from "./references.js";
import type { Prompt, Tool } from "./tool-types.js";
import type { Operation } from "./types.js";

/** Finds references to missing entries in `spec/tools.json`, and tools that contradict their route. Returns one line each. */
export function crossCheckTools(contract: Contract): string[] {
  return [
    ...Object.entries(contract.tools).flatMap(([purpose, tool]) => checkTool(contract, `tools.json tools.${purpose}`, tool)),
    ...Object.entries(contract.prompts).flatMap(([name, prompt]) => checkPrompt(contract, `tools.json prompts.${name}`, prompt)),
    ...Object.entries(contract.guides).flatMap(([name, { text }]) =>
      findUnknownPlaceholders(contract, `tools.json guides.${name}`, text, []),
    ),
    ...findRepeatedNames(contract),
  ];
}

function checkTool(contract: Contract, where: string, tool: Tool): string[] {
  const missing = tool.clauses
    .filter((id) => !(id in contract.clauses))
    .map((id) => `${where} cites ${id}, but clauses.json has no such clause`);
  const undeclared = tool.arguments.required.filter((name) => !(name in tool.arguments.properties));
  return [
    ...missing,
    ...undeclared.map((name) => `${where} requires ${name}, but does not declare it`),
    ...findUnknownPlaceholders(contract, where, [tool.description], []),
    ...checkToolRoute(contract, where, tool),
  ];
}

/** Checks that a tool has the scopes of its route (SCOPE-REST-MAP) and requires the arguments that the route needs. */
function checkToolRoute(contract: Contract, where: string, tool: Tool): string[] {
  if (tool.route === undefined) return [];
  const [method, path] = tool.route.split(" ") as [string, string];
  const operation = contract.openapi.paths?.[path]?.[method.toLowerCase() as OpenAPIV3_1.HttpMethods] as Operation | undefined;
  if (!operation) return [`${where} names ${tool.route}, but openapi.json has no such operation`];
  const [declared, needed] = [tool.scopes, operation["x-scopes"] ?? []].map((scopes) => scopes.join(", "));
  const { parameters, requestBody } = operation; // leaves out the responses, which are most of an operation
  const needs = listNeeds(path, inlineReferences({ parameters, requestBody }, { "": contract.openapi }) as Operation);
  const missing = needs.filter((name) => !tool.arguments.required.includes(name) && !hasDefault(tool, name));
  return [
    ...(declared === needed ? [] : [`${where} has the scopes [${declared}], but its route needs [${needed}]`]),
    ...missing.map((name) => `${where} does not require ${name}, but its route does`),
  ];
}

/** Returns what a call of an operation must send: path segments, query parameters and body fields. */
function listNeeds(path: string, { parameters = [], requestBody }: Operation): string[] {
  const segments = [...path.matchAll(/(?<=\{)\w+(?=\})/g)].map(([name]) => name);
  const query = parameters.flatMap((parameter) => ("name" in parameter && parameter.required ? [parameter.name] : []));
  const body = requestBody && "content" in requestBody ? requestBody.content["application/json"]?.schema : undefined;
  return [...segments, ...query, ...(body && "required" in body ? (body.required ?? []) : [])];
}

function hasDefault(tool: Tool, name: string): boolean {
  return "default" in (tool.arguments.properties[name] ?? {});
}

function checkPrompt(contract: Contract, where: string, prompt: Prompt): string[] {
  const missing =
    prompt.clause in contract.clauses ? [] : [`${where} cites ${prompt.clause}, but clauses.json has no such clause`];
  const names = prompt.arguments.map(({ name }) => name);
  return [...missing, ...findUnknownPlaceholders(contract, where, prompt.text, names)];
}

function findUnknownPlaceholders(contract: Contract, where: string, text: string[], names: string[]): string[] {
  const allowed = new Set([...names, ...Object.keys(contract.tools).map((purpose) => `tool.${purpose}`)]);
  const used = text.flatMap((line) => [...line.matchAll(/(?<=\{)[a-z_.]+(?=\})/g)].map(([name]) => name));
  return used.filter((name) => !allowed.has(name)).map((name) => `${where} contains the unknown placeholder {${name}}`);
}

function findRepeatedNames(contract: Contract): string[] {
  const names = Object.values(contract.tools).map(({ name }) => name);
  const repeated = names.filter((name, i) => names.indexOf(name) !== i);
  return repeated.map((name) => `tools.json has two tools named ${name}`);
}
