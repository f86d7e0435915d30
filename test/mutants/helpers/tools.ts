import { contract } from "../../../src/contract/load.js";
import type { ToolPurpose } from "../../../src/contract/tool-types.js";
import type { ClauseId, Scope } from "../../../src/contract/types.js";
import type { Service } from "../../../src/mock/call/service.js";
import { hasScope } from "../../../src/service/access/access.js";
import type { IncomingToolCall, ToolResponse } from "../../../src/service/tools/tool-call.js";
import type { Key, Observation, World } from "../../../src/service/world/world.js";
import { wrapTool } from "../family.js";
import { type AroundTool, type Fault, type Mutant, type Shown, withArguments } from "../mutant.js";
import type { AroundWire } from "../wire.js";

type Message = Record<string, unknown>;

type Tool = { name: string; inputSchema: Message };

type Given = IncomingToolCall["arguments"];

type Body = Record<string, unknown>;

/** A fault that affects keys of some roles only. */
export function forRole(role: RegExp, around: AroundWire): AroundWire {
  return (relayedRequest, send) =>
    role.test(String(relayedRequest.headers.authorization)) ? around(relayedRequest, send) : send(relayedRequest);
}

/** Changes the JSON-RPC answer to one method, or to every method. */
export function changeToolResponse(method: string | null, change: (response: Message, params: Message) => Message): AroundWire {
  return async (relayedRequest, send) => {
    const answeredChangedResponse = await send(relayedRequest);
    const asks = relayedRequest.path === "/mcp/" ? parseMessage(relayedRequest.text) : undefined;
    const response = parseMessage(answeredChangedResponse.text);
    if (!asks || !response || (method !== null && asks.method !== method)) return answeredChangedResponse;
    return { ...answeredChangedResponse, text: JSON.stringify(change(response, (asks.params ?? {}) as Message)) };
  };
}

export function changeToolResult<Result extends object = Message>(
  method: string,
  change: (result: Result) => object,
): AroundWire {
  return changeToolResponse(method, (response) =>
    response.result ? { ...response, result: change(response.result as Result) } : response,
  );
}

/** Changes the list of tools. */
export function changeToolList(change: (tools: Tool[]) => Tool[]): AroundWire {
  return changeToolResult<{ tools: Tool[] }>("tools/list", (result) => ({ ...result, tools: change(result.tools) }));
}

export function refusalMessage({ result: _, ...response }: Message): Message {
  return { ...response, error: { code: -32602, message: "Invalid params" } };
}

export function parseMessage(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined;
  }
}

/** A tool that repeats its earlier response to the same call of the same key. */
export function repeatEarlierResult(name: string, breaks: ClauseId, purpose: ToolPurpose): Mutant {
  const responses = new WeakMap<Key, Map<string, Shown>>();
  return reportOtherResult(name, breaks, purpose, (body, given, _, { caller }) => {
    const ownResponses = responses.get(caller.key) ?? new Map<string, Shown>();
    responses.set(caller.key, ownResponses);
    const asked = JSON.stringify(given);
    const before = ownResponses.get(asked);
    if (!before) ownResponses.set(asked, structuredClone(body));
    return before ?? body;
  });
}

/** A server whose tool refuses calls, all or some. */
export function createRefusingToolMutant(
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

/** A server whose tool reports another result than the real one. */
export function reportOtherResult(
  name: string,
  breaks: ClauseId,
  purpose: ToolPurpose,
  change: (body: Body, given: Given, world: World, call: IncomingToolCall) => Body,
): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const response = performTool(world, call);
      if (call.purpose !== purpose || response.status >= 400) return response;
      return { ...response, body: change(response.body as Body, call.arguments, world, call) };
    },
  };
}

/** A server whose tool lists other rows. */
export function listOtherRows(
  name: string,
  breaks: ClauseId,
  purpose: ToolPurpose,
  change: (rows: Shown[], given: Given, world: World) => Shown[],
): Mutant {
  return reportOtherResult(name, breaks, purpose, (body, given, world) => ({
    ...body,
    data: change(body.data as Shown[], given, world),
  }));
}

/** A server whose tool does the work of another call, for callers that may call it. */
export function performOtherCall(
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

/** A fault: a tool replaces the value of one of its arguments. */
export function replaceArgument(purpose: ToolPurpose, name: string, take: (value: unknown) => unknown): Fault {
  return wrapTool(purpose, (world, call, performTool) => {
    const taken = take(call.arguments[name]);
    return performTool(world, withArguments(call, { ...call.arguments, ...(taken !== undefined && { [name]: taken }) }));
  });
}

/** A server whose tool invents arguments that a call omits. */
export function inventArguments(name: string, breaks: ClauseId, purpose: ToolPurpose, madeUp: (world: World) => Given): Mutant {
  return performOtherCall(name, breaks, purpose, (world, call) => withArguments(call, { ...madeUp(world), ...call.arguments }));
}

/** The refusal of a caller without any scope, for every tool. */
function refuseTool(world: World, call: IncomingToolCall, performTool: Service["performTool"]): ToolResponse {
  const caller = { ...call.caller, scopes: new Set<Scope>() };
  return performTool(world, { ...call, caller, purpose: "set_guidance", arguments: {} });
}

/** A server with a tool that it must not have. */
export function addForbiddenTool(tool: string, breaks: ClauseId): Mutant {
  return {
    name: `lists a tool ${tool} instead of leaving it out`,
    breaks,
    aroundWire: changeToolList((tools) => [...tools, { ...tools[0]!, name: tool }]),
  };
}

export function aroundTools(name: string, breaks: ClauseId, purposes: readonly ToolPurpose[], around: AroundTool): Mutant {
  return {
    name,
    breaks,
    aroundTool: (world, call, performTool) =>
      purposes.includes(call.purpose) ? around(world, call, performTool) : performTool(world, call),
  };
}

/** A server whose tool only shows an observation, and refuses no more than an explanation does. */
export function createExplainingToolMutant(name: string, breaks: ClauseId, purpose: ToolPurpose): Mutant {
  return performOtherCall(name, breaks, purpose, (_, call) => ({
    ...withArguments(call, { ref: call.arguments.ref }),
    purpose: "explain_observation",
  }));
}

/** A server whose tool gives an observation a wrong state. */
export function changeObservationByTool(
  name: string,
  breaks: ClauseId,
  purpose: ToolPurpose,
  left: Partial<Observation>,
): Mutant {
  return {
    name,
    breaks,
    aroundTool(world, call, performTool) {
      const response = performTool(world, call);
      const observation = world.observations[String(call.arguments.ref)];
      if (call.purpose === purpose && response.status < 400 && observation) Object.assign(observation, left);
      return response;
    },
  };
}
