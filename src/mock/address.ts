import type { IncomingMessage } from "./messages.js";

/**
 * The caller's address: the socket's, or null when it is gone. Forwarding headers are never believed; `X-Mock-Client-IP` is, when the
 * mock was started so, to test network fences from one machine. KEY-FENCE-CLOSED.
 */
export function clientAddress(request: IncomingMessage, trustClientIp: boolean): string | null {
  const claimed = trustClientIp ? request.headers["x-mock-client-ip"] : undefined;
  return typeof claimed === "string" ? claimed : (request.socket.remoteAddress ?? null);
}

/** Whether a host name, as it stands in an address or a Host header (brackets and port allowed), means this machine only. */
export function isLoopback(host: string): boolean {
  const name = host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
  return name === "localhost" || name === "::1" || name === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(name);
}
