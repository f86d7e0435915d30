import type { IncomingMessage } from "./messages.js";

/**
 * The caller's address: the socket's, or null when it is gone. Forwarding headers are never believed; `X-Mock-Client-IP` is, when the
 * mock was started so, to test network fences from one machine. KEY-FENCE-CLOSED.
 */
export function clientAddress(request: IncomingMessage, trustClientIp: boolean): string | null {
  const claimed = trustClientIp ? request.headers["x-mock-client-ip"] : undefined;
  return typeof claimed === "string" ? claimed : (request.socket.remoteAddress ?? null);
}

/** The name in a Host header or an address, in lower case, without brackets and port. */
export function hostNameIn(host: string): string {
  const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host);
  // what has more colons than a port needs is a bare IPv6 address
  return (parts?.[1] ?? parts?.[2] ?? host).toLowerCase();
}

/** Whether a host name, as it stands in an address or a Host header (brackets and port allowed), means this machine only. */
export function isLoopback(host: string): boolean {
  const name = hostNameIn(host);
  return /^(.+\.)?localhost\.?$/.test(name) || isLoopbackV6(name) || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** `::1` in any spelling, and the IPv4 loopback as IPv6. */
function isLoopbackV6(name: string): boolean {
  if (!name.includes(":") || !URL.canParse(`http://[${name}]`)) return false;
  const { hostname } = new URL(`http://[${name}]`);
  return hostname === "[::1]" || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname);
}
