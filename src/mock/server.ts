import { createHash } from "node:crypto";
import { perform } from "../service/perform.js";
import { admitToolRequest, enterTools, performTool } from "../service/tools/perform-tool.js";
import { isLoopback } from "./address.js";
import { addressesOf, publicNamesOf } from "./addresses.js";
import { slipInMock } from "./check-options.js";
import { joinedReport } from "./control/client-report.js";
import { nameOfFixture } from "./fixtures.js";
import type { Fleet } from "./fleet.js";
import { addWorld, foundingOf } from "./founding.js";
import { handleOf, isolatedHandleOf, orThrow } from "./handle.js";
import type { HostName } from "./host-names.js";
import { serveHost } from "./hosts.js";
import { endInterceptions } from "./in-process/doors.js";
import { readEntry } from "./journal-entry.js";
import { type Listening, listen } from "./listen.js";
import { type ToolSite, toolSiteOf } from "./mcp/options.js";
import type { Mock } from "./mock-world.js";
import type { MockOptions } from "./options.js";
import { explainPort, portsOf } from "./ports.js";
import { isProblem, type Problem } from "./problems.js";
import { answerAsRecorded } from "./recorded-answers.js";
import { type RecordingPart, recordTo, versionOfToolkit } from "./replay/record-file.js";
import { rewindWorld } from "./replay/rewind.js";
import type { Site } from "./site.js";
import type { WorkerPart } from "./workers/join.js";
import { home } from "./workers/place.js";
import { type Founding, openWorlds, type Worlds } from "./worlds.js";

export type { Mock } from "./mock-world.js";
export type { MockOptions } from "./options.js";

/** What a mock is made of beside its options; with the address of a store it is one of several, with a part as a worker one process of several. */
export type MockParts = Pick<Site, "service" | "recipeOf"> &
  Pick<Worlds, "keeper"> & { store: string | undefined; worker: WorkerPart | undefined };

/** A name that leads nowhere (RFC 6761), of a mock that does not listen. */
const nowhere = "mock.invalid";

/** The service as it is, and no recipe of any error: a mock knows of no scenario. */
const usualParts: MockParts = {
  service: { perform, enterTools, admitToolRequest, performTool },
  recipeOf: async () => null,
  keeper: null,
  store: undefined,
  worker: undefined,
};

/** Starts a mock, or throws a sentence that says why it cannot: a wrong fixture, a port in use, a host without a token. */
export async function startMock(options: MockOptions = {}, parts: Partial<MockParts> = {}): Promise<Mock> {
  return orThrow(await openMock(options, parts));
}

/** Starts a mock, or says why it cannot. */
export async function openMock(options: MockOptions, parts: Partial<MockParts> = {}): Promise<Mock | Problem> {
  const slip = slipInMock(options) ?? portsProblem(options);
  if (slip) return slip;
  if (options.record !== undefined && parts.store !== undefined)
    return { problem: "A recording is of one mock, and a store is for several: give --record or --store, not both." };
  const recording = options.record === undefined ? null : recordTo(options.record, options, recordingPartOf(parts.worker));
  if (recording && isProblem(recording)) return recording;
  const site = await openSite(options, { ...parts, ...(recording && { keeper: recording.keeper }) });
  if (isProblem(site)) {
    recording?.end();
    return site;
  }
  const fleet = parts.store === undefined ? null : await join(site, parts.store, options);
  if (fleet && isProblem(fleet)) return fleet;
  site.fleet = fleet;
  const listening = await openDoors(site, options, parts.worker);
  if ("problem" in listening) {
    recording?.end();
    await fleet?.close();
    return listening;
  }
  recording?.start(site.addresses);
  return mockOf(site, listening, async () => {
    recording?.end();
    await fleet?.close();
  });
}

function portsProblem(options: MockOptions): Problem | null {
  const ports = portsOf(options);
  return isProblem(ports) ? ports : null;
}

/** Makes the mock one of several. All have to be alike in whatever answers depend on beside the worlds. */
async function join(site: Site, store: string, options: MockOptions): Promise<Fleet | Problem> {
  const { fixture, ...founding } = site.worlds.default.founding;
  const { mcp = {}, journal = 1000, trustClientIp = false, answers } = options;
  const grounds = {
    fixture: nameOfFixture(fixture) ?? digestOf(fixture),
    ...founding,
    mcp,
    journal,
    trustClientIp,
    ...(answers !== undefined && { answers: digestOf({ answers }) }),
  };
  const { joinFleet } = await import("./store/open.js"); // loads what speaks to it
  return joinFleet(site, store, { version: versionOfToolkit(), ...grounds });
}

function digestOf(fixture: object): string {
  return createHash("sha256").update(JSON.stringify(fixture)).digest("base64url").slice(0, 16);
}

/** Readies a mock that does not listen anywhere: for whoever plays a log. */
export async function openSite(options: MockOptions, parts: Partial<MockParts> = {}): Promise<Site | Problem> {
  const slip = slipInMock(options);
  if (slip) return slip;
  const listens = options.listen ?? true;
  const host = listens ? (options.host ?? "127.0.0.1") : nowhere;
  if (listens && !isLoopback(host) && !options.adminToken) {
    return {
      problem: `The host ${host} can be reached from other machines, so the control plane needs an admin token: give one with --admin-token.`,
    };
  }
  const publicNames = publicNamesOf(options);
  if ("problem" in publicNames) return publicNames;
  const founding = await firstFounding(options);
  if ("problem" in founding) return founding;
  const tools = toolSiteOf(options.mcp);
  if ("problem" in tools) return tools;
  const whole = { ...usualParts, ...parts };
  const service = options.answers === undefined ? whole.service : answerAsRecorded(options.answers, whole.service);
  if ("problem" in service) return service;
  return siteOf({ ...options, host }, publicNames, founding, tools, { ...whole, service });
}

function mockOf(site: Site, listening: Listening[], end: () => Promise<void>): Mock {
  const close = () => {
    endInterceptions(site);
    return closeAll(listening).then(end);
  };
  return {
    ...handleOf(site, site.worlds.default),
    world: async (wishes = {}) => isolatedHandleOf(site, orThrow(await addWorld(site, wishes))),
    joinedClientReport: async () => orThrow(await joinedReport(site)),
    worlds: () => [...site.worlds.byId.keys()],
    close,
    [Symbol.asyncDispose]: close,
  };
}

function firstFounding(options: MockOptions): Promise<Founding | Problem> {
  return foundingOf(options, { seed: 1, mode: "real", skip: "off", options: {}, grease: false });
}

function siteOf(
  options: MockOptions & Pick<Site, "host">,
  publicNames: readonly string[],
  founding: Founding,
  tools: ToolSite,
  { keeper, service, recipeOf }: MockParts,
): Site {
  const site: Site = {
    service,
    recipeOf,
    worlds: openWorlds(founding, options.journal ?? 1000, { onCall: teller(options), keeper }),
    tools,
    addresses: { api_url: "", app_url: "", docs_url: "", mcp_url: "", control_url: "" },
    host: options.host,
    allowHosts: options.allowHost ?? [],
    publicNames,
    adminToken: options.adminToken ?? null,
    trustClientIp: options.trustClientIp ?? false,
    fleet: null,
    siblings: null,
    interceptions: new Map(),
    rewind: (hosted, to) => rewindWorld(site, hosted, to),
  };
  return site;
}

function teller({ onCall }: MockOptions): Worlds["onCall"] {
  return onCall ? ({ world }, entry, number) => onCall(readEntry(entry, number, world), world.id) : null;
}

async function openDoors(site: Site, options: MockOptions, worker: WorkerPart | undefined): Promise<Listening[] | Problem> {
  if (options.listen === false) return pretendHosts(site, options);
  if (!worker) return openHosts(site, options);
  const { joinWorkers } = await import("./workers/join.js");
  return joinWorkers(site, options, worker);
}

function recordingPartOf(worker: WorkerPart | undefined): RecordingPart | undefined {
  return worker && { joins: worker.again || worker.index !== home, hasDefault: worker.index === home };
}

/** Opens the three hosts and tells the site their addresses; all or none. */
async function openHosts(site: Site, options: MockOptions): Promise<Listening[] | Problem> {
  const ports = portsOf(options);
  if (isProblem(ports)) return ports;
  const urls = { api: "", app: "", docs: "" };
  const listening: Listening[] = [];
  for (const name of Object.keys(ports) as HostName[]) {
    const host = await openHost(site, name, ports[name], options);
    if (isProblem(host)) {
      await closeAll(listening);
      return host;
    }
    listening.push(host);
    urls[name] = host.url;
  }
  Object.assign(site.addresses, addressesOf(urls, options));
  return listening;
}

/** Gives the three hosts addresses at which nobody listens. */
function pretendHosts({ addresses }: Site, options: MockOptions): Listening[] | Problem {
  const ports = portsOf({ ...options, port: options.port || 4010 });
  if (isProblem(ports)) return ports;
  const at = (name: HostName) => `http://${nowhere}:${ports[name]}`;
  Object.assign(addresses, addressesOf({ api: at("api"), app: at("app"), docs: at("docs") }, options));
  return [];
}

async function openHost(site: Site, name: HostName, port: number, options: MockOptions): Promise<Listening | Problem> {
  try {
    return await listen(
      site.host,
      port,
      (request, response) => serveHost(name, site, request, response),
      () => site.worlds.default,
    );
  } catch (error) {
    return { problem: explainPort(error as NodeJS.ErrnoException, name, port, options, site.host) };
  }
}

async function closeAll(listening: Listening[]): Promise<void> {
  await Promise.all(listening.map((one) => one.close()));
}
