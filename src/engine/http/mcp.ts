import type { McpText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { openEventReader, parseEvents } from "./event-stream.js";
import { findJsonIn, readBodyText, type WireRequest, type WireResponse } from "./exchange.js";
import type { ResponseRules } from "./response-rules.js";

const decoder = new TextDecoder();

/** Returns a request to a tool server, with the headers of the MCP transport. The caller adds credentials. */
export function createRpcRequest(url: string, call: McpText, headers: Readonly<Record<string, string>>): WireRequest {
  const text =
    typeof call.raw === "string" ? call.raw : JSON.stringify(call.raw ?? { jsonrpc: "2.0", id: 1, ...createMethod(call) });
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: new TextEncoder().encode(text),
  };
}

/** Returns the JSON-RPC message in the body of a request. Throws for a body that is not JSON. */
export function createRpcMessage(request: WireRequest): { method: string; params: Record<string, unknown> } {
  return JSON.parse(decoder.decode(request.body)) as { method: string; params: Record<string, unknown> };
}

/** Returns a copy of a request with another JSON-RPC message, and without the headers that repeat parts of the earlier message. */
export function withMessage(request: WireRequest, message: object): WireRequest {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !/^mcp-(method$|name$|param-)/.test(name)),
  );
  return { ...request, headers, body: new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message })) };
}

/** Tells whether a request only begins or ends a session. */
export function isSessionRequest(request: WireRequest): boolean {
  const methods = request.body ? parseMessages(decoder.decode(request.body)).map(({ method }) => method) : [];
  return methods.every((method) => method === "initialize" || method === "notifications/initialized");
}

/** Returns the JSON-RPC answer in a response, from JSON or an event stream. Prefers the response to `request`, if given. */
export function rpcResponse(response: WireResponse, request?: WireRequest): Record<string, unknown> | undefined {
  const responses = listServerMessages(response);
  if (responses.length <= 1 || !request) return responses[0];
  const wanted = listIds(request);
  return responses.find(({ id }) => wanted.has(String(id))) ?? responses[0];
}

/** Returns a response whose body is only the JSON-RPC answer to a request. Returns the response unchanged if it has no such answer. */
export function unwrapRpcResponse(response: WireResponse, request: WireRequest): WireResponse {
  const serverResponse = rpcResponse(response, request);
  if (!serverResponse) return response;
  const unwrapped = { ...response, body: new TextEncoder().encode(JSON.stringify(serverResponse)) };
  messagesByResponse.set(unwrapped, [serverResponse]);
  return unwrapped;
}

/** Returns a listener for the chunks of an event stream. It tells whether the stream has sent all responses to a request; a server may keep the stream open. */
export function listenForResponse(request: WireRequest): (chunk: Uint8Array) => boolean {
  const readEvents = openEventReader();
  const awaited = listIds(request);
  return (chunk) => {
    const responses = readEvents(chunk).flatMap(parseMessages).filter(isResponse);
    if (awaited.size === 0) return responses.length > 0;
    for (const { id } of responses) awaited.delete(String(id));
    return awaited.size === 0;
  };
}

/** Returns the JSON-RPC result in a response, or a description of what it contains instead. */
export function readRpc(response: WireResponse): { ok: true; result: unknown } | { ok: false; what: string } {
  const serverResponse = rpcResponse(response);
  if (!serverResponse) return { ok: false, what: `status ${response.status} and no JSON-RPC answer` };
  if ("result" in serverResponse) return { ok: true, result: serverResponse.result };
  return { ok: false, what: `JSON-RPC error ${JSON.stringify(serverResponse.error)}` };
}

/** Tells whether a tool result is an error: it has `isError`, or its only content is an error body. */
export function isToolError(result: unknown, { isErrorBody }: Pick<ResponseRules, "isErrorBody">): boolean {
  if (!isRecord(result)) return false;
  return result.isError === true || isErrorBody(result.structuredContent) || isErrorBody(contentJson(result));
}

/** Tells whether a response is an HTML page. No revision of MCP has such a response. */
export function isHtml({ headers }: WireResponse): boolean {
  return /^text\/html\b/i.test(headers["content-type"] ?? "");
}

/** Tells whether a response is a refusal: by its HTTP status, as a JSON-RPC error or as a tool error. */
export function isRefusal(response: WireResponse, rules: Pick<ResponseRules, "isErrorBody">): boolean {
  if (response.status >= 400) return true;
  const rpc = readRpc(response);
  return !rpc.ok || isToolError(rpc.result, rules);
}

/** Tells whether a tool server refused a call for its rate, as a tool error or a JSON-RPC error. */
export function isRateRefusal(response: WireResponse, rules: Pick<ResponseRules, "isErrorBody" | "isRateRefusal">): boolean {
  const rpc = readRpc(response);
  if (!rpc.ok) return rules.isRateRefusal(rpc.what);
  return isToolError(rpc.result, rules) && rules.isRateRefusal(readToolResultText(rpc.result));
}

/** Tells whether a response reports a failure of the server, by its HTTP status or its error body. A failure is not a refusal. */
export function isFailure(response: WireResponse, rules: Pick<ResponseRules, "isErrorBody" | "isFailureBody">): boolean {
  return response.status >= 500 || rules.isFailureBody(findRefusalIn(response, rules));
}

/**
 * Returns the error body in a response, from REST, JSON-RPC or a tool result; undefined without one. A tool may show the content of the field
 * `error` alone.
 */
export function findRefusalIn(response: WireResponse, { isErrorBody }: Pick<ResponseRules, "isErrorBody">): unknown {
  const rpc = readRpc(response);
  const { structuredContent } = rpc.ok && isRecord(rpc.result) ? rpc.result : {};
  const shown = rpc.ok ? [structuredContent, contentJson(rpc.result)] : [];
  const values = rpc.ok ? shown.flatMap((value) => [value, { error: value }]) : [findJsonIn(readBodyText(response))];
  return values.find(isErrorBody);
}

/** Returns the texts of a tool result, joined by line feeds. */
export function readTextContent(result: unknown): string {
  const parts = isRecord(result) && Array.isArray(result.content) ? result.content : [];
  return parts.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("\n");
}

/** The JSON in the texts of tool results, so that each is parsed only once. */
const jsonByResult = new WeakMap<object, { value: unknown }>();

function contentJson(result: unknown): unknown {
  if (!isRecord(result)) return undefined;
  const json = jsonByResult.get(result) ?? { value: findJsonIn(readTextContent(result)) };
  jsonByResult.set(result, json);
  return json.value;
}

/** Returns the texts of a tool result and its structured content as JSON. A tool may use either. */
export function readToolResultText(result: unknown): string {
  const structured = isRecord(result) ? result.structuredContent : undefined;
  return [readTextContent(result), ...(structured === undefined ? [] : [JSON.stringify(structured)])].join("\n");
}

function createMethod(call: McpText): { method: string; params: object } {
  if (call.list) return { method: `${call.list}/list`, params: {} };
  if (call.eachTool) return { method: "tools/list", params: {} };
  if (call.prompt !== undefined)
    return { method: "prompts/get", params: { name: call.prompt, ...(call.arguments && { arguments: call.arguments }) } };
  return { method: "tools/call", params: { name: call.call, arguments: call.arguments ?? {} } };
}

/** The JSON-RPC answers in responses, so that each response is parsed only once. */
const messagesByResponse = new WeakMap<WireResponse, readonly Record<string, unknown>[]>();

function listServerMessages(response: WireResponse): readonly Record<string, unknown>[] {
  const known = messagesByResponse.get(response);
  if (known) return known;
  const text = readBodyText(response);
  const whole = findJsonIn(text);
  const messages = whole === undefined ? parseEvents(text).flatMap(parseMessages) : splitBatch(whole);
  const responses = messages.filter(isResponse);
  messagesByResponse.set(response, responses);
  return responses;
}

function parseMessages(text: string): Record<string, unknown>[] {
  return splitBatch(findJsonIn(text));
}

/** Returns the JSON-RPC messages in a value, which may be a batch. An error body without `jsonrpc` is not a message. */
function splitBatch(value: unknown): Record<string, unknown>[] {
  return [value].flat().filter((message) => isRecord(message) && "jsonrpc" in message) as Record<string, unknown>[];
}

function isResponse(message: Record<string, unknown>): boolean {
  return "result" in message || "error" in message;
}

/** Returns the ids of the JSON-RPC messages in a request. Notifications have none. */
function listIds({ body }: WireRequest): Set<string> {
  const messages = body ? parseMessages(decoder.decode(body)) : [];
  return new Set(messages.flatMap(({ id }) => (id === undefined ? [] : [String(id)])));
}
