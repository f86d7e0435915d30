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
 * Returns why a request can come from a web page by DNS rebinding, or null. On a loopback address the mock accepts this
 * machine's own names and the allowed names. On any other address it accepts every name, unless some are allowed. It never
 * accepts pages of other origins.
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

/** Tells whether the user allowed a name of a Host header: the name itself, a domain that it ends with, or `*`. */
export function isAllowed(allowHosts: readonly string[], host: string): boolean {
  const name = hostNameIn(host);
  return allowHosts.some(
    (one) => one === "*" || one.toLowerCase() === name || (one.startsWith(".") && name.endsWith(one.toLowerCase())),
  );
}

/** Tells whether a name is this machine's own. DNS rebinding cannot use an IP address. */
function isOwnName(listensOn: string, host: string): boolean {
  const name = hostNameIn(host);
  return isLoopback(name) || name === listensOn.toLowerCase() || (!isLoopback(listensOn) && isAddress(name));
}

/** Tells whether a name is an IP address. */
export function isAddress(name: string): boolean {
  return /^[\d.]+$|:/.test(name);
}

/** Returns the text of a header, short and without special characters. */
function shown(text: string): string {
  return text.replace(/[^\w.:[\]/-]/g, "?").slice(0, 100);
}

/**
 * Returns the caller's address: the socket's, or null when the socket has none. Reads `X-Mock-Client-IP` only where the mock
 * was started to trust it; never other forwarding headers.
 */
export function clientAddress(request: IncomingMessage, trustClientIp: boolean): string | null {
  const claimed = trustClientIp ? request.headers["x-mock-client-ip"] : undefined;
  return typeof claimed === "string" ? claimed : (request.socket.remoteAddress ?? null);
}

/** Returns the name in a Host header or an address, in lower case, without brackets and port. */
export function hostNameIn(host: string): string {
  const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host);
  // what has more colons than a port needs is a bare IPv6 address
  return (parts?.[1] ?? parts?.[2] ?? host).toLowerCase();
}

/** Tells whether a host name means this machine only. Brackets and a port are allowed. */
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

/** Tells whether an Origin header names a page of this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  return host !== undefined && isLoopback(host);
}
