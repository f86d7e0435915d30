import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { packageRoot } from "../../contract/load.js";
import {
  InitializeRequestSchema,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "../../mcp-sdk/server.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import { codes, type Method, protocolError, type RequestContext } from "./json-rpc.js";
import { promptMethods } from "./prompts.js";
import { type ToolRequest, toolsNamed } from "./tools.js";

/** A decoded message: a request, a message without an answer (notification or response), or an invalid one. */
export type Message = { kind: "request"; request: JSONRPCRequest } | { kind: "one-way" } | { kind: "invalid" };

/** The one MCP server of a mock, for every client of every world. */
export interface ToolServer {
  /** Protocol revisions of the server. */
  versions: readonly string[];
  readMessage(value: unknown): Message;
  /** Answers a request that calls no tool. Only the answers of the SDK are promises. */
  answer(request: JSONRPCRequest, context: RequestContext): JSONRPCMessage | Promise<JSONRPCMessage>;
  /** Reads a tool call. Throws the protocol's error for an unknown tool and for arguments that are no object. */
  readToolCall(request: JSONRPCRequest): ToolRequest;
}

/** The bridge between the SDK's server and all clients. */
export interface Bridge {
  transport: Transport;
  /** Sends a request to the server. The answer has the id of the request. */
  send(request: JSONRPCRequest): Promise<JSONRPCMessage>;
}

interface PendingRequest {
  id: RequestId;
  resolve(answer: JSONRPCMessage): void;
}

const instructions = "Begin with the prompt service_agent_loop. An argument that a tool does not declare is refused.";

/**
 * Opens the server. The SDK answers the handshake. The mock answers the methods itself: the SDK's handlers are slower, and call
 * malformed params an internal error.
 */
export async function openToolServer(names: ToolNames): Promise<ToolServer> {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  const server = new Server({ name: "counterpart-mock", version }, { capabilities: { tools: {}, prompts: {} }, instructions });
  const tools = toolsNamed(names);
  const methods: Readonly<Record<string, Method>> = { "tools/list": tools.list, ...promptMethods(names) };
  const bridge = openBridge();
  server.fallbackRequestHandler = async ({ method }) => {
    throw protocolError(codes.methodNotFound, `There is no method ${method}.`);
  };
  await server.connect(bridge.transport);
  return {
    versions: SUPPORTED_PROTOCOL_VERSIONS,
    readMessage,
    readToolCall: ({ params = {} }) => tools.read(params),
    answer: (request, context) => {
      const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
      return method ? answerBy(method, withoutTask(request), context) : answerBySdk(bridge, withoutTask(request));
    },
  };
}

/**
 * Opens a bridge. It numbers each request and returns the answer with the client's number, so that one server answers all
 * clients.
 */
export function openBridge(): Bridge {
  const pending = new Map<RequestId, PendingRequest>();
  let last = 0;
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      const id = "id" in message ? message.id : undefined;
      const request = id === undefined ? undefined : pending.get(id);
      if (id === undefined || !request) return;
      pending.delete(id);
      request.resolve({ ...message, id: request.id } as JSONRPCMessage);
    },
  };
  return {
    transport,
    send: (request) =>
      new Promise((resolve) => {
        const id = ++last;
        pending.set(id, { id: request.id, resolve });
        transport.onmessage?.({ ...request, id });
      }),
  };
}

function readMessage(value: unknown): Message {
  if (isJSONRPCRequest(value)) return { kind: "request", request: value };
  const isOneWay = isJSONRPCNotification(value) || isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value);
  return { kind: isOneWay ? "one-way" : "invalid" };
}

/** Returns the request without its task: the server offers no tasks, so it treats the request as a plain one. */
function withoutTask(request: JSONRPCRequest): JSONRPCRequest {
  if (request.params?.task === undefined) return request;
  const { task: _, ...params } = request.params;
  return { ...request, params };
}

function answerBy(method: Method, { id, params = {} }: JSONRPCRequest, context: RequestContext): JSONRPCMessage {
  try {
    return { result: method(params, context), jsonrpc: "2.0", id };
  } catch (thrown) {
    return errorMessage(id, thrown);
  }
}

/** Returns the JSON-RPC error for an exception, as the SDK writes it. */
export function errorMessage(id: RequestId, thrown: unknown): JSONRPCMessage {
  const { code, message } = thrown as Error & { code?: unknown };
  return { jsonrpc: "2.0", id, error: { code: typeof code === "number" ? code : codes.internalError, message } };
}

async function answerBySdk(bridge: Bridge, request: JSONRPCRequest): Promise<JSONRPCMessage> {
  const { id, method } = request;
  if (method === "initialize" && !InitializeRequestSchema.safeParse(request).success) {
    const message = "initialize needs protocolVersion, capabilities and clientInfo.";
    return { jsonrpc: "2.0", id, error: { code: codes.invalidParams, message } };
  }
  return bridge.send(request);
}
