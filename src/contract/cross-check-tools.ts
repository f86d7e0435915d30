import type { OpenAPIV3_1 } from "openapi-types";
import type { Contract } from "./contract.js";
import { inline } from "./references.js";
import type { Prompt, Tool } from "./tool-types.js";
import type { Operation } from "./types.js";

/** What in `spec/tools.json` refers to nothing, or says otherwise than the route whose work a tool does: one line each. */
export function crossCheckTools(contract: Contract): string[] {
  return [
    ...Object.entries(contract.tools).flatMap(([purpose, tool]) => toolFaults(contract, `tools.json tools.${purpose}`, tool)),
    ...Object.entries(contract.prompts).flatMap(([name, prompt]) => promptFaults(contract, `tools.json prompts.${name}`, prompt)),
    ...Object.entries(contract.guides).flatMap(([name, { text }]) =>
      strayPlaceholders(contract, `tools.json guides.${name}`, text, []),
    ),
    ...repeatedNames(contract),
  ];
}

function toolFaults(contract: Contract, where: string, tool: Tool): string[] {
  const missing = tool.clauses
    .filter((id) => !(id in contract.clauses))
    .map((id) => `${where} cites ${id}, which the ledger does not have`);
  const undeclared = tool.arguments.required.filter((name) => !(name in tool.arguments.properties));
  return [
    ...missing,
    ...undeclared.map((name) => `${where} requires ${name}, which it does not declare`),
    ...strayPlaceholders(contract, where, [tool.description], []),
    ...routeFaults(contract, where, tool),
  ];
}

/** A tool asks for the scopes of its route (SCOPE-REST-MAP), and for whatever the route cannot do without. */
function routeFaults(contract: Contract, where: string, tool: Tool): string[] {
  if (tool.route === undefined) return [];
  const [method, path] = tool.route.split(" ") as [string, string];
  const operation = contract.openapi.paths?.[path]?.[method.toLowerCase() as OpenAPIV3_1.HttpMethods] as Operation | undefined;
  if (!operation) return [`${where} names ${tool.route}, which openapi.json does not have`];
  const [demanded, needed] = [tool.scopes, operation["x-scopes"] ?? []].map((scopes) => scopes.join(", "));
  const { parameters, requestBody } = operation; // what it answers is by far the most of it
  const needs = needsOf(path, inline({ parameters, requestBody }, { "": contract.openapi }) as Operation);
  const lacking = needs.filter((name) => !tool.arguments.required.includes(name) && !hasDefault(tool, name));
  return [
    ...(demanded === needed ? [] : [`${where} asks for the scopes [${demanded}], its route for [${needed}]`]),
    ...lacking.map((name) => `${where} does not require ${name}, which its route needs`),
  ];
}

/** What a call of an operation must give: segments of its path, parameters of its query, fields of its body. */
function needsOf(path: string, { parameters = [], requestBody }: Operation): string[] {
  const segments = [...path.matchAll(/(?<=\{)\w+(?=\})/g)].map(([name]) => name);
  const query = parameters.flatMap((parameter) => ("name" in parameter && parameter.required ? [parameter.name] : []));
  const body = requestBody && "content" in requestBody ? requestBody.content["application/json"]?.schema : undefined;
  return [...segments, ...query, ...(body && "required" in body ? (body.required ?? []) : [])];
}

function hasDefault(tool: Tool, name: string): boolean {
  return "default" in (tool.arguments.properties[name] ?? {});
}

function promptFaults(contract: Contract, where: string, prompt: Prompt): string[] {
  const missing = prompt.clause in contract.clauses ? [] : [`${where} cites ${prompt.clause}, which the ledger does not have`];
  const names = prompt.arguments.map(({ name }) => name);
  return [...missing, ...strayPlaceholders(contract, where, prompt.text, names)];
}

function strayPlaceholders(contract: Contract, where: string, text: string[], names: string[]): string[] {
  const allowed = new Set([...names, ...Object.keys(contract.tools).map((purpose) => `tool.${purpose}`)]);
  const used = text.flatMap((line) => [...line.matchAll(/(?<=\{)[a-z_.]+(?=\})/g)].map(([name]) => name));
  return used.filter((name) => !allowed.has(name)).map((name) => `${where} speaks of {${name}}, which stands for nothing`);
}

function repeatedNames(contract: Contract): string[] {
  const names = Object.values(contract.tools).map(({ name }) => name);
  const repeated = names.filter((name, i) => names.indexOf(name) !== i);
  return repeated.map((name) => `tools.json gives the name ${name} to two tools`);
}
