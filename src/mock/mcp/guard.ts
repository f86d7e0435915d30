import type { IncomingMessage } from "node:http";
import { isLoopback } from "../address.js";
import { isLoopbackOrigin } from "../cors.js";

/**
 * Why a request looks like a web page that got here under a rebound name, or null. On loopback only this machine's own names are
 * answered; on another address any name is, as a container's is not ours to know. Pages of other origins are never answered.
 */
export function rebound(listensOn: string, { headers }: IncomingMessage): string | null {
  const { host, origin } = headers;
  if (isLoopback(listensOn) && !(host !== undefined && isLoopback(host))) return "This Host is not answered here.";
  if (origin === undefined || isLoopbackOrigin(origin)) return null;
  const isOwn = !isLoopback(listensOn) && /^https?:\/\/(.+)$/.exec(origin)?.[1] === host;
  return isOwn ? null : "Pages of this Origin are not answered here.";
}
