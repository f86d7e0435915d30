import { contract } from "../../contract/load.js";
import { fillText } from "../../contract/placeholders.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import { toolWords } from "../../service/tools/guides.js";
import type { ToolNames, ToolReply } from "../../service/tools/tool-call.js";
import { failReply } from "../call/outside-requests.js";
import { answerPreferred } from "../call/preference.js";
import type { RefusedCall } from "../faults/catalogue-refusal.js";
import { applyFault } from "../faults/fault-applying.js";
import { type Fault, matchFault } from "../faults/faults.js";
import { applies, performVaried } from "../variations/variations.js";
import { holdBack } from "../worlds/log/append.js";
import {
  codes,
  listMethod,
  type Method,
  type Params,
  protocolError,
  type RequestContext,
  type Result,
  readArguments,
  readName,
} from "./json-rpc.js";
import { callSubject, readArgumentsVaried, speak, toolSubject } from "./variations.js";

/** One tool call, ready to be done. */
interface Call {
  names: ToolNames;
  purpose: ToolPurpose;
  given: Readonly<Record<string, unknown>>;
  context: RequestContext;
}

/** The methods for tools, under the names in use. */
export function toolMethods(names: ToolNames): Readonly<Record<string, Method>> {
  const purposes = Object.keys(contract.tools) as ToolPurpose[];
  const byName = new Map(purposes.map((purpose) => [names[purpose], purpose]));
  const words = toolWords(names);
  const entries = purposes.map((purpose) => entryOf(purpose, names[purpose], words));
  return {
    "tools/list": listMethod("tools", entries),
    "tools/call": (params, context) => {
      context.notes.arrive();
      return callTool({ names, context, ...readCall(byName, params, context) });
    },
  };
}

/** Reads what is called; a call of nothing draws on the rate all the same. */
function readCall(byName: ReadonlyMap<string, ToolPurpose>, params: Params, { service, worldEntry, caller }: RequestContext) {
  try {
    const name = readName(params);
    const purpose = byName.get(name);
    if (!purpose) throw protocolError(codes.invalidParams, `Unknown tool: ${name}`);
    return { purpose, given: readArguments(params) };
  } catch (error) {
    service.admitToolRequest(worldEntry.world, caller);
    throw error;
  }
}

/** A tool as clients list it. MCP-SCHEMA-LIST, MCP-SCHEMA-CLOSED. */
function entryOf(purpose: ToolPurpose, name: string, words: Record<string, string>): object {
  const { title, description, kind, arguments: inputSchema } = contract.tools[purpose];
  return {
    name,
    title,
    description: fillText(description, words),
    inputSchema,
    annotations: { title, readOnlyHint: kind === "read" },
  };
}

/** Calls a tool in its caller's world and gives the protocol's result; a refusal of the service is a tool error. MCP-SCOPE-FORM. */
async function callTool(call: Call): Promise<Result> {
  const { context, names, purpose } = call;
  const { notes, worldEntry } = context;
  const { faults } = worldEntry;
  const name = names[purpose];
  notes.route = name;
  notes.draws = contract.tools[purpose].route ?? null;
  const fault = faults.length === 0 ? null : matchFault(faults, name);
  const { authorization, prefer } = context.response.req.headers;
  const subject: RefusedCall = { authorization, route: name, surface: "mcp" };
  if (fault) {
    return new Promise((resolve) => {
      const steps = {
        delay: (ms: number, go: () => void) => holdBack(worldEntry, context.response, ms, go),
        perform: () => perform(call),
        finish: (reply: ToolReply) => resolve(resultOf(context, reply, fault)),
      };
      applyFault(fault, { world: worldEntry.world, response: context.response, ...subject }, steps);
    });
  }
  if (prefer === undefined) return resultOf(context, perform(call), null);
  const { reply, forced } = answerPreferred(worldEntry.world, String(prefer), subject, () => perform(call));
  const { "preference-applied": applied, warning } = reply.headers;
  const headers = { ...(applied && { "preference-applied": applied }), ...(warning && { warning }) };
  Object.assign(context.notes, { forced, headers });
  return resultOf(context, reply, null);
}

/** Does the work; a failure of ours is a tool error too, and the server goes on. */
function perform({ names, purpose, given, context }: Call): ToolReply {
  const { service, worldEntry, caller, response, varied } = context;
  const work = (read: Call["given"]) => service.performTool(worldEntry.world, { purpose, caller, arguments: read, names });
  try {
    if (!varied) return work(given);
    const subject = callSubject(toolSubject(worldEntry.world, response.req.headers.authorization), purpose, given);
    return performVaried(varied, subject, () => work(readArgumentsVaried(given)));
  } catch (error) {
    return failReply(worldEntry.world, response.req, error);
  }
}

/** The protocol's result of a call; notes for the journal what came of it. */
function resultOf(context: RequestContext, reply: ToolReply, fault: Fault | null): Result {
  const { status, body, text } = reply;
  const { notes } = context;
  notes.status = status;
  notes.rule = reply.rule;
  notes.changes = reply.changes;
  notes.fault = fault?.id ?? null;
  notes.brokenOff = fault?.socket !== undefined;
  notes.bandwidth = fault?.bandwidth;
  notes.retryAfter = reply.headers["retry-after"];
  const isSpoken = context.varied !== null && status < 400 && !fault && applies(context.varied, "tool-speech");
  if (isSpoken) return speak(body, context.worldEntry.world.serials.request ?? 0);
  const content = [{ type: "text", text: (fault?.answer ? undefined : text) ?? JSON.stringify(body ?? null) }];
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  return { content, ...(isObject && { structuredContent: body }), ...(status >= 400 && { isError: true }) };
}
