import type { Method, RouteName } from "../contract/types.js";
import { validateBody, validateQuery } from "../contract/validate.js";
import { authenticate, refusePermission } from "./access/access.js";
import { buildErrorResponse } from "./access/error-response.js";
import {
  type Body,
  type Call,
  type Caller,
  type Gate,
  type IncomingCall,
  type Refusal,
  type RefusalOrNull,
  type Rule,
  refuse,
  type ServiceResponse,
  type Success,
} from "./call.js";
import { drawRate } from "./limits/buckets.js";
import { computeResetSeconds } from "./limits/spend.js";
import { operations } from "./operations.js";
import { countPoll, finishDueWork } from "./work.js";
import { createRequestId } from "./world/ids-and-timestamps.js";
import type { World } from "./world/world.js";

type GateRefusal = { gate: Gate; refusal: Refusal };

/**
 * Answers one call and changes the world. The same world and call always give the same reply. The checks run in the order of
 * `Gate`, and the first refusal is the response.
 */
export function perform(world: World, incomingCall: IncomingCall): ServiceResponse {
  world.changes = world.options.work === "time" ? [] : finishDueWork(world);
  const admitted = admit(world, incomingCall);
  const response = "refusal" in admitted ? buildErrorResponse(world, admitted.refusal, admitted.gate) : operate(world, admitted);
  world.changes = [];
  return response;
}

function admit(world: World, incomingCall: IncomingCall): Call | GateRefusal {
  const caller = authenticate(world, incomingCall);
  if ("refusal" in caller) return stop("authenticate", caller);
  const route = findRoute(incomingCall);
  const rate = refuseRate(world, caller, incomingCall.surface, route);
  if (rate) return stop("rate", rate);
  const { target } = incomingCall;
  if (target === "unknown-path") return stop("route", refuse("not_found", { message: "There is no such path." }));
  if ("allow" in target) return stop("route", refuse("method_not_allowed", { headers: { allow: listAllowed(target.allow) } }));
  const body = refuseBody(incomingCall.body);
  if (body) return stop("body", body);
  const permission = refusePermission(caller, target.route);
  if (permission) return stop("permission", permission);
  return check(incomingCall, target, caller);
}

/** Validates query and body against the schema. ERR-VALIDATION-ERRORS. */
function check(
  incomingCall: IncomingCall,
  target: { route: RouteName; params: Record<string, string> },
  caller: Caller,
): Call | GateRefusal {
  const query = validateQuery(target.route, incomingCall.query);
  const body = validateBody(target.route, incomingCall.body.kind === "json" ? incomingCall.body.value : undefined);
  if (!query.ok || !body.ok) {
    const errors = [...(query.ok ? [] : query.errors), ...(body.ok ? [] : body.errors)];
    return stop("schema", refuse("invalid_payload", { fields: { errors } }));
  }
  const { surface, idempotencyKey } = incomingCall;
  return { surface, route: target.route, params: target.params, query: query.value, body: body.value, idempotencyKey, caller };
}

function operate(world: World, call: Call): ServiceResponse {
  if (world.options.work !== "time" && call.route.startsWith("GET ")) countPoll(world, call.caller.workspace, call.params.job_id);
  const outcome = operations[call.route](world, call);
  if ("refusal" in outcome) return buildErrorResponse(world, outcome.refusal, "operation");
  return buildSuccess(world, outcome);
}

/** The rule of every success. */
const performed: Rule = { gate: "operation", code: null, clause: null };

/** Returns an operation's success as a reply. */
export function buildSuccess(world: World, { status, body, headers }: Success): ServiceResponse {
  return {
    status,
    headers: { "x-request-id": createRequestId(world), ...headers },
    body,
    rule: performed,
    changes: world.changes,
  };
}

/** Draws one request from the caller's limits, or refuses with the seconds to wait. */
export function refuseRate(world: World, caller: Caller, surface: "rest" | "mcp", route: RouteName | null): RefusalOrNull {
  const retryAfter = drawRate(world, caller, surface, route);
  if (retryAfter !== null) return refuse("rate_limit_qps", { retryAfter });
  // MCP-RATE-SPEND: on the tool server a used-up hourly ceiling refuses reads too
  const exhausted = surface === "mcp" ? computeResetSeconds(world, caller) : null;
  return exhausted === null ? null : refuse("rate_limit_budget", { retryAfter: exhausted });
}

function refuseBody(body: Body): RefusalOrNull {
  switch (body.kind) {
    case "none":
    case "json":
      return null;
    case "malformed":
      return refuse("bad_request", { message: `The body is not JSON: ${body.problem}` });
    case "wrong-type":
      return refuse("unsupported_media_type", {
        message: `The body is ${body.contentType || "of no stated type"}; send it as application/json.`,
        // RFC 9110, 12.5.3: a refused encoding is answered with the accepted ones
        ...(body.isEncoded && { headers: { "accept-encoding": "identity" } }),
      });
    case "too-large":
      return refuse("payload_too_large", { message: `The body is larger than ${body.limit} bytes.` });
  }
}

/** Returns the methods of a path for the `Allow` header. HEAD is allowed wherever GET is. */
function listAllowed(methods: readonly Method[]): string {
  return methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method])).join(", ");
}

function findRoute(incomingCall: IncomingCall): RouteName | null {
  return typeof incomingCall.target === "object" && "route" in incomingCall.target ? incomingCall.target.route : null;
}

function stop(gate: Gate, { refusal }: { refusal: Refusal }): GateRefusal {
  return { gate, refusal };
}
