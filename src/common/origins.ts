import type { IncomingHttpHeaders } from "node:http";

/** The names of a mock or a proxy. */
export interface ServerNames {
  /** Name of the host that it listens on. */
  host: string;
  allowHosts: readonly string[];
  publicNames: readonly string[];
}

/** The program that listens, as its messages name it. */
type Program = "mock" | "proxy";

/** The Host header that each server accepted last. Nearly all requests send the same one. */
const lastAcceptedHost = new WeakMap<ServerNames, string>();

/**
 * Returns why a request may come from a web page through DNS rebinding, or null. On a loopback address, the server accepts the names of this
 * machine and the allowed names. On any other address it accepts every name, unless some names are allowed. It never accepts pages of other
 * origins.
 */
export function findRebindingProblem(
  server: ServerNames,
  { headers }: { readonly headers: IncomingHttpHeaders },
  program: Program = "mock",
): string | null {
  const { host, origin } = headers;
  if (origin === undefined && host !== undefined && host === lastAcceptedHost.get(server)) return null;
  const { host: listensOn, allowHosts, publicNames } = server;
  const onLoopback = isLoopback(listensOn);
  const isNamed = !onLoopback && allowHosts.length === 0;
  const names = [...allowHosts, ...publicNames];
  if (host !== undefined && !isNamed && !isOwnName(listensOn, host) && !isAllowed(names, host))
    return `The Host ${quoteHeader(host)} is not a name of this ${program}. If it is yours, start the ${program} with --allow-host ${quoteHeader(readHostName(host))}.`;
  if (host !== undefined) lastAcceptedHost.set(server, host);
  if (origin === undefined || isLoopbackOrigin(origin)) return null;
  const page = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  const isOwn = page !== undefined && (isAllowed(names, page) || (isNamed && page === host));
  return isOwn ? null : `Pages of the origin ${quoteHeader(origin)} may not use this ${program}.`;
}

/** Returns whether the user allowed the name in a Host header: the name itself, a domain that it ends with, or `*`. */
export function isAllowed(allowHosts: readonly string[], host: string): boolean {
  const name = readHostName(host);
  return allowHosts.some(
    (allowHost) =>
      allowHost === "*" ||
      allowHost.toLowerCase() === name ||
      (allowHost.startsWith(".") && name.endsWith(allowHost.toLowerCase())),
  );
}

/** Returns whether a name is a name of this machine. DNS rebinding cannot use an IP address. */
function isOwnName(listensOn: string, host: string): boolean {
  const name = readHostName(host);
  return isLoopback(name) || name === listensOn.toLowerCase() || (!isLoopback(listensOn) && isAddress(name));
}

/** Returns whether a name is an IP address. */
export function isAddress(name: string): boolean {
  return /^[\d.]+$|:/.test(name);
}

/** Returns the beginning of a header value, without special characters. */
function quoteHeader(text: string): string {
  return text.replace(/[^\w.:[\]/-]/g, "?").slice(0, 100);
}

/** Returns the name in a Host header or an address, in lower case, without brackets and port. */
export function readHostName(host: string): string {
  const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host);
  // a value with more than one colon and no brackets is an IPv6 address without a port
  return (parts?.[1] ?? parts?.[2] ?? host).toLowerCase();
}

/** Returns whether a host name means only this machine. Brackets and a port are allowed. */
export function isLoopback(host: string): boolean {
  const name = readHostName(host);
  return /^(.+\.)?localhost\.?$/.test(name) || isLoopbackV6(name) || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/** `::1` in any spelling, and IPv4 loopback addresses written as IPv6. */
function isLoopbackV6(name: string): boolean {
  if (!name.includes(":") || !URL.canParse(`http://[${name}]`)) return false;
  const { hostname } = new URL(`http://[${name}]`);
  return hostname === "[::1]" || /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(hostname);
}

/** Returns whether an Origin header names a page of this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  return host !== undefined && isLoopback(host);
}
