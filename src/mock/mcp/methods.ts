import type { ToolNames } from "../../service/tools/tool-call.js";
import type { Asking } from "./asking.js";
import { callTool } from "./call-tool.js";
import { type Catalogue, makeCatalogue, writePrompt } from "./catalogue.js";
import { codes, protocolError } from "./protocol.js";

type Params = Readonly<Record<string, unknown>>;
type Result = Record<string, unknown>;

/** Answers one JSON-RPC method; throws the protocol's error. */
export type Method = (params: Params, asking: Asking) => Result | Promise<Result>;

/** The methods of the tool server beside the handshake: lists, tool calls, prompts. */
export function makeMethods(names: ToolNames): Readonly<Record<string, Method>> {
  const catalogue = makeCatalogue(names);
  return {
    "tools/list": (params) => listed("tools", catalogue.tools, params),
    "tools/call": (params, asking) => call(names, catalogue, params, asking),
    "prompts/list": (params) => listed("prompts", catalogue.prompts, params),
    "prompts/get": (params) => writePrompt(catalogue, nameIn(params), textsIn(params)),
  };
}

/** Both lists are one page long, so no cursor was ever given out. */
function listed(what: string, entries: object[], { cursor }: Params): Result {
  if (cursor !== undefined) throw protocolError(codes.invalidParams, "This cursor was not given out here.");
  return { [what]: entries };
}

function call(names: ToolNames, { purposes }: Catalogue, params: Params, asking: Asking): Promise<Result> {
  const name = nameIn(params);
  const purpose = purposes.get(name);
  if (!purpose) throw protocolError(codes.invalidParams, `Unknown tool: ${name}`);
  return callTool(names, purpose, objectIn(params), asking);
}

function nameIn({ name }: Params): string {
  if (typeof name !== "string") throw protocolError(codes.invalidParams, "params.name must be a string.");
  return name;
}

function objectIn({ arguments: given = {} }: Params): Record<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw protocolError(codes.invalidParams, "params.arguments must be an object.");
  }
  return given as Record<string, unknown>;
}

function textsIn(params: Params): Record<string, string> {
  const given = objectIn(params);
  if (Object.values(given).every((value) => typeof value === "string")) return given as Record<string, string>;
  throw protocolError(codes.invalidParams, "The arguments of a prompt must be strings.");
}
