import { randomUUID } from "node:crypto";
import { admit, type Visitor } from "./access.js";
import { type Call, isRecord } from "./call.js";
import { type Answer, render } from "./edge.js";
import { takeTurn } from "./limits.js";
import { fillPrompt, listPrompts } from "./prompts.js";
import { isRefusal, refuse } from "./reply.js";
import type { Arrived } from "./rest.js";
import { nowOf, type Service } from "./state.js";
import { settle } from "./time.js";
import { callTool, type Result } from "./tool-calls.js";
import { listTools } from "./tools.js";

const VERSIONS = ["2025-03-26", "2025-06-18"];

/** Serves one message to the tool server. Sessions, streams and pages are the variant's choice. */
export function serveRpc(service: Service, sessions: Set<string>, { method, headers, body, address }: Arrived): Answer {
  const { choices } = service;
  const visitor = admit(service, headers.authorization, address);
  if (isRefusal(visitor)) {
    const generic = refuse(401, "authentication_error", choices.code("not let in"), "A bearer key is wanted");
    return render(choices, { ...generic, headers: { "www-authenticate": "Bearer" } }, randomUUID());
  }
  settle(visitor.world);
  const session = headers["mcp-session-id"];
  if (method === "DELETE") return plain(sessions.delete(session ?? "") ? 200 : 404);
  if (method !== "POST") return plain(405);
  const message = parse(body);
  if (!message) return json(400, { jsonrpc: "2.0", id: null, error: { code: -32700, message: "This is no message" } });
  const opens = message.method === "initialize";
  if (choices.tools.sessions && !opens && !sessions.has(session ?? ""))
    return json(session === undefined ? 400 : 404, {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32000, message: "Which session?" },
    });
  if (message.id === undefined) return plain(202);
  const call = callOf(service, visitor);
  const refused = takeToolTurn(call, String(message.method));
  if (refused && choices.tools.native) return render(choices, refused, randomUUID());
  const answer = refused ? { error: { code: -32029, message: refused.refused.code } } : perform(call, message);
  const made = opens && choices.tools.sessions ? { "mcp-session-id": open(sessions) } : {};
  return wrap(choices.tools.streams, { jsonrpc: "2.0", id: message.id, ...answer }, { ...choices.headers, ...made });
}

function open(sessions: Set<string>): string {
  const session = randomUUID();
  sessions.add(session);
  return session;
}

/** Every request counts, or only calls of tools. */
function takeToolTurn(call: Call, method: string) {
  const { choices, key, nowMs } = call;
  if (!choices.tools.native && method !== "tools/call") return undefined;
  const perMinute = Math.min(choices.perMinute.tools, key?.perMinute ?? Number.POSITIVE_INFINITY);
  return takeTurn(call, [{ name: `${key?.id} tools`, perMinute }], nowMs);
}

function perform(call: Call, { method, params }: Record<string, unknown>): Result {
  const given = isRecord(params) ? params : {};
  const named = isRecord(given.arguments) ? given.arguments : {};
  switch (method) {
    case "initialize":
      return { result: greet(given.protocolVersion) };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: pageOf("tools", listTools(call.choices), call.choices.tools.pageSize, given.cursor) };
    case "tools/call":
      return callTool(call, given.name, named);
    case "prompts/list":
      return { result: { prompts: listPrompts() } };
    case "prompts/get": {
      const prompt = fillPrompt(String(given.name), named);
      return prompt ? { result: prompt } : { error: { code: -32602, message: "No such prompt, or an argument is missing" } };
    }
    default:
      return { error: { code: -32601, message: "Not known here" } };
  }
}

function greet(asked: unknown): unknown {
  return {
    protocolVersion: VERSIONS.includes(asked as string) ? asked : VERSIONS[0],
    capabilities: { tools: { listChanged: false }, prompts: {}, logging: {} },
    serverInfo: { name: "reference", version: "9" },
  };
}

function pageOf(name: string, items: unknown[], size: number, cursor: unknown): Record<string, unknown> {
  const from = Number(cursor ?? 0);
  const next = from + size < items.length ? { nextCursor: String(from + size) } : {};
  return { [name]: items.slice(from, from + size), ...next };
}

function parse(body: Arrived["body"]): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isRecord(value) && value.jsonrpc === "2.0" && typeof value.method === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

function callOf({ choices }: Service, visitor: Visitor): Call {
  return { ...visitor, choices, route: "", path: {}, query: {}, headers: {}, body: undefined, nowMs: nowOf(visitor.world) };
}

function plain(status: number): Answer {
  return { status, headers: {}, text: "" };
}

function json(status: number, value: unknown): Answer {
  return { status, headers: { "content-type": "application/json" }, text: JSON.stringify(value) };
}

/** The answer as JSON, or in a stream behind a remark and a notification. */
function wrap(streams: boolean, message: unknown, headers: Record<string, string>): Answer {
  if (!streams)
    return { status: 200, headers: { ...headers, "content-type": "application/json" }, text: JSON.stringify(message) };
  const note = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "on it" } };
  const event = (value: unknown) => `event: message\ndata: ${JSON.stringify(value)}\n\n`;
  return {
    status: 200,
    headers: { ...headers, "content-type": "text/event-stream; charset=utf-8" },
    text: `: one moment\n\n${event(note)}${event(message)}`,
  };
}
