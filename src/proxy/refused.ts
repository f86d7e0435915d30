import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { chooseStatus, isIncompleteRequest, parseRequestLine, type UnreadableBytes } from "../common/unreadable-request.js";

/** A request that the proxy cannot forward and answers itself. */
export interface RefusedRequest {
  method: string;
  url: string;
  status: keyof typeof REFUSAL_REASONS | 403;
  /** Why the proxy cannot forward it. */
  why: string;
}

const REFUSAL_REASONS = {
  400: "it is not valid HTTP",
  405: "the proxy opens no tunnels",
  408: "it did not arrive in time",
  431: "its headers are too long",
} as const;

/** Answers the requests for which Node calls no listener for requests, and passes each of them to `onRefused`. */
export function respondToRefused(server: Server, onRefused: (refusedRequest: RefusedRequest) => void): void {
  const over = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, request: { method: string; url: string }, status: keyof typeof REFUSAL_REASONS) => {
    if (over.has(socket)) return; // Node reports the bytes that follow once more
    over.add(socket);
    const refused = { ...request, status, why: REFUSAL_REASONS[status] };
    onRefused(refused);
    endConnection(socket, refused);
  };
  server.on("clientError", (error: UnreadableBytes, socket) => {
    if (isIncompleteRequest(error)) socket.destroy();
    else refuse(socket, parseRequestLine(error), chooseStatus(error));
  });
  server.on("connect", ({ url = "" }: IncomingMessage, socket) => refuse(socket, { method: "CONNECT", url }, 405));
}

/** Answers 403 to a request that a web page of another origin may have sent. */
export function refuseOrigin({ method = "", url = "" }: IncomingMessage, response: ServerResponse, why: string): RefusedRequest {
  response.writeHead(403, {
    "content-type": "application/json",
    "x-counterpart-proxy": "permission_denied",
    connection: "close",
  });
  response.end(writeRefusal("permission_denied", "permission_error", why));
  return { method, url, status: 403, why };
}

/** Returns the body of a refusal: the error envelope of the service. */
export function writeRefusal(code: string, type: string, message: string): string {
  return JSON.stringify({ error: { type, code, message, request_id: "proxy" } });
}

/** Sends a refusal and ends the connection. Part of an earlier response may be on its way; then the proxy only ends the connection. */
function endConnection(
  socket: Duplex & { _httpMessage?: { headersSent: boolean } | null },
  { status, why }: RefusedRequest,
): void {
  if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
  const text = writeRefusal("bad_request", "invalid_request_error", `The proxy did not forward the request: ${why}.`);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    "x-counterpart-proxy: bad_request",
    ...(status === 405 ? ["allow:"] : []),
    "connection: close",
  ];
  socket.end([...head, "", text].join("\r\n"));
  socket.resume();
  setTimeout(() => socket.destroy(), 1000).unref(); // closing over unread bytes would reset the connection before the client reads the response
}
