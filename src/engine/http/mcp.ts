import type { McpText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import type { AnswerRules } from "./answer-rules.js";
import { eventMessages, openEventReader } from "./event-stream.js";
import { bodyText, type WireRequest, type WireResponse } from "./exchange.js";

const decoder = new TextDecoder();

/** One request to a tool server over HTTP, with the headers that its transport asks for; the credentials are the caller's. */
export function rpcRequest(url: string, ask: McpText, headers: Readonly<Record<string, string>>): WireRequest {
  const text = typeof ask.raw === "string" ? ask.raw : JSON.stringify(ask.raw ?? { jsonrpc: "2.0", id: 1, ...methodOf(ask) });
  return {
    method: "POST",
    url,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: new TextEncoder().encode(text),
  };
}

/** The JSON-RPC request that a request carries. */
export function rpcMessage(request: WireRequest): { method: string; params: Record<string, unknown> } {
  return JSON.parse(decoder.decode(request.body)) as { method: string; params: Record<string, unknown> };
}

/** The same request with another JSON-RPC message. */
export function withMessage(request: WireRequest, message: object): WireRequest {
  return { ...request, body: new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message })) };
}

/** Whether a request begins or ends a session, and asks for nothing else. */
export function isSessionRequest(request: WireRequest): boolean {
  const methods = request.body ? messagesIn(decoder.decode(request.body)).map(({ method }) => method) : [];
  return methods.every((method) => method === "initialize" || method === "notifications/initialized");
}

/** The JSON-RPC answer that a response carries, as JSON or in an event stream, if any: to this request, else to whichever. */
export function rpcAnswer(response: WireResponse, to?: WireRequest): Record<string, unknown> | undefined {
  const answers = answersIn(response);
  if (answers.length <= 1 || !to) return answers[0];
  const wanted = idsIn(to);
  return answers.find(({ id }) => wanted.has(String(id))) ?? answers[0];
}

/** The answer to a request with nothing but its JSON-RPC message as the body, whether that came as JSON or in an event stream; without one, as it came. */
export function unwrapRpcAnswer(response: WireResponse, to: WireRequest): WireResponse {
  const answer = rpcAnswer(response, to);
  if (!answer) return response;
  const plain = { ...response, body: new TextEncoder().encode(JSON.stringify(answer)) };
  read.set(plain, [answer]);
  return plain;
}

/** Listens to an event stream piece by piece until it holds the answer to a request: a server need not end the stream then. */
export function listenForAnswer(request: WireRequest): (piece: Uint8Array) => boolean {
  const listen = openEventReader();
  const awaited = idsIn(request);
  return (piece) => {
    const answers = listen(piece).flatMap(messagesIn).filter(isAnswer);
    if (awaited.size === 0) return answers.length > 0;
    for (const { id } of answers) awaited.delete(String(id));
    return awaited.size === 0;
  };
}

/** The JSON-RPC result in an answer; else what came instead, in words. */
export function readRpc(response: WireResponse): { ok: true; result: unknown } | { ok: false; what: string } {
  const answer = rpcAnswer(response);
  if (!answer) return { ok: false, what: `status ${response.status} and no JSON-RPC answer` };
  if ("result" in answer) return { ok: true, result: answer.result };
  return { ok: false, what: `JSON-RPC error ${JSON.stringify(answer.error)}` };
}

/** Whether a tool's result is a refusal: flagged as an error, or nothing but the body that a refusal has elsewhere. */
export function isToolError(result: unknown, { isErrorBody }: Pick<AnswerRules, "isErrorBody">): boolean {
  if (!isRecord(result)) return false;
  return result.isError === true || isErrorBody(result.structuredContent) || isErrorBody(parsed(textContent(result)));
}

/** Whether an answer refuses, in whichever form: by its HTTP status, as a JSON-RPC error or as a tool error. */
export function isRefusal(response: WireResponse, rules: Pick<AnswerRules, "isErrorBody">): boolean {
  if (response.status >= 400) return true;
  const rpc = readRpc(response);
  return !rpc.ok || isToolError(rpc.result, rules);
}

/** Whether an answer says that the server failed, by its HTTP status or in the body that a refusal has: then nothing was refused. */
export function isFailure(response: WireResponse, rules: Pick<AnswerRules, "isErrorBody" | "isFailureBody">): boolean {
  return response.status >= 500 || rules.isFailureBody(refusalIn(response, rules));
}

/** The body of a refusal, wherever in an answer it stands: undefined when there is none. */
export function refusalIn(response: WireResponse, { isErrorBody }: Pick<AnswerRules, "isErrorBody">): unknown {
  const rpc = readRpc(response);
  const { structuredContent } = rpc.ok && isRecord(rpc.result) ? rpc.result : {};
  const values = rpc.ok ? [structuredContent, parsed(textContent(rpc.result))] : [parsed(bodyText(response))];
  return values.find(isErrorBody);
}

/** The texts of a tool's result. */
export function textContent(result: unknown): string {
  const parts = isRecord(result) && Array.isArray(result.content) ? result.content : [];
  return parts.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("\n");
}

/** Everything that a tool's result says: its texts, and its structured content as JSON (which of the two a tool uses is not shown). */
export function toolResultText(result: unknown): string {
  const structured = isRecord(result) ? result.structuredContent : undefined;
  return [textContent(result), ...(structured === undefined ? [] : [JSON.stringify(structured)])].join("\n");
}

function methodOf(ask: McpText): { method: string; params: object } {
  if (ask.list) return { method: `${ask.list}/list`, params: {} };
  if (ask.eachTool) return { method: "tools/list", params: {} };
  if (ask.prompt !== undefined)
    return { method: "prompts/get", params: { name: ask.prompt, ...(ask.arguments && { arguments: ask.arguments }) } };
  return { method: "tools/call", params: { name: ask.call, arguments: ask.arguments ?? {} } };
}

/** The answers that responses carry: each response is read once, however many judge it. */
const read = new WeakMap<WireResponse, readonly Record<string, unknown>[]>();

function answersIn(response: WireResponse): readonly Record<string, unknown>[] {
  const known = read.get(response);
  if (known) return known;
  const text = bodyText(response);
  const whole = parsed(text);
  const messages = whole === undefined ? eventMessages(text).flatMap(messagesIn) : messagesOfBatch(whole);
  const answers = messages.filter(isAnswer);
  read.set(response, answers);
  return answers;
}

function messagesIn(text: string): Record<string, unknown>[] {
  return messagesOfBatch(parsed(text));
}

/** The JSON-RPC messages of a value, which may be a batch; the body of a refusal may have an error too, but is none. */
function messagesOfBatch(value: unknown): Record<string, unknown>[] {
  return [value].flat().filter((message) => isRecord(message) && "jsonrpc" in message) as Record<string, unknown>[];
}

function isAnswer(message: Record<string, unknown>): boolean {
  return "result" in message || "error" in message;
}

/** The ids of the JSON-RPC messages that a request carries; none when it is no JSON-RPC, or nothing to be answered. */
function idsIn({ body }: WireRequest): Set<string> {
  const messages = body ? messagesIn(decoder.decode(body)) : [];
  return new Set(messages.flatMap(({ id }) => (id === undefined ? [] : [String(id)])));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
