import { admit, type Caller } from "./access.js";
import { type Call, isRecord } from "./call.js";
import type { Choices } from "./choices.js";
import { type ClientResponse, render } from "./edge.js";
import { countRequest } from "./limits.js";
import { isRefusal, type Refusal, refuse } from "./operation-result.js";
import { fillPrompt, listPrompts } from "./prompts.js";
import { getCeiling, type IncomingRequest } from "./rest.js";
import { completeResult, discoverResult, getFault, isNewest, NEWEST } from "./rpc-2026.js";
import { getNow, type Service } from "./state.js";
import { catchUp } from "./time.js";
import { callTool, type Result, toolError } from "./tool-calls.js";
import { differingHeader } from "./tool-headers.js";
import { listTools } from "./tools.js";

const MEDIA = ["application/json", "text/event-stream"];

/** Serves one message to the tool server. Sessions, streams and pages are the variant's choice. */
export function serveRpc(
  service: Service,
  sessions: Sessions,
  { method, headers, body, address }: IncomingRequest,
): ClientResponse {
  const { choices } = service;
  const visitor = admit(service, headers.authorization, address);
  if (isRefusal(visitor)) {
    const generic = refuse(401, "authentication_error", choices.code("not let in"), "A bearer key is wanted");
    const headers = choices.challenge ? { "www-authenticate": "Bearer" } : {};
    return render(choices, { ...generic, headers }, choices.token());
  }
  catchUp(visitor.world);
  const session = headers["mcp-session-id"];
  if (method === "DELETE") return plainResponse(sessions.delete(session ?? "") ? 200 : 404);
  if (method !== "POST") return plainResponse(405);
  if (choices.acceptStrict && !MEDIA.every((type) => headers.accept?.includes(type)))
    return render(choices, refuseAccept(choices), choices.token());
  const message = parse(body);
  if (!message) return json(400, { jsonrpc: "2.0", id: null, error: { code: -32700, message: "This is no message" } });
  const newest = isNewest(message, headers) || !choices.revisions.some(isEarlier);
  if (newest && message.id !== undefined) {
    const error = getFault(message, headers, choices.revisions);
    const { name, arguments: given } = isRecord(message.params) ? message.params : {};
    const header = message.method === "tools/call" && isRecord(given) && differingHeader(choices, name, given, headers);
    const other = header ? { code: -32020, message: `The header ${header} differs from the message` } : undefined;
    if (error ?? other) return json(400, { jsonrpc: "2.0", id: message.id, error: error ?? other });
  }
  const opens = message.method === "initialize" && !newest;
  if (
    choices.toolSessions &&
    !newest &&
    !opens &&
    !isOpen(sessions, session ?? "", getNow(visitor.world), choices.sessionMinutes)
  )
    return json(session === undefined ? 400 : 404, {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000, message: "Which session?" },
    });
  if (message.id === undefined) return plainResponse(202);
  const call = getCall(service, visitor);
  const isCall = message.method === "tools/call";
  const refusal = takeToolTurn(call, isCall);
  if (refusal && (choices.toolRetry === "http" || !isCall)) return render(choices, refusal, choices.token());
  const given = refusal ? tooMany(call, refusal) : newest ? performNewest(call, message) : perform(call, message);
  const response = newest && "result" in given ? { result: completeResult(message.method, given.result) } : given;
  if ("http" in response) return render(choices, response, choices.token());
  const made = opens && choices.toolSessions ? { "mcp-session-id": open(sessions, choices.token(), call.nowMs) } : {};
  const whole = { jsonrpc: "2.0", id: message.id, ...response };
  if (newest && "error" in response && (response.error as { code: number }).code === UNKNOWN_METHOD) return json(404, whole);
  return wrap(choices, whole, { ...choices.headers, ...made });
}

const UNKNOWN_METHOD = -32601;

function isEarlier(revision: string): boolean {
  return revision < NEWEST;
}

function refuseAccept({ code }: Choices): Refusal {
  return refuse(406, "invalid_request_error", code("not acceptable"), `Accept ${MEDIA.join(" and ")}`);
}

/** Sessions with the time of their last use. */
export type Sessions = Map<string, number>;

function open(sessions: Sessions, session: string, nowMs: number): string {
  sessions.set(session, nowMs);
  return session;
}

/** Whether a session is valid. One that was unused for long is not. */
function isOpen(sessions: Sessions, session: string, nowMs: number, minutes: number): boolean {
  const used = sessions.get(session);
  if (used === undefined || nowMs - used > minutes * 60_000) return false;
  sessions.set(session, nowMs);
  return true;
}

/** A tool call too many, in the variant's form. */
function tooMany({ choices }: Call, { refused, headers }: Refusal): Result {
  if (choices.toolRetry === "text") return toolError(`${refused.code}: wait ${headers?.["retry-after"]} seconds`);
  const error = { ...refused, retry_after: Number(headers?.["retry-after"]) };
  return toolError(JSON.stringify({ error }));
}

/** Every request counts, or only calls of tools. */
function takeToolTurn(call: Call, isCall: boolean): Refusal | undefined {
  const { choices, key, nowMs, workspace } = call;
  if (choices.toolMeters === "calls" && !isCall) return undefined;
  const own = { name: `${key?.id} tools`, perMinute: choices.perMinute.tools };
  const shared = { name: `${key?.id} all`, perMinute: choices.perMinute[workspace.plan] };
  const bounds = { own: [own, ...getCeiling(call)], shared: [own, shared, ...getCeiling(call)], "no ceiling": [own] };
  return countRequest(call, bounds[choices.toolBudget], nowMs);
}

function perform(call: Call, { method, params }: Record<string, unknown>): Result | Refusal {
  const given = isRecord(params) ? params : {};
  const named = isRecord(given.arguments) ? given.arguments : {};
  switch (method) {
    case "initialize":
      return { result: greet(call.choices, given.protocolVersion) };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: getPage("tools", listTools(call.choices), call.choices.toolPage, given.cursor) };
    case "tools/call":
      return callTool(call, given.name, named);
    case "prompts/list":
      return { result: { prompts: listPrompts() } };
    case "prompts/get": {
      const prompt = fillPrompt(String(given.name), named);
      return prompt ? { result: prompt } : { error: { code: -32602, message: "No such prompt, or an argument is missing" } };
    }
    default:
      return { error: { code: UNKNOWN_METHOD, message: "Not known here" } };
  }
}

/** Performs a request of the newest revision, which has no handshake and no ping. */
function performNewest(call: Call, message: Record<string, unknown>): Result | Refusal {
  const { method } = message;
  const given = ["initialize", "ping"].includes(String(method)) ? { ...message, method: undefined } : message;
  return method === "server/discover" ? { result: discoverResult(call.choices.revisions) } : perform(call, given);
}

function greet({ revisions, greeting }: Choices, asked: unknown): unknown {
  const revision = revisions.filter(isEarlier);
  return {
    ...greeting,
    protocolVersion: revision.includes(asked as string) ? asked : revision[0],
    capabilities: { tools: { listChanged: false }, prompts: {}, logging: {} },
    serverInfo: { name: "reference", version: "9" },
  };
}

function getPage(name: string, items: unknown[], size: number, cursor: unknown): Record<string, unknown> {
  const from = Number(cursor ?? 0);
  const next = from + size < items.length ? { nextCursor: String(from + size) } : {};
  return { [name]: items.slice(from, from + size), ...next };
}

function parse(body: IncomingRequest["body"]): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isRecord(value) && value.jsonrpc === "2.0" && typeof value.method === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function getCall({ choices }: Service, visitor: Caller): Call {
  return { ...visitor, choices, route: "", path: {}, query: {}, headers: {}, body: undefined, nowMs: getNow(visitor.world) };
}

function plainResponse(status: number): ClientResponse {
  return { status, headers: {}, text: "" };
}

function json(status: number, value: unknown): ClientResponse {
  return { status, headers: { "content-type": "application/json" }, text: JSON.stringify(value) };
}

/** The response as JSON, or in a stream: behind a remark and a notification, alone, or with other line ends and fields that a reader skips. */
function wrap({ toolStreams, streamForm }: Choices, message: unknown, headers: Record<string, string>): ClientResponse {
  const text = JSON.stringify(message);
  if (!toolStreams) return { status: 200, headers: { ...headers, "content-type": "application/json" }, text };
  const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "on it" } });
  const event = (data: string) => `event: message\ndata: ${data}\n\n`;
  const forms: Record<Choices["streamForm"], string> = {
    remarks: `: one moment\n\n${event(note)}${event(text)}`,
    bare: `data: ${text}\n\n`,
    returns: `retry: 3000\r\nid: 7\r\nevent: message\r\ndata:${text}\r\n\r\n`,
  };
  const type = "text/event-stream; charset=utf-8";
  return { status: 200, headers: { ...headers, "content-type": type }, text: forms[streamForm] };
}
