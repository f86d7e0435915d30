import { perform } from "../service/perform.js";
import { admitToolRequest, enterTools, performTool } from "../service/tools/perform-tool.js";
import { isLoopback } from "./address.js";
import { slipInMock } from "./check-options.js";
import { addWorld, foundingOf } from "./founding.js";
import { handleOf, isolatedHandleOf, orThrow } from "./handle.js";
import { type HostName, serveHost } from "./hosts.js";
import { endInterceptions } from "./in-process/doors.js";
import type { Addresses } from "./introduction.js";
import { readEntry } from "./journal-entry.js";
import { type Listening, listen } from "./listen.js";
import { type ToolSite, toolSiteOf } from "./mcp/options.js";
import type { Mock } from "./mock-world.js";
import type { MockOptions } from "./options.js";
import { isProblem, type Problem } from "./problems.js";
import { playRecording } from "./recording.js";
import type { Site } from "./site.js";
import { type Founding, openWorlds, type Worlds } from "./worlds.js";

export type { Mock } from "./mock-world.js";
export type { MockOptions } from "./options.js";

/** What a mock is made of beside its options. */
export type MockParts = Pick<Site, "service" | "recipeOf">;

/** A name that leads nowhere (RFC 6761), of a mock that does not listen. */
const nowhere = "mock.invalid";

/** The service as it is, and no recipe of any error: a mock knows of no scenario. */
const usualParts: MockParts = {
  service: { perform, enterTools, admitToolRequest, performTool },
  recipeOf: async () => null,
};

/** Starts a mock, or throws a sentence that says why it cannot: a wrong fixture, a port in use, a host without a token. */
export async function startMock(options: MockOptions = {}, parts: Partial<MockParts> = {}): Promise<Mock> {
  return orThrow(await openMock(options, parts));
}

/** Starts a mock, or says why it cannot. */
export async function openMock(options: MockOptions, parts: Partial<MockParts> = {}): Promise<Mock | Problem> {
  const slip = slipInMock(options);
  if (slip) return slip;
  const listens = options.listen ?? true;
  const host = listens ? (options.host ?? "127.0.0.1") : nowhere;
  if (listens && !isLoopback(host) && !options.adminToken) {
    return {
      problem: `The host ${host} can be reached from other machines, so the control plane needs an admin token: give one with --admin-token.`,
    };
  }
  const founding = await firstFounding(options);
  if ("problem" in founding) return founding;
  const tools = toolSiteOf(options.mcp);
  if ("problem" in tools) return tools;
  const whole = { ...usualParts, ...parts };
  const service = options.answers === undefined ? whole.service : playRecording(options.answers, whole.service);
  if ("problem" in service) return service;
  const site = siteOf(options, host, founding, tools, { ...whole, service });
  const listening = listens ? await openHosts(site, options) : pretendHosts(site, options);
  return "problem" in listening ? listening : mockOf(site, listening);
}

function mockOf(site: Site, listening: Listening[]): Mock {
  const close = () => {
    endInterceptions(site);
    return closeAll(listening);
  };
  return {
    ...handleOf(site, site.worlds.default),
    world: async (wishes = {}) => isolatedHandleOf(site, orThrow(await addWorld(site, wishes))),
    worlds: () => [...site.worlds.byId.keys()],
    close,
    [Symbol.asyncDispose]: close,
  };
}

function firstFounding(options: MockOptions): Promise<Founding | Problem> {
  return foundingOf(options, {
    seed: 1,
    mode: "real",
    skip: "off",
    options: { limits: options.limits ?? "text" },
    grease: false,
  });
}

function siteOf(options: MockOptions, host: string, founding: Founding, tools: ToolSite, parts: MockParts): Site {
  return {
    ...parts,
    worlds: openWorlds(founding, options.journal ?? 1000, teller(options)),
    tools,
    addresses: { api_url: "", app_url: "", docs_url: "", mcp_url: "", control_url: "" },
    host,
    allowHosts: options.allowHosts ?? [],
    adminToken: options.adminToken ?? null,
    trustClientIp: options.trustClientIp ?? false,
    interceptions: new Map(),
  };
}

function teller({ onCall }: MockOptions): Worlds["onCall"] {
  return onCall ? ({ world }, entry, number) => onCall(readEntry(entry, number, world), world.id) : null;
}

/** Opens the three hosts and tells the site their addresses; all or none. */
async function openHosts(site: Site, { port = 0, appPort = 0, docsPort = 0 }: MockOptions): Promise<Listening[] | Problem> {
  const ports: Record<HostName, number> = { api: port, app: appPort, docs: docsPort };
  const listening: Listening[] = [];
  for (const name of Object.keys(ports) as HostName[]) {
    const host = await openHost(site, name, ports[name]);
    if (isProblem(host)) {
      await closeAll(listening);
      return host;
    }
    listening.push(host);
    site.addresses[`${name}_url`] = host.url;
  }
  completeAddresses(site.addresses);
  return listening;
}

/** Gives the three hosts addresses at which nobody listens. */
function pretendHosts({ addresses }: Site, { port = 4010, appPort = 4011, docsPort = 4012 }: MockOptions): Listening[] {
  Object.assign(addresses, {
    api_url: `http://${nowhere}:${port}`,
    app_url: `http://${nowhere}:${appPort}`,
    docs_url: `http://${nowhere}:${docsPort}`,
  });
  completeAddresses(addresses);
  return [];
}

function completeAddresses(addresses: Addresses): void {
  addresses.mcp_url = `${addresses.api_url}/mcp/`;
  addresses.control_url = `${addresses.api_url}/__mock`;
}

async function openHost(site: Site, name: HostName, port: number): Promise<Listening | Problem> {
  try {
    return await listen(
      site.host,
      port,
      (request, response) => serveHost(name, site, request, response),
      () => site.worlds.default.world,
    );
  } catch (error) {
    return { problem: explainListen(error as NodeJS.ErrnoException, site.host, port) };
  }
}

async function closeAll(listening: Listening[]): Promise<void> {
  await Promise.all(listening.map((one) => one.close()));
}

function explainListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use; choose another, or 0 for any free one.`;
    case "EACCES":
      return `Port ${port} of ${host} may not be opened by this user; choose one above 1023.`;
    default:
      return `Cannot listen on port ${port} of ${host}: ${message}`;
  }
}
