import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  InitializeRequestSchema,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { packageRoot } from "../../contract/load.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import type { Asking } from "./asking.js";
import { openLine } from "./line.js";
import { makeMethods } from "./methods.js";
import { codes, protocolError } from "./protocol.js";

/** What a decoded message is: something to answer, something to take note of, or nothing the protocol knows. */
export type Message = { kind: "request"; request: JSONRPCRequest } | { kind: "notice" } | { kind: "invalid" };

/** The one MCP server of a mock, for every client of every world. */
export interface ToolServer {
  /** The protocol revisions it speaks. */
  versions: readonly string[];
  readMessage(value: unknown): Message;
  answer(request: JSONRPCRequest, asking: Asking): Promise<JSONRPCMessage>;
}

const instructions = "Begin with the prompt service_agent_loop. An argument that a tool does not declare is refused.";

/**
 * Opens the server. The SDK does the handshake and the framing; the methods are answered by the fallback handler, since the SDK's own
 * handlers check every call and result a second time, and call ill-formed params an internal error.
 */
export async function openToolServer(names: ToolNames): Promise<ToolServer> {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  const server = new Server({ name: "counterpart-mock", version }, { capabilities: { tools: {}, prompts: {} }, instructions });
  const methods = makeMethods(names);
  const line = openLine<Asking>();
  server.fallbackRequestHandler = async ({ method, params }, { requestId }) => {
    const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!answer) throw protocolError(codes.methodNotFound, `There is no method ${method}.`);
    return answer(params ?? {}, line.contextOf(requestId));
  };
  await server.connect(line.transport);
  return { versions: SUPPORTED_PROTOCOL_VERSIONS, readMessage, answer: (request, asking) => answer(line, request, asking) };
}

function readMessage(value: unknown): Message {
  if (isJSONRPCRequest(value)) return { kind: "request", request: value };
  const isNotice = isJSONRPCNotification(value) || isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value);
  return { kind: isNotice ? "notice" : "invalid" };
}

async function answer(
  line: ReturnType<typeof openLine<Asking>>,
  request: JSONRPCRequest,
  asking: Asking,
): Promise<JSONRPCMessage> {
  const { id, method, params } = request;
  if (method === "initialize" && !InitializeRequestSchema.safeParse(request).success) {
    const message = "initialize needs protocolVersion, capabilities and clientInfo.";
    return { jsonrpc: "2.0", id, error: { code: codes.invalidParams, message } };
  }
  // tasks are not offered, and a server without them treats a call as if it had not asked for one
  const { task: _, ...rest } = params ?? {};
  return line.ask({ jsonrpc: "2.0", id, method, ...(params && { params: rest }) }, asking);
}
