import { contract } from "../../src/contract/load.js";
import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, Scope } from "../../src/contract/types.js";
import type { Service } from "../../src/mock/call/service.js";
import { hasScope } from "../../src/service/access/access.js";
import type { IncomingToolCall, ToolReply } from "../../src/service/tools/tool-call.js";
import type { World } from "../../src/service/world/world.js";
import { type Mutant, type Shown, withArguments, withError } from "./mutant.js";

type Given = IncomingToolCall["arguments"];
type Body = Record<string, unknown>;

/** A server whose tool refuses calls, all or some. */
export function refusing(
  name: string,
  breaks: ClauseId,
  purpose: ToolPurpose,
  isRefused: (given: Given, call: IncomingToolCall) => boolean = () => true,
): Mutant {
  return {
    name,
    breaks,
    aroundTool: (world, call, performTool) =>
      call.purpose === purpose && isRefused(call.arguments, call)
        ? refuseTool(world, call, performTool)
        : performTool(world, call),
  };
}

/** A server whose tool fails over what it does not find. */
export function failing(name: string, breaks: ClauseId, purpose: ToolPurpose): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const isMeant = call.purpose === purpose && reply.status === 404;
      return isMeant ? { ...withError(reply, { type: "server_error", code: "internal_error" }), status: 500 } : reply;
    },
  };
}

/** A server whose tool says other things than what it did. */
export function saying(
  name: string,
  breaks: ClauseId,
  purpose: ToolPurpose,
  change: (body: Body, given: Given, world: World, call: IncomingToolCall) => Body,
): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      if (call.purpose !== purpose || reply.status >= 400) return reply;
      return { ...reply, body: change(reply.body as Body, call.arguments, world, call) };
    },
  };
}

/** A server whose tool lists other rows. */
export function listing(
  name: string,
  breaks: ClauseId,
  purpose: ToolPurpose,
  change: (rows: Shown[], given: Given, world: World) => Shown[],
): Mutant {
  return saying(name, breaks, purpose, (body, given, world) => ({ ...body, data: change(body.data as Shown[], given, world) }));
}

/** A server whose tool does the work of another call, for callers that may call it. */
export function instead(
  name: string,
  breaks: ClauseId,
  purpose: ToolPurpose,
  other: (world: World, call: IncomingToolCall) => IncomingToolCall,
): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const isAllowed = contract.tools[purpose].scopes.every((scope) => hasScope(call.caller, scope));
      return performTool(world, call.purpose === purpose && isAllowed ? other(world, call) : call);
    },
  };
}

/** A server whose tool makes up arguments that a call leaves out. */
export function filling(name: string, breaks: ClauseId, purpose: ToolPurpose, madeUp: (world: World) => Given): Mutant {
  return instead(name, breaks, purpose, (world, call) => withArguments(call, { ...madeUp(world), ...call.arguments }));
}

/** The refusal of a caller without any scope, whatever tool was called. */
function refuseTool(world: World, call: IncomingToolCall, performTool: Service["performTool"]): ToolReply {
  const caller = { ...call.caller, scopes: new Set<Scope>() };
  return performTool(world, { ...call, caller, purpose: "set_guidance", arguments: {} });
}
