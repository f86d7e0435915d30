import { buildCorsHeaders } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { formatDate, writeJson } from "../http/response.js";
import type { ToolSession } from "../worlds/tool-sessions.js";

/** Sends one message as a stream of server-sent events and ends it. Returns the message's text. */
export function sendEvent(
  request: IncomingMessage,
  response: ServerResponse,
  message: unknown,
  headers: Record<string, string>,
  now: number,
): string {
  writeHead(request, response, headers, now);
  const text = writeJson(message);
  response.end(`event: message\ndata: ${text}\n\n`);
  return text;
}

/** Opens the standing stream of a session. The server sends nothing on it. It ends when the session ends or its client disconnects. */
export function openStream(request: IncomingMessage, response: ServerResponse, session: ToolSession, now: number): void {
  session.stream = response;
  response.on("close", () => {
    if (session.stream === response) session.stream = null;
  });
  writeHead(request, response, { "mcp-session-id": session.id }, now);
  response.flushHeaders();
}

function writeHead(request: IncomingMessage, response: ServerResponse, headers: Record<string, string>, now: number): void {
  const head = [
    "date",
    formatDate(now),
    "content-type",
    "text/event-stream",
    "cache-control",
    "no-cache",
    "x-accel-buffering",
    "no",
    ...Object.entries(headers).flat(),
  ];
  response.sendDate = false;
  response.writeHead(200, [...head, ...buildCorsHeaders(request)]);
}
