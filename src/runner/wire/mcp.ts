import type { McpText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { bodyText, type WireRequest, type WireResponse } from "./exchange.js";

/** One JSON-RPC request to the tool server as an HTTP request (MCP-ENDPOINT: the three headers of a raw call); the bearer header is the caller's. */
export function rpcRequest(url: string, ask: McpText, headers: Readonly<Record<string, string>>): WireRequest {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...methodOf(ask) });
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: new TextEncoder().encode(body),
  };
}

/** The JSON-RPC result in an answer, sent as JSON or as an event stream; else what came instead, in words. */
export function readRpc(response: WireResponse): { ok: true; result: unknown } | { ok: false; what: string } {
  const answer = messages(response).find((message) => "result" in message || "error" in message);
  if (!answer) return { ok: false, what: `status ${response.status} and no JSON-RPC answer` };
  if ("result" in answer) return { ok: true, result: answer.result };
  return { ok: false, what: `JSON-RPC error ${JSON.stringify(answer.error)}` };
}

function methodOf(ask: McpText): { method: string; params: object } {
  if (ask.list) return { method: `${ask.list}/list`, params: {} };
  if (ask.prompt !== undefined) return { method: "prompts/get", params: { name: ask.prompt, arguments: ask.arguments ?? {} } };
  return { method: "tools/call", params: { name: ask.call, arguments: ask.arguments ?? {} } };
}

function messages(response: WireResponse): Record<string, unknown>[] {
  const text = bodyText(response);
  const streamed = (response.headers["content-type"] ?? "").startsWith("text/event-stream");
  return (streamed ? eventData(text) : [text]).flatMap((part) => {
    try {
      const message: unknown = JSON.parse(part);
      return isRecord(message) ? [message] : [];
    } catch {
      return [];
    }
  });
}

/** The data of each server-sent event; an event's data lines are joined by line ends. */
function eventData(stream: string): string[] {
  return stream.split(/\r?\n\r?\n/).map((event) =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trimStart())
      .join("\n"),
  );
}
