import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type ClientResponse, type Sent, send } from "../client.js";

/** The headers of a raw call, as the contract gives them. */
export const rawHeaders = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Sends one JSON-RPC message by plain HTTP. The headers and bytes in `more` replace the default ones. */
export function post(url: string, key: string | undefined, message: unknown, more: Sent = {}): Promise<ClientResponse> {
  const body = more.body ?? JSON.stringify(message);
  return send(`POST ${url}`, { key, ...more, body, headers: { ...rawHeaders, ...more.headers } });
}

/** A JSON-RPC request. */
export function request(method: string, params?: object, id: number | string = 1): object {
  return { jsonrpc: "2.0", id, method, ...(params && { params }) };
}

/** A call of a tool. */
export function toolCall(name: string, given: object = {}, id: number | string = 1): object {
  return request("tools/call", { name, arguments: given }, id);
}

/** The handshake's first message. */
export function initialize(protocolVersion = "2025-11-25"): object {
  return request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } });
}

/** The metadata that each request of a modern revision carries. */
export const metadata = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
};

/** Sends a request of a modern revision; `headers` replaces headers, and undefined removes one. */
export function postModern(
  url: string,
  key: string | undefined,
  method: string,
  params: object = {},
  headers: Record<string, string | undefined> = {},
): Promise<ClientResponse> {
  const { name } = params as { name?: string };
  const standard = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  };
  const sent = Object.entries({ ...standard, ...headers }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return post(url, key, request(method, { _meta: metadata, ...params }, 7), { headers: Object.fromEntries(sent) });
}

/** The message inside a response of either form. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function getMessage({ headers, text, json }: ClientResponse): any {
  if (headers["content-type"] !== "text/event-stream") return json;
  return JSON.parse(/^event: message\ndata: (.*)\n\n$/.exec(text)![1]!);
}

/** Connects the SDK's own client. */
export async function connect(url: string, key: string): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport as Transport);
  return { client, transport };
}
