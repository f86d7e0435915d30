import type { Effect, McpText, StepRequest } from "../engine/scenario/format.js";
import { percentEncode } from "../engine/scenario/interpolate.js";
import type { AskedRequest, BuiltInVariable, RequestRules, ToolRules } from "../engine/scenario/requests.js";
import * as toolCall from "../engine/scenario/tool-call.js";
import { openPoints } from "./open-points.js";
import { changes } from "./statements/changes.js";
import { operationAt, operationOf, operationOfTool, textOf, toolEffects } from "./statements/operations.js";
import { isToolPurpose, toolPurposes, toolText } from "./statements/tools.js";

/** What this contract says of requests before any is sent. */
export const requests: RequestRules = {
  effectOf,
  changedBy,
  nameOf,
  tools: Object.fromEntries(toolPurposes.map((purpose) => [purpose, rulesOfTool(purpose)])),
  variable,
  lint: (step) => openPoints(step).map((what) => ({ path: ["expect"], what })),
};

/** The bindings without which a tool cannot be called by its purpose. */
export function bindingsOfTool(ask: McpText): string[] {
  return toolCall.bindingsOfTool(ask, requests.tools);
}

/** What a request to a route does; to one that the text does not have, what its method says, so that nothing is deleted by a path that is wrong. */
function effectOf(method: string, path: string): Effect {
  if (/^(GET|HEAD|OPTIONS)$/.test(method)) return "read";
  const operation = operationOf(`${method} ${path}`);
  if (operation) return textOf(operation).effect;
  return method === "DELETE" ? "destructive" : "write";
}

/** Of a path or a tool that the text does not have nobody knows. */
function changedBy({ method, path, purpose }: AskedRequest): readonly string[] | undefined {
  const tool = purpose !== undefined && isToolPurpose(purpose) ? operationOfTool(purpose) : undefined;
  const operation = purpose === undefined ? operationAt(method, path) : tool;
  return operation && changes[operation];
}

/** A route as the text writes it, else as it is asked for; a tool by its purpose. */
function nameOf({ rest = "", mcp }: StepRequest): string {
  if (mcp) return nameOfMessage(mcp);
  const [method = "", address = ""] = rest.split(" ");
  const [path = ""] = address.split("?");
  return operationOf(`${method} ${path.replace(/\{repo[2-9]?\}/, "owner/repo/branch")}`) ?? `${method} ${path}`;
}

function nameOfMessage({ tool, call, list, prompt, eachTool }: McpText): string {
  if (eachTool) return "every tool";
  if (list) return `the list of ${list}`;
  return prompt === undefined ? `tool ${tool ?? call ?? "server"}` : `prompt ${prompt}`;
}

function rulesOfTool(purpose: (typeof toolPurposes)[number]): ToolRules {
  const { shownArguments } = toolText(purpose);
  return { effect: toolEffects[purpose] ?? "write", ...(shownArguments && { shown: shownArguments }) };
}

/** `repo` is owner/repo/branch, `repo.owner` a part of it and `slug` what addresses it in queries, `repo2` and `slug2` those of a second one. */
function variable(name: string): BuiltInVariable | undefined {
  const [, kind, number, part] = /^(repo|slug)([1-9]?)(?:\.(owner|name|branch))?$/.exec(name) ?? [];
  if (kind === undefined || (kind === "slug" && part !== undefined)) return undefined;
  const isWhole = kind === "repo" && part === undefined;
  return {
    number: Number(number || 1),
    valueIn: (lent) => (kind === "slug" ? slugOf(lent) : part === undefined ? lent : partsOf(lent)[part as keyof Triple]),
    inPath: isWhole ? encodeTriple : percentEncode,
    example: isWhole ? "owner/repo/branch" : "x",
  };
}

interface Triple {
  owner: string;
  name: string;
  branch: string;
}

/** ADDR-REPO-PATH: a branch may hold slashes. */
function partsOf(whole: string): Triple {
  const [owner = "", name = "", ...branch] = whole.split("/");
  return { owner, name, branch: branch.join("/") };
}

/** ADDR-SLUG-PARSE: the slug has no owner. */
function slugOf(whole: string): string {
  const { name, branch } = partsOf(whole);
  return `${name}@${branch}`;
}

/** ADDR-PATH-ENCODED: three segments, each of them encoded. */
export function encodeTriple(whole: string): string {
  const { owner, name, branch } = partsOf(whole);
  return [owner, name, branch].map(percentEncode).join("/");
}
