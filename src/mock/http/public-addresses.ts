import { readHostName } from "../../common/origins.js";
import type { Problem } from "../../common/problem.js";
import type { HostName } from "./host-names.js";
import type { IncomingMessage } from "./messages.js";

/** The addresses of a running mock. */
export interface Addresses {
  api_url: string;
  app_url: string;
  docs_url: string;
  /** Address of the tool server, with a trailing slash. */
  mcp_url: string;
  control_url: string;
}

/** The options for a mock behind a proxy: the addresses by which clients reach its hosts. */
interface PublicOptions {
  publicUrl?: string;
  publicAppUrl?: string;
  publicDocsUrl?: string;
}

/** The form of a Host header: a name or an address, and a port. */
const hostAndPort = /^([\w.-]+|\[[0-9a-f:.]+\])(:\d+)?$/i;

/** Returns the addresses of a mock with the name in the client's Host header. A mock on all interfaces does not know its name. */
export function readAddresses(
  { addresses, publicNames }: { addresses: Addresses; publicNames: readonly string[] },
  { headers }: IncomingMessage,
): Addresses {
  const name = hostAndPort.exec(headers.host ?? "")?.[1];
  if (name === undefined || publicNames.length > 0) return addresses;
  const named = Object.entries(addresses).map(([key, url]) => [key, url.replace(/(?<=^http:\/\/)(\[.*?\]|[^:/]+)/, name)]);
  return Object.fromEntries(named) as Addresses;
}

/** Returns all addresses of a mock from the addresses of its hosts, or from those of the proxy. */
export function buildAddresses(hosts: Readonly<Record<HostName, string>>, publicOptions: PublicOptions): Addresses {
  const api_url = publicOptions.publicUrl === undefined ? hosts.api : readOrigin(publicOptions.publicUrl);
  const other = (name: "app" | "docs", own: string | undefined) => {
    if (own !== undefined) return readOrigin(own);
    return publicOptions.publicUrl === undefined ? hosts[name] : `${api_url}/__mock/hosts/${name}`;
  };
  return {
    api_url,
    app_url: other("app", publicOptions.publicAppUrl),
    docs_url: other("docs", publicOptions.publicDocsUrl),
    mcp_url: `${api_url}/mcp/`,
    control_url: `${api_url}/__mock`,
  };
}

/** Returns the host names in the public addresses, or a problem if the API address is missing. The options are valid. */
export function listPublicNames({ publicUrl, publicAppUrl, publicDocsUrl }: PublicOptions): string[] | Problem {
  const given = [publicUrl, publicAppUrl, publicDocsUrl].flatMap((url) => url ?? []);
  const names = given.map((url) => readHostName(new URL(url).host));
  if (names.length === 0 || publicUrl !== undefined) return names;
  return { problem: "--public-app-url and --public-docs-url need --public-url." };
}

/** Returns whether a text is an http or https address without a path. */
export function isOrigin(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && pathname === "/" && search + hash + username + password === "";
}

function readOrigin(url: string): string {
  return new URL(url).origin;
}
