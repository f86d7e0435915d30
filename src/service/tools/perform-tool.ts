import { contract } from "../../contract/load.js";
import { type ArgumentError, checkArguments } from "../../contract/tool-arguments.js";
import { authenticateKey, hasScope, refuseScope } from "../access/access.js";
import { buildErrorResponse } from "../access/error-response.js";
import { type Gate, type KeyCaller, type Refusal, refuse, type ServiceResponse } from "../call.js";
import { drawRate } from "../limits/buckets.js";
import { operations } from "../operations.js";
import { buildSuccess, refuseRate } from "../perform.js";
import { countPoll, finishDueWork } from "../work.js";
import type { World } from "../world/world.js";
import { formatArgumentErrors, maxListedErrors } from "./argument-errors.js";
import { toolOperations } from "./operations.js";
import { toRouteCall } from "./route-call.js";
import type { IncomingToolCall, ToolCall, ToolOutcome, ToolResponse } from "./tool-call.js";

/**
 * Identifies the caller of the tool server, or refuses with a 401 that hides the reason. The reason stands in the rule of the
 * journal entry. WORKSPACE-SUSPEND-MCP, MCP-AUTH-CHALLENGE.
 */
export function authenticateToolCaller(
  world: World,
  authorization: string | undefined,
  ip: string | null,
): KeyCaller | { refused: ServiceResponse } {
  const caller = authenticateKey(world, { authorization, ip });
  if (!("refusal" in caller)) return caller;
  const { code } = caller.refusal;
  const generic = refuse("invalid_key", {
    message: "Send a valid API key as a bearer token.",
    headers: { "www-authenticate": "Bearer" },
  });
  const response = buildErrorResponse(world, generic.refusal, "authenticate");
  return { refused: { ...response, rule: { gate: "authenticate", code, clause: contract.errors[code].clause } } };
}

/**
 * Draws a request that calls no tool from its key's rate. Returns the refusal, or null when there is room or when only calls
 * count (`mcp_rate: calls`). MCP-RATE-CALLS.
 */
export function drawToolRequest(world: World, caller: KeyCaller): ServiceResponse | null {
  if (world.options.mcp_rate === "calls") return null;
  const retryAfter = drawRate(world, caller, "mcp", null);
  return retryAfter === null ? null : buildErrorResponse(world, refuse("rate_limit_qps", { retryAfter }).refusal, "rate");
}

/**
 * Answers one tool call and changes the world. Checks in order: rate and spend, undeclared arguments, scope, other argument
 * errors, operation. A tool with a route performs that route.
 */
export function performTool(world: World, incomingToolCall: IncomingToolCall): ToolResponse {
  world.changes = world.options.work === "time" ? [] : finishDueWork(world);
  const response = respond(world, incomingToolCall);
  world.changes = [];
  return response;
}

function respond(world: World, incomingToolCall: IncomingToolCall): ToolResponse {
  const { purpose, caller, names } = incomingToolCall;
  const tool = contract.tools[purpose];
  const rate = refuseRate(world, caller, "mcp", tool.route ?? null);
  if (rate) return buildRefusalResponse(world, rate.refusal, "rate");
  const checked = checkArguments(purpose, incomingToolCall.arguments);
  // MCP-ARG-NAMED: the response names an undeclared argument before any other error
  if ("errors" in checked && checked.errors.some(isUndeclared))
    return buildArgumentErrorResponse(world, incomingToolCall, checked.errors);
  const missing = tool.scopes.find((scope) => !hasScope(caller, scope));
  if (missing) return buildRefusalResponse(world, refuseScope(missing).refusal, "permission");
  if ("errors" in checked) return buildArgumentErrorResponse(world, incomingToolCall, checked.errors);
  if (world.options.work !== "time" && tool.kind === "read") countPoll(world, caller.workspace, checked.given.job_id);
  const outcome = work(world, incomingToolCall, { caller, given: checked.given, names });
  if ("errors" in outcome) return buildArgumentErrorResponse(world, incomingToolCall, outcome.errors);
  return "refusal" in outcome ? buildRefusalResponse(world, outcome.refusal, "operation") : buildSuccess(world, outcome);
}

function isUndeclared({ type }: ArgumentError): boolean {
  return type === "extra_forbidden";
}

function work(world: World, { purpose }: IncomingToolCall, call: ToolCall): ToolOutcome {
  const operation = toolOperations[purpose];
  if (operation) return operation(world, call);
  const { route } = contract.tools[purpose];
  if (!route) throw new Error(`tools.json: ${purpose} has neither a route nor a function`);
  return operations[route](world, toRouteCall(route, call));
}

/** Returns a refusal. A tool error has no headers, so its body also carries `retry_after`. */
function buildRefusalResponse(world: World, refusal: Refusal, gate: Gate): ServiceResponse {
  const wait = refusal.retryAfter === undefined ? {} : { retry_after: refusal.retryAfter };
  return buildErrorResponse(world, { ...refusal, fields: { ...refusal.fields, ...wait } }, gate);
}

function buildArgumentErrorResponse(world: World, { purpose, names }: IncomingToolCall, errors: ArgumentError[]): ToolResponse {
  const text = formatArgumentErrors(names[purpose], errors);
  const listed = errors
    .slice(0, maxListedErrors)
    .map(({ name, message, type }) => ({ loc: ["arguments", name], msg: message, type }));
  const { refusal } = refuse("invalid_payload", {
    message: "The arguments do not match the tool's schema.",
    fields: { errors: listed },
  });
  return { ...buildErrorResponse(world, refusal, "schema"), text };
}
