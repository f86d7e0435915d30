import type { Effect, McpText, StepRequest } from "../engine/scenario/format.js";
import { percentEncode } from "../engine/scenario/interpolate.js";
import type { BuiltInVariable, RequestRules, RequestShape, ToolRules } from "../engine/scenario/requests.js";
import * as toolCall from "../engine/scenario/tool-call.js";
import { findRowsOfSeveralSegments } from "./row-paths.js";
import { changedKinds } from "./statements/frames.js";
import {
  findOperation,
  findOperationAt,
  findOperationStatement,
  findToolOperation,
  type Operation,
  toolEffects,
} from "./statements/operations.js";
import { findToolStatement, isToolPurpose, toolPurposes } from "./statements/tools.js";
import { createRegistrationJson } from "./target/registration-body.js";
import { findUnspecifiedExpectations } from "./unspecified-expectations.js";

const REGISTER: Operation = "POST /api/repos";

/** Lists the rules of this contract for requests, for use before any is sent. */
export const requests: RequestRules = {
  effectOf: findEffect,
  repeatableHeader: "idempotency-key",
  changedBy: findChanged,
  operationAt: findOperationAt,
  nameOf: nameRequest,
  tools: Object.fromEntries(toolPurposes.map((purpose) => [purpose, findToolRules(purpose)])),
  variable: findVariable,
  jsonBody: (operation, json, bindings) => (operation === REGISTER ? createRegistrationJson(json, bindings) : json),
  lint: (step) => [
    ...findUnspecifiedExpectations(step).map((what) => ({ path: ["expect"], what })),
    ...findRowsOfSeveralSegments(step).map((what) => ({ path: ["rows"], what })),
  ],
};

/** Returns the bindings that a tool call by purpose needs. */
export function findToolBindings(ask: McpText): string[] {
  return toolCall.listToolBindings(ask, requests.tools);
}

/** Returns the effect of a request. For a route that the contract does not have, the method decides, so that a wrong path deletes nothing. */
function findEffect(method: string, path: string): Effect {
  if (/^(GET|HEAD|OPTIONS)$/.test(method)) return "read";
  const operation = findOperation(`${method} ${path}`);
  if (operation) return findOperationStatement(operation).effect;
  return method === "DELETE" ? "destructive" : "write";
}

/** Returns the kinds of resources that a request changes; undefined for a path or tool that the contract does not have. */
function findChanged({ method, path, purpose }: RequestShape): readonly string[] | undefined {
  const tool = purpose !== undefined && isToolPurpose(purpose) ? findToolOperation(purpose) : undefined;
  const operation = purpose === undefined ? findOperationAt(method, path) : tool;
  return operation && changedKinds[operation];
}

/** Returns the route as the contract writes it, or the method and path of an unknown route; for a tool, its purpose. */
function nameRequest({ rest = "", mcp }: StepRequest): string {
  if (mcp) return nameMessage(mcp);
  const [method = "", address = ""] = rest.split(" ");
  const [path = ""] = address.split("?");
  return findOperation(`${method} ${path.replace(/\{repo[2-9]?\}/, "owner/repo/branch")}`) ?? `${method} ${path}`;
}

function nameMessage({ tool, call, list, prompt, eachTool }: McpText): string {
  if (eachTool) return "every tool";
  if (list) return `the list of ${list}`;
  return prompt === undefined ? `tool ${tool ?? call ?? "server"}` : `prompt ${prompt}`;
}

function findToolRules(purpose: (typeof toolPurposes)[number]): ToolRules {
  const { shownArguments } = findToolStatement(purpose);
  return { effect: toolEffects[purpose] ?? "write", ...(shownArguments && { shown: shownArguments }) };
}

/**
 * Returns a built-in variable: `repo` is owner/repo/branch, `repo.owner` is a part of it, `slug` is its slug. `repo2` and `slug2` name the second
 * repository.
 */
function findVariable(name: string): BuiltInVariable | undefined {
  const [, kind, number, part] = /^(repo|slug)([1-9]?)(?:\.(owner|name|branch))?$/.exec(name) ?? [];
  if (kind === undefined || (kind === "slug" && part !== undefined)) return undefined;
  const isWhole = kind === "repo" && part === undefined;
  return {
    number: Number(number || 1),
    valueIn: (repo) => (kind === "slug" ? joinTriple(repo) : part === undefined ? repo : splitTriple(repo)[part as keyof Triple]),
    inPath: isWhole ? encodeTriple : percentEncode,
    example: isWhole ? "owner/repo/branch" : "x",
  };
}

interface Triple {
  owner: string;
  name: string;
  branch: string;
}

/** ADDR-REPO-PATH: a branch may contain slashes. */
function splitTriple(whole: string): Triple {
  const [owner = "", name = "", ...branch] = whole.split("/");
  return { owner, name, branch: branch.join("/") };
}

/** ADDR-SLUG-PARSE: the slug has no owner. */
function joinTriple(whole: string): string {
  const { name, branch } = splitTriple(whole);
  return `${name}@${branch}`;
}

/** Encodes owner/repo/branch as three path segments. ADDR-PATH-ENCODED. */
export function encodeTriple(whole: string): string {
  const { owner, name, branch } = splitTriple(whole);
  return [owner, name, branch].map(percentEncode).join("/");
}
