import { contract } from "../../contract/load.js";
import { fillText } from "../../contract/placeholders.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import { listToolPlaceholders } from "../../service/tools/guides.js";
import type { ToolNames, ToolResponse } from "../../service/tools/tool-call.js";
import { readShownText, showRow } from "../../service/world/lookups.js";
import { buildFailureResponse } from "../call/outside-requests.js";
import type { Fault } from "../faults/faults.js";
import { applies, performVaried } from "../variations/variations.js";
import {
  codes,
  createListMethod,
  createProtocolError,
  type Method,
  type Params,
  type RequestContext,
  type Result,
  readArguments,
  readName,
} from "./json-rpc.js";
import { createCallSubject, createToolSubject, readArgumentsVaried, varyResult } from "./variations.js";

/** A tool call as its client wrote it: the tool is known, and its arguments are not validated. */
export interface ToolRequest {
  name: string;
  purpose: ToolPurpose;
  given: Readonly<Record<string, unknown>>;
}

/** Returns the method that lists the tools, and the reader of tool calls, for tools of these names. */
export function nameToolMethods(names: ToolNames): { list: Method; read(params: Params): ToolRequest } {
  const purposes = Object.keys(contract.tools) as ToolPurpose[];
  const byName = new Map(purposes.map((purpose) => [names[purpose], purpose]));
  const words = listToolPlaceholders(names);
  return {
    list: createListMethod(
      "tools",
      purposes.map((purpose) => buildToolEntry(purpose, names[purpose], words)),
    ),
    read(params) {
      const name = readName(params);
      const purpose = byName.get(name);
      if (!purpose) throw createProtocolError(codes.invalidParams, `Unknown tool: ${name}`);
      return { name, purpose, given: readArguments(params) };
    },
  };
}

/** A tool as clients list it. MCP-SCHEMA-LIST, MCP-SCHEMA-CLOSED. */
function buildToolEntry(purpose: ToolPurpose, name: string, words: Record<string, string>): object {
  const { title, description, kind, arguments: inputSchema } = contract.tools[purpose];
  return {
    name,
    title,
    description: fillText(description, words),
    inputSchema,
    annotations: { title, readOnlyHint: kind === "read" },
  };
}

/** Performs a tool call. A failure of the mock becomes a tool error, and the mock continues. */
export function performToolCall(
  { service, worldEntry, caller, request, varied }: RequestContext,
  names: ToolNames,
  { purpose, given }: ToolRequest,
): ToolResponse {
  const { world } = worldEntry;
  const work = (read: ToolRequest["given"]) => service.performTool(world, { purpose, caller, arguments: read, names });
  try {
    if (!varied) return work(given);
    const subject = createCallSubject(createToolSubject(world, request.headers.authorization), purpose, given);
    return performVaried(varied, subject, () => work(readArgumentsVaried(given)));
  } catch (error) {
    return buildFailureResponse(world, request, error);
  }
}

/** Returns the protocol's result of a tool call. A refusal of the service is a tool error. MCP-SCOPE-FORM. */
export function buildResult(
  { varied, worldEntry }: RequestContext,
  { status, body, text }: ToolResponse,
  fault: Fault | null,
): Result {
  if (varied !== null && status < 400 && !fault && applies(varied, "tool-speech"))
    return varyResult(body, worldEntry.world.serials.request ?? 0);
  if (status < 400 && readShownText(body) !== undefined) return showRow(body as object, buildRowResult);
  const content = [{ type: "text", text: (fault?.answer ? undefined : text) ?? JSON.stringify(body ?? null) }];
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  return { content, ...(isObject && { structuredContent: body }), ...(status >= 400 && { isError: true }) };
}

/** Returns the result of a tool that shows one row. */
function buildRowResult(row: object): Result {
  return { content: [{ type: "text", text: readShownText(row) }], structuredContent: row };
}
