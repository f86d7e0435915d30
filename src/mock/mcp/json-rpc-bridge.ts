import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import {
  InitializeRequestSchema,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  Server,
} from "../../mcp-sdk/server.js";
import { codes, createProtocolError, isObject } from "./json-rpc.js";
import type { SdkServer } from "./legacy-revisions.js";
import type { ServerDescription } from "./modern-revisions.js";
import type { Message } from "./revision-family.js";

/** The bridge between the SDK's server and all clients. */
export interface Bridge {
  transport: Transport;
  /** Sends a request to the server. The response has the id of the request. */
  send: SdkServer;
}

interface PendingRequest {
  id: RequestId;
  resolve(response: JSONRPCMessage): void;
}

/**
 * Opens the SDK's server. It answers the handshake and ping. The mock answers the other methods itself: the SDK's handlers are slower, and
 * call malformed params an internal error.
 */
export async function openSdkServer({ info, capabilities, instructions }: ServerDescription): Promise<SdkServer> {
  const server = new Server(info, { capabilities, instructions });
  const bridge = openBridge();
  server.fallbackRequestHandler = async ({ method }) => {
    throw createProtocolError(codes.methodNotFound, `There is no method ${method}.`);
  };
  await server.connect(bridge.transport);
  return (request) => {
    const isInvalid = request.method === "initialize" && !InitializeRequestSchema.safeParse(request).success;
    return isInvalid ? Promise.resolve(findHandshakeProblem(request.id)) : bridge.send(request);
  };
}

/**
 * Opens a bridge. It numbers each request and returns the response with the client's number, so that one server answers all
 * clients.
 */
export function openBridge(): Bridge {
  const pendingRequests = new Map<RequestId, PendingRequest>();
  let last = 0;
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      const id = "id" in message ? message.id : undefined;
      const request = id === undefined ? undefined : pendingRequests.get(id);
      if (id === undefined || !request) return;
      pendingRequests.delete(id);
      request.resolve({ ...message, id: request.id } as JSONRPCMessage);
    },
  };
  return {
    transport,
    send: (request) =>
      new Promise((resolve) => {
        const id = ++last;
        pendingRequests.set(id, { id: request.id, resolve });
        transport.onmessage?.({ ...request, id });
      }),
  };
}

/** The names of the members of JSON-RPC messages. */
const members: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params", "result", "error"]);

/** Reads a JSON-RPC message. */
export function readMessage(value: unknown): Message {
  // the validators of the SDK describe every unknown member, four times
  for (const name in value as object) if (!members.has(name)) return { kind: "invalid" };
  if (isPlainRequest(value) || isJSONRPCRequest(value)) return { kind: "request", request: value };
  if (isJSONRPCNotification(value)) return { kind: "notification", params: value.params ?? {} };
  return { kind: isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value) ? "response" : "invalid" };
}

/** Returns whether a message is a request whose parameters have no metadata. The validators of the SDK take 20 times as long. */
function isPlainRequest(value: unknown): value is JSONRPCRequest {
  if (!isObject(value)) return false;
  const { jsonrpc, id, method, params, result, error } = value;
  if (jsonrpc !== "2.0" || typeof method !== "string" || result !== undefined || error !== undefined) return false;
  return (typeof id === "string" || Number.isSafeInteger(id)) && isObject(params) && params._meta === undefined;
}

function findHandshakeProblem(id: RequestId): JSONRPCMessage {
  const message = "initialize needs protocolVersion, capabilities and clientInfo.";
  return { jsonrpc: "2.0", id, error: { code: codes.invalidParams, message } };
}
