import { hostNameIn, isLoopback } from "./client-address.js";
import { isLoopbackOrigin } from "./cors.js";
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
