import { createHash } from "node:crypto";
import { isProblem, type Problem } from "../common/problem.js";
import { refuse } from "../service/call.js";
import { perform } from "../service/perform.js";
import { authenticateToolCaller, drawToolRequest, performTool } from "../service/tools/perform-tool.js";
import { outsideHandlers, sendRefusal } from "./call/outside-requests.js";
import { respondAsRecorded } from "./call/recorded-responses.js";
import { serveRest } from "./call/rest.js";
import type { Cluster } from "./cluster/cluster.js";
import type { WorkerPart } from "./cluster/workers/join.js";
import { firstWorker } from "./cluster/workers/place.js";
import type { MockContext } from "./context.js";
import { joinedReport } from "./control/client-report.js";
import { serveControl } from "./control/serve.js";
import { serveDocs } from "./docs/serve.js";
import type { HostName } from "./http/host-names.js";
import { hostsOf } from "./http/hosts.js";
import { type Listening, listen } from "./http/listen.js";
import { isLoopback } from "./http/origins.js";
import { explainPort, portsOf } from "./http/ports.js";
import { addressesOf, publicNamesOf } from "./http/public-addresses.js";
import { endInterceptions, requireWorld } from "./in-process/fetch-and-intercept.js";
import type { Mock } from "./in-process/mock-world.js";
import { handleOf, isolatedHandleOf, orThrow } from "./in-process/world-handle.js";
import { readEntry } from "./journal/read-entry.js";
import { type ToolServerSettings, toolServerSettings } from "./mcp/options.js";
import { serveTools } from "./mcp/serve.js";
import { type RecordingPart, recordTo, versionOfToolkit } from "./replay/record-file.js";
import { rewindWorld } from "./replay/rewind.js";
import { addWorld, configurationOf } from "./worlds/configuration.js";
import { nameOfFixture } from "./worlds/fixtures.js";
import { mockOptionsProblem } from "./worlds/option-validation.js";
import type { MockOptions } from "./worlds/options.js";
import { openWorlds, type WorldConfiguration, type Worlds } from "./worlds/worlds.js";

export type { Mock } from "./in-process/mock-world.js";
export type { MockOptions } from "./worlds/options.js";

/**
 * The parts of a mock besides its options. With the address of a store it joins a cluster; with a worker's part it is one process of
 * several.
 */
export type MockParts = Pick<MockContext, "service" | "recipeOf"> &
  Pick<Worlds, "recorder"> & { store: string | undefined; worker: WorkerPart | undefined };

/** A reserved name without an address (RFC 6761), for a mock that does not listen. */
const nowhere = "mock.invalid";

/** The service of the mock, without recipes of errors: the mock knows no scenario. */
const usualParts: MockParts = {
  service: { perform, authenticateToolCaller, drawToolRequest, performTool },
  recipeOf: async () => null,
  recorder: null,
  store: undefined,
  worker: undefined,
};

/** Starts a mock. Throws an error with a sentence if it cannot: an invalid fixture, a port in use, a host without a token. */
export async function startMock(options: MockOptions = {}, parts: Partial<MockParts> = {}): Promise<Mock> {
  return orThrow(await openMock(options, parts));
}

/** Starts a mock, or returns a problem. */
export async function openMock(options: MockOptions, parts: Partial<MockParts> = {}): Promise<Mock | Problem> {
  const mistake = mockOptionsProblem(options) ?? portsProblem(options);
  if (mistake) return mistake;
  if (options.record !== undefined && parts.store !== undefined)
    return { problem: "A recording contains one mock, and a store is for several mocks: give only one of --record and --store." };
  const recording = options.record === undefined ? null : recordTo(options.record, options, recordingPartOf(parts.worker));
  if (recording && isProblem(recording)) return recording;
  const context = await openContext(options, { ...parts, ...(recording && { recorder: recording.recorder }) });
  if (isProblem(context)) {
    recording?.end();
    return context;
  }
  const cluster = parts.store === undefined ? null : await join(context, parts.store, options);
  if (cluster && isProblem(cluster)) return cluster;
  context.cluster = cluster;
  const listening = await openAllHosts(context, options, parts.worker);
  if ("problem" in listening) {
    recording?.end();
    await cluster?.close();
    return listening;
  }
  recording?.start(context.addresses);
  return mockOf(context, listening, async () => {
    recording?.end();
    await cluster?.close();
  });
}

function portsProblem(options: MockOptions): Problem | null {
  const ports = portsOf(options);
  return isProblem(ports) ? ports : null;
}

/** Joins the mock to a cluster. All mocks of a cluster need the same options, except those that do not affect answers. */
async function join(context: MockContext, store: string, options: MockOptions): Promise<Cluster | Problem> {
  const { fixture, ...configuration } = context.worlds.default.configuration;
  const { mcp = {}, journal = 1000, trustClientIp = false, answers: responses } = options;
  const settings = {
    fixture: nameOfFixture(fixture) ?? digestOf(fixture),
    ...configuration,
    mcp,
    journal,
    trustClientIp,
    ...(responses !== undefined && { answers: digestOf({ answers: responses }) }),
  };
  const { joinCluster: joinFleet } = await import("./cluster/store/open.js"); // loads the client of the store
  return joinFleet(context, store, { version: versionOfToolkit(), ...settings });
}

function digestOf(fixture: object): string {
  return createHash("sha256").update(JSON.stringify(fixture)).digest("base64url").slice(0, 16);
}

/** Prepares a mock that does not listen, for example to replay a log. */
export async function openContext(options: MockOptions, parts: Partial<MockParts> = {}): Promise<MockContext | Problem> {
  const mistake = mockOptionsProblem(options);
  if (mistake) return mistake;
  const listens = options.listen ?? true;
  const host = listens ? (options.host ?? "127.0.0.1") : nowhere;
  if (listens && !isLoopback(host) && !options.adminToken) {
    return {
      problem: `The host ${host} can be reached from other machines, so the control plane needs an admin token: give one with --admin-token.`,
    };
  }
  const publicNames = publicNamesOf(options);
  if ("problem" in publicNames) return publicNames;
  const configuration = await defaultConfiguration(options);
  if ("problem" in configuration) return configuration;
  const tools = toolServerSettings(options.mcp);
  if ("problem" in tools) return tools;
  const whole = { ...usualParts, ...parts };
  const service = options.answers === undefined ? whole.service : respondAsRecorded(options.answers, whole.service);
  if ("problem" in service) return service;
  return contextOf({ ...options, host }, publicNames, configuration, tools, { ...whole, service });
}

function mockOf(context: MockContext, listening: Listening[], end: () => Promise<void>): Mock {
  const close = () => {
    context.isClosed = true;
    endInterceptions(context);
    return closeAll(listening).then(end);
  };
  return {
    ...handleOf(context, context.worlds.default),
    world: async (given = {}) => {
      requireWorld(context, context.worlds.default);
      return isolatedHandleOf(context, orThrow(await addWorld(context, given)));
    },
    joinedClientReport: async () => orThrow(await joinedReport(context)),
    worlds: () => [...context.worlds.byId.keys()],
    close,
    [Symbol.asyncDispose]: close,
  };
}

function defaultConfiguration(options: MockOptions): Promise<WorldConfiguration | Problem> {
  return configurationOf(options, { seed: 1, clock: "real", skip: "off", options: {}, variations: false });
}

const serveHost = hostsOf({
  control: serveControl,
  docs: serveDocs,
  tools: serveTools,
  rest: serveRest,
  refuse: (context, request, response, { code, message }) =>
    sendRefusal(request, response, context.worlds.default, refuse(code, { message })),
});

function contextOf(
  options: MockOptions & Pick<MockContext, "host">,
  publicNames: readonly string[],
  configuration: WorldConfiguration,
  tools: ToolServerSettings,
  { recorder, service, recipeOf }: MockParts,
): MockContext {
  const context: MockContext = {
    service,
    recipeOf,
    worlds: openWorlds(configuration, options.journal ?? 1000, { onCall: callListener(options), recorder }),
    tools,
    serve: serveHost,
    addresses: { api_url: "", app_url: "", docs_url: "", mcp_url: "", control_url: "" },
    host: options.host,
    allowHosts: options.allowHost ?? [],
    publicNames,
    adminToken: options.adminToken ?? null,
    trustClientIp: options.trustClientIp ?? false,
    cluster: null,
    otherWorkers: null,
    interceptions: new Map(),
    isClosed: false,
    rewind: (worldEntry, to) => rewindWorld(context, worldEntry, to),
  };
  return context;
}

function callListener({ onCall }: MockOptions): Worlds["onCall"] {
  return onCall ? ({ world }, entry, number) => onCall(readEntry(entry, number, world), world.id) : null;
}

async function openAllHosts(
  context: MockContext,
  options: MockOptions,
  worker: WorkerPart | undefined,
): Promise<Listening[] | Problem> {
  if (options.listen === false) return listenAsHosts(context, options);
  if (!worker) return openHosts(context, options);
  const { joinWorkers } = await import("./cluster/workers/join.js");
  return joinWorkers(context, options, worker);
}

function recordingPartOf(worker: WorkerPart | undefined): RecordingPart | undefined {
  return worker && { joins: worker.again || worker.index !== firstWorker, hasDefault: worker.index === firstWorker };
}

/** Opens the three hosts and sets the addresses of the context. If one fails, closes all. */
async function openHosts(context: MockContext, options: MockOptions): Promise<Listening[] | Problem> {
  const ports = portsOf(options);
  if (isProblem(ports)) return ports;
  const urls = { api: "", app: "", docs: "" };
  const listening: Listening[] = [];
  for (const name of Object.keys(ports) as HostName[]) {
    const host = await openHost(context, name, ports[name], options);
    if (isProblem(host)) {
      await closeAll(listening);
      return host;
    }
    listening.push(host);
    urls[name] = host.url;
  }
  Object.assign(context.addresses, addressesOf(urls, options));
  return listening;
}

/** Sets the addresses of three hosts that do not listen. */
function listenAsHosts({ addresses }: MockContext, options: MockOptions): Listening[] | Problem {
  const ports = portsOf({ ...options, port: options.port || 4010 });
  if (isProblem(ports)) return ports;
  const urlAt = (name: HostName) => `http://${nowhere}:${ports[name]}`;
  Object.assign(addresses, addressesOf({ api: urlAt("api"), app: urlAt("app"), docs: urlAt("docs") }, options));
  return [];
}

async function openHost(context: MockContext, name: HostName, port: number, options: MockOptions): Promise<Listening | Problem> {
  try {
    return await listen(context.host, port, {
      serve: context.serve.bind(null, name, context),
      ...outsideHandlers(context.worlds, name),
    });
  } catch (error) {
    return { problem: explainPort(error as NodeJS.ErrnoException, name, port, options, context.host) };
  }
}

async function closeAll(listening: Listening[]): Promise<void> {
  await Promise.all(listening.map((one) => one.close()));
}
