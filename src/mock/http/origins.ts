import type { IncomingMessage } from "./messages.js";

/** The names of a mock. */
interface MockNames {
  /** Name of the host that the mock listens on. */
  host: string;
  allowHosts: readonly string[];
  publicNames: readonly string[];
}

/** The Host header that each mock accepted last: nearly all requests send the same one. */
const answered = new WeakMap<MockNames, string>();

/**
 * Why a request looks like a web page that got here under a rebound name, or null; on all hosts. On loopback only this machine's own names
 * are answered, and those that the user allows; on another address any name is, as a container's is not ours to know, unless some are
 * allowed. Pages of other origins are never answered.
 */
export function rebindingProblem(mock: MockNames, { headers }: IncomingMessage): string | null {
  const { host, origin } = headers;
  if (origin === undefined && host !== undefined && host === answered.get(mock)) return null;
  const { host: listensOn, allowHosts, publicNames } = mock;
  const onLoopback = isLoopback(listensOn);
  const isNamed = !onLoopback && allowHosts.length === 0;
  const names = [...allowHosts, ...publicNames];
  if (host !== undefined && !isNamed && !isOwnName(listensOn, host) && !isAllowed(names, host))
    return `The Host ${shown(host)} is not answered here: start the mock with --allow-host ${shown(hostNameIn(host))}, if it is yours.`;
  if (host !== undefined) answered.set(mock, host);
  if (origin === undefined || isLoopbackOrigin(origin)) return null;
  const page = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  const isOwn = page !== undefined && (isAllowed(names, page) || (isNamed && page === host));
  return isOwn ? null : `Pages of the Origin ${shown(origin)} are not answered here.`;
}

/** Whether the user allowed a name, as it stands in a Host header: by itself, by a domain that it ends with, or with any other. */
export function isAllowed(allowHosts: readonly string[], host: string): boolean {
  const name = hostNameIn(host);
  return allowHosts.some(
    (one) => one === "*" || one.toLowerCase() === name || (one.startsWith(".") && name.endsWith(one.toLowerCase())),
  );
}

/** A name of this machine; numbers cannot be rebound. */
function isOwnName(listensOn: string, host: string): boolean {
  const name = hostNameIn(host);
  return isLoopback(name) || name === listensOn.toLowerCase() || (!isLoopback(listensOn) && isAddress(name));
}

/** Whether a name is the number of an address. */
export function isAddress(name: string): boolean {
  return /^[\d.]+$|:/.test(name);
}

/** What a header said, short and without signs that could mean something. */
function shown(text: string): string {
  return text.replace(/[^\w.:[\]/-]/g, "?").slice(0, 100);
}

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

/** Whether an Origin header names a page served from this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  return host !== undefined && isLoopback(host);
}
