import { triageActions } from "../../statements/observations.js";
import { findOperationStatement, findToolOperation, isRoute, type Operation } from "../../statements/operations.js";
import { DEFAULT_ROLE, invalidCredentials, refusedCredentials } from "../../statements/roles.js";
import { toolPurposes } from "../../statements/tools.js";
import type { Command } from "../command.js";
import { hasTool, send } from "../model-run.js";
import { findTool, type ModelRequest } from "../rules/request.js";
import { chooseCaller, sortNewestFirst } from "./choices.js";

/** A request without its caller and surface. */
type OperationRequest = Omit<ModelRequest, "by" | "as">;

/** Tools without a route, those of the whole workspace, and those of a repository. */
const toolOnlyOperations: readonly Operation[] = toolPurposes.map(findToolOperation).filter((operation) => !isRoute(operation));
const workspaceTools = toolOnlyOperations.filter((operation) => findOperationStatement(operation).subject.length === 0);
const repositoryTools = toolOnlyOperations.filter((operation) => findOperationStatement(operation).subject.join() === "repo");

/** Tools without a route that write. */
const writeRequests = createRequests(
  [...workspaceTools, ...repositoryTools].filter((operation) => findOperationStatement(operation).effect !== "read"),
);

/** Tools without a route that read, and tools of routes. */
const readRequests = createRequests([
  ...toolOnlyOperations.filter((operation) => findOperationStatement(operation).effect === "read"),
  "GET /api/forecasts/lookup",
  "GET /api/repos/{owner}/{repo}/{branch}/knowledge",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
  "GET /api/repos",
  "GET /api/observations",
]);

/** The purposes of the tools of each kind. */
export const TOOL_NAMES = { writing: Object.keys(writeRequests), reading: Object.keys(readRequests) };

/** Returns the requests of tools by purpose. */
function createRequests(operations: readonly Operation[]): Record<string, OperationRequest> {
  const template = (operation: Operation): OperationRequest => {
    const { subject, sample } = findOperationStatement(operation);
    return { what: operation, ...(subject.includes("repo") && { repo: "repo" }), ...(sample && { with: sample }) };
  };
  return Object.fromEntries(operations.map((operation) => [findTool(operation), template(operation)]));
}

const writeByTool: Command = {
  arguments: ["tool", "as"],
  weight: 3,
  async run(modelRun, choose) {
    const template = choose("tool", writeRequests) ?? { what: "set_learn_mode" };
    // A setting applies to the whole workspace, so only a new world is changed.
    if (workspaceTools.includes(template.what) && !modelRun.sut.fresh) return undefined;
    const request: ModelRequest = {
      ...template,
      by: "tool",
      as: chooseCaller(modelRun, choose, ["viewer", "no_fix", "none", "expired"]),
    };
    if (!hasTool(modelRun, request) || !isBound(modelRun.sut.offers, template)) return undefined;
    return (await send(modelRun, request)).failure;
  },
};

const readByTool: Command = {
  arguments: ["tool", "as"],
  weight: 3,
  async run(modelRun, choose) {
    const template = choose("tool", readRequests) ?? { what: "list_guides" };
    const request: ModelRequest = { ...template, by: "tool", as: chooseCaller(modelRun, choose, ["none", "expired", "revoked"]) };
    if (!hasTool(modelRun, request) || !isBound(modelRun.sut.offers, template)) return undefined;
    return (await send(modelRun, request)).failure;
  },
};

const forecast: Command = {
  arguments: ["workflow"],
  weight: 1,
  async run(modelRun, choose) {
    const workflow = choose("workflow", { audit: "audit", standard_audit: "standard_audit", review: "review", none: undefined });
    const query = { repo_name: "{slug}", ...(workflow !== undefined && { workflow }) };
    const flaw = workflow === undefined ? { flaw: "FORECAST-LOOKUP-WORKFLOW" } : {};
    return (await send(modelRun, { what: "GET /api/forecasts/lookup", by: "rest", as: DEFAULT_ROLE, query, ...flaw })).failure;
  },
};

/** Sends a request with a credential that the server must refuse, on either surface. */
const useRefusedCredential: Command = {
  arguments: ["as", "what", "surface"],
  weight: 2,
  async run(modelRun, choose) {
    const offered = REFUSED_CREDENTIALS.filter((role) => role in invalidCredentials || modelRun.sut.offers(`key.${role}`));
    const as = choose("as", offered) ?? "none";
    const ref = sortNewestFirst(modelRun.states.observations)[0];
    const job = sortNewestFirst(modelRun.states.jobs)[0];
    const operationRequests: OperationRequest[] = [
      { what: "GET /api/repos" },
      { what: "GET /api/jobs" },
      ...(job === undefined ? [] : [{ what: "POST /api/jobs/{job_id}/retry" as const, job }]),
      ...(ref === undefined ? [] : [{ what: triageActions.acknowledge.route, ref }]),
    ];
    const template = choose("what", operationRequests) ?? { what: "GET /api/repos" };
    const tool: ModelRequest = { ...template, by: "tool", as };
    const request: ModelRequest =
      choose("surface", ["rest", "tool"]) === "tool" && hasTool(modelRun, tool) ? tool : { ...template, by: "rest", as };
    return (await send(modelRun, request)).failure;
  },
};

/** Credentials that the server always refuses. */
export const REFUSED_CREDENTIALS = Object.keys(refusedCredentials);

const readOpenApi: Command = {
  arguments: [],
  weight: 1,
  async run(modelRun) {
    return (await send(modelRun, { what: "GET /api/openapi.json", by: "rest", as: DEFAULT_ROLE })).failure;
  },
};

function isBound(offers: (need: string) => boolean, { with: body }: Pick<ModelRequest, "with">): boolean {
  const needs = [...JSON.stringify(body ?? {}).matchAll(/\{(binding\.[a-z_.]+)\}/g)].map(([, need]) => need ?? "");
  return needs.every(offers);
}

/** Commands on tools without a route, forecasts and refused credentials. */
export const toolCommands = { writeByTool, readByTool, forecast, useRefusedCredential, readOpenApi };
