import type { Addresses } from "./introduction.js";
import type { IncomingMessage } from "./messages.js";
import type { Site } from "./site.js";

/** What a Host header may be: a name or an address, and a port. */
const hostAndPort = /^([\w.-]+|\[[0-9a-f:.]+\])(:\d+)?$/i;

/** The addresses of a mock as whoever asks reaches it: by the name that was asked for, which a mock on all interfaces does not know. */
export function addressesFor({ addresses }: Site, { headers }: IncomingMessage): Addresses {
  const name = hostAndPort.exec(headers.host ?? "")?.[1];
  if (name === undefined) return addresses;
  const named = Object.entries(addresses).map(([key, url]) => [key, url.replace(/(?<=^http:\/\/)(\[.*?\]|[^:/]+)/, name)]);
  return Object.fromEntries(named) as Addresses;
}
