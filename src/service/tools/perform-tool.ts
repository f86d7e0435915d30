import { contract } from "../../contract/load.js";
import { type ArgumentFault, checkArguments } from "../../contract/tool-arguments.js";
import { authenticateKey, hasScope, refuseScope } from "../access/access.js";
import { envelope } from "../access/refusals.js";
import { type Gate, type KeyCaller, type Refusal, type Reply, refuse } from "../call.js";
import { drawRate } from "../limits/buckets.js";
import { operations } from "../operations.js";
import { refuseRate, success } from "../perform.js";
import { countPoll, settle } from "../work.js";
import type { World } from "../world/world.js";
import { explainFaults, mostListed } from "./faults.js";
import { toolOperations } from "./index.js";
import { routeCall } from "./route-call.js";
import type { IncomingToolCall, ToolCall, ToolOutcome, ToolReply } from "./tool-call.js";

/**
 * Lets a caller in to the tool server, or refuses with 401. The refusal never says why, so it tells nobody that a workspace is
 * suspended; the journal's rule does. WORKSPACE-SUSPEND-MCP, MCP-AUTH-CHALLENGE.
 */
export function enterTools(world: World, authorization: string | undefined, ip: string | null): KeyCaller | { refused: Reply } {
  const caller = authenticateKey(world, { authorization, ip });
  if (!("refusal" in caller)) return caller;
  const { code } = caller.refusal;
  const generic = refuse("invalid_key", {
    message: "Send a valid API key as a bearer token.",
    headers: { "www-authenticate": "Bearer" },
  });
  const reply = envelope(world, generic.refusal, "authenticate");
  return { refused: { ...reply, rule: { gate: "authenticate", code, clause: contract.errors[code].clause } } };
}

/**
 * Draws a request that calls no tool from its caller's rate; gives the refusal when there is no room, null when there is, or where calls
 * alone are counted. MCP-RATE-CALLS.
 */
export function admitToolRequest(world: World, caller: KeyCaller): Reply | null {
  if (world.options.mcp_rate === "calls") return null;
  const retryAfter = drawRate(world, caller, "mcp", null);
  return retryAfter === null ? null : envelope(world, refuse("rate_limit_qps", { retryAfter }).refusal, "rate");
}

/**
 * Answers one tool call of an authenticated caller and changes the world accordingly, through the gates of `perform` in their order:
 * rate and spend, undeclared arguments, scope, other faults of the arguments, the work. A tool that has a route does the work of the route.
 */
export function performTool(world: World, incoming: IncomingToolCall): ToolReply {
  world.changes = world.options.work === "time" ? [] : settle(world);
  const reply = answer(world, incoming);
  world.changes = [];
  return reply;
}

function answer(world: World, incoming: IncomingToolCall): ToolReply {
  const { purpose, caller, names } = incoming;
  const tool = contract.tools[purpose];
  const rate = refuseRate(world, caller, "mcp", tool.route ?? null);
  if (rate) return refused(world, rate.refusal, "rate");
  const checked = checkArguments(purpose, incoming.arguments);
  // MCP-ARG-NAMED: an undeclared argument is named whatever else is wrong with the call
  if ("faults" in checked && checked.faults.some(isUndeclared)) return faulty(world, incoming, checked.faults);
  const missing = tool.scopes.find((scope) => !hasScope(caller, scope));
  if (missing) return refused(world, refuseScope(missing).refusal, "permission");
  if ("faults" in checked) return faulty(world, incoming, checked.faults);
  if (world.options.work !== "time" && tool.kind === "read") countPoll(world, caller.workspace, checked.given.job_id);
  const outcome = work(world, incoming, { caller, given: checked.given, names });
  if ("faults" in outcome) return faulty(world, incoming, outcome.faults);
  return "refusal" in outcome ? refused(world, outcome.refusal, "operation") : success(world, outcome);
}

function isUndeclared({ type }: ArgumentFault): boolean {
  return type === "extra_forbidden";
}

function work(world: World, { purpose }: IncomingToolCall, call: ToolCall): ToolOutcome {
  const own = toolOperations[purpose];
  if (own) return own(world, call);
  const { route } = contract.tools[purpose];
  if (!route) throw new Error(`tools.json: ${purpose} has neither a route nor work of its own`);
  return operations[route](world, routeCall(route, call));
}

/** A tool error has no headers, so what Retry-After says stands in the error too. */
function refused(world: World, refusal: Refusal, gate: Gate): Reply {
  const wait = refusal.retryAfter === undefined ? {} : { retry_after: refusal.retryAfter };
  return envelope(world, { ...refusal, fields: { ...refusal.fields, ...wait } }, gate);
}

function faulty(world: World, { purpose, names }: IncomingToolCall, faults: ArgumentFault[]): ToolReply {
  const text = explainFaults(names[purpose], faults);
  const errors = faults.slice(0, mostListed).map(({ name, message, type }) => ({ loc: ["arguments", name], msg: message, type }));
  const { refusal } = refuse("invalid_payload", { message: "The arguments do not fit the tool.", fields: { errors } });
  return { ...envelope(world, refusal, "schema"), text };
}
