import type { IncomingMessage } from "./messages.js";

/**
 * Returns the address of the caller: the address of the socket, or null without a socket. Reads `X-Mock-Client-IP` only if the mock was
 * started to trust it. Ignores other forwarding headers.
 */
export function readClientAddress(request: IncomingMessage, trustClientIp: boolean): string | null {
  const claimed = trustClientIp ? request.headers["x-mock-client-ip"] : undefined;
  return typeof claimed === "string" ? claimed : (request.socket.remoteAddress ?? null);
}
