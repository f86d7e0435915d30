import { isLoopbackOrigin } from "../../common/origins.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";

/** Returns the headers that let a page of this machine, such as the explorer, read a response. Returns none for any other origin. */
export function buildCorsHeaders(request: IncomingMessage): string[] {
  const { origin } = request.headers;
  if (origin === undefined || !isLoopbackOrigin(origin)) return [];
  return [
    "access-control-allow-origin",
    origin,
    "vary",
    "origin",
    "access-control-expose-headers",
    "retry-after, x-request-id, allow, preference-applied, warning, mcp-session-id",
  ];
}

/** Answers a preflight request of a page of this machine. Returns false for any other request. */
export function respondToPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false;
  const allowed = buildCorsHeaders(request);
  if (allowed.length === 0) return false;
  const headers = request.headers["access-control-request-headers"] ?? "authorization, content-type, idempotency-key, prefer";
  response.writeHead(204, [
    ...allowed,
    "access-control-allow-methods",
    "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers",
    headers,
    "access-control-max-age",
    "600",
  ]);
  response.end();
  return true;
}
