import { createHash } from "node:crypto";
import { isLoopback } from "../common/origins.js";
import { isProblem, type Problem } from "../common/problem.js";
import { refuse } from "../service/call.js";
import { perform } from "../service/perform.js";
import { authenticateToolCaller, drawToolRequest, performTool } from "../service/tools/perform-tool.js";
import { createOutsideHandlers, sendRefusal } from "./call/outside-requests.js";
import { respondAsRecorded } from "./call/recorded-responses.js";
import { serveRest } from "./call/rest.js";
import type { Cluster } from "./cluster/cluster.js";
import type { WorkerPart } from "./cluster/workers/join.js";
import { firstWorker } from "./cluster/workers/place.js";
import type { MockContext } from "./context.js";
import { joinReports } from "./control/client-report.js";
import { serveControl } from "./control/serve.js";
import { serveDocs } from "./docs/serve.js";
import type { HostName } from "./http/host-names.js";
import { createHosts } from "./http/hosts.js";
import { type Listening, listen } from "./http/listen.js";
import { assignPorts, explainPortError } from "./http/ports.js";
import { buildAddresses, listPublicNames } from "./http/public-addresses.js";
import { endInterceptions, requireWorld } from "./in-process/fetch-and-intercept.js";
import type { Mock } from "./in-process/mock-world.js";
import { createHandle, createIsolatedHandle, unwrap } from "./in-process/world-handle.js";
import { readEntry } from "./journal/read-entry.js";
import { readToolServerSettings, type ToolServerSettings } from "./mcp/options.js";
import { serveTools } from "./mcp/serve.js";
import { type RecordingPart, readToolkitVersion, recordTo } from "./replay/record-file.js";
import { rewindWorld } from "./replay/rewind.js";
import { addWorld, readConfiguration } from "./worlds/configuration.js";
import { readFixtureName } from "./worlds/fixtures.js";
import { findMockOptionsProblem } from "./worlds/option-validation.js";
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
  return unwrap(await openMock(options, parts));
}

/** Starts a mock, or returns a problem. */
export async function openMock(options: MockOptions, parts: Partial<MockParts> = {}): Promise<Mock | Problem> {
  const mistake = findMockOptionsProblem(options) ?? findPortsProblem(options);
  if (mistake) return mistake;
  if (options.record !== undefined && parts.store !== undefined)
    return { problem: "A recording contains one mock, and a store is for several mocks: give only one of --record and --store." };
  const recording = options.record === undefined ? null : recordTo(options.record, options, createRecordingPart(parts.worker));
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
  return createMock(context, listening, async () => {
    recording?.end();
    await cluster?.close();
  });
}

function findPortsProblem(options: MockOptions): Problem | null {
  const ports = assignPorts(options);
  return isProblem(ports) ? ports : null;
}

/** Joins the mock to a cluster. All mocks of a cluster need the same options, except those that do not affect answers. */
async function join(context: MockContext, store: string, options: MockOptions): Promise<Cluster | Problem> {
  const { fixture, ...configuration } = context.worlds.default.configuration;
  const { mcp = {}, journal = 1000, trustClientIp = false, answers: responses } = options;
  const settings = {
    fixture: readFixtureName(fixture) ?? computeDigest(fixture),
    ...configuration,
    mcp,
    journal,
    trustClientIp,
    ...(responses !== undefined && { answers: computeDigest({ answers: responses }) }),
  };
  const { joinCluster: joinFleet } = await import("./cluster/store/open.js"); // loads the client of the store
  return joinFleet(context, store, { version: readToolkitVersion(), ...settings });
}

function computeDigest(fixture: object): string {
  return createHash("sha256").update(JSON.stringify(fixture)).digest("base64url").slice(0, 16);
}

/** Prepares a mock that does not listen, for example to replay a log. */
export async function openContext(options: MockOptions, parts: Partial<MockParts> = {}): Promise<MockContext | Problem> {
  const mistake = findMockOptionsProblem(options);
  if (mistake) return mistake;
  const listens = options.listen ?? true;
  const host = listens ? (options.host ?? "127.0.0.1") : nowhere;
  if (listens && !isLoopback(host) && !options.adminToken) {
    return {
      problem: `The host ${host} can be reached from other machines, so the control plane needs an admin token: give one with --admin-token.`,
    };
  }
  const publicNames = listPublicNames(options);
  if ("problem" in publicNames) return publicNames;
  const configuration = await createDefaultConfiguration(options);
  if ("problem" in configuration) return configuration;
  const tools = readToolServerSettings(options.mcp);
  if ("problem" in tools) return tools;
  const whole = { ...usualParts, ...parts };
  const service = options.answers === undefined ? whole.service : respondAsRecorded(options.answers, whole.service);
  if ("problem" in service) return service;
  return createContext({ ...options, host }, publicNames, configuration, tools, { ...whole, service });
}

function createMock(context: MockContext, listening: Listening[], end: () => Promise<void>): Mock {
  const close = () => {
    context.isClosed = true;
    endInterceptions(context);
    return closeAll(listening).then(end);
  };
  return {
    ...createHandle(context, context.worlds.default),
    world: async (given = {}) => {
      requireWorld(context, context.worlds.default);
      return createIsolatedHandle(context, unwrap(await addWorld(context, given)));
    },
    joinedClientReport: async () => unwrap(await joinReports(context)),
    worlds: () => [...context.worlds.byId.keys()],
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createDefaultConfiguration(options: MockOptions): Promise<WorldConfiguration | Problem> {
  return readConfiguration(options, { seed: 1, clock: "real", skip: "off", options: {}, variations: false });
}

const serveHost = createHosts({
  control: serveControl,
  docs: serveDocs,
  tools: serveTools,
  rest: serveRest,
  refuse: (context, request, response, { code, message }) =>
    sendRefusal(request, response, context.worlds.default, refuse(code, { message })),
});

function createContext(
  options: MockOptions & Pick<MockContext, "host">,
  publicNames: readonly string[],
  configuration: WorldConfiguration,
  tools: ToolServerSettings,
  { recorder, service, recipeOf }: MockParts,
): MockContext {
  const context: MockContext = {
    service,
    recipeOf,
    worlds: openWorlds(configuration, options.journal ?? 1000, { onCall: createCallListener(options), recorder }),
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

function createCallListener({ onCall }: MockOptions): Worlds["onCall"] {
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

function createRecordingPart(worker: WorkerPart | undefined): RecordingPart | undefined {
  return worker && { joins: worker.again || worker.index !== firstWorker, hasDefault: worker.index === firstWorker };
}

/** Opens the three hosts and sets the addresses of the context. If one fails, closes all. */
async function openHosts(context: MockContext, options: MockOptions): Promise<Listening[] | Problem> {
  const ports = assignPorts(options);
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
  Object.assign(context.addresses, buildAddresses(urls, options));
  return listening;
}

/** Sets the addresses of three hosts that do not listen. */
function listenAsHosts({ addresses }: MockContext, options: MockOptions): Listening[] | Problem {
  const ports = assignPorts({ ...options, port: options.port || 4010 });
  if (isProblem(ports)) return ports;
  const getUrlAt = (name: HostName) => `http://${nowhere}:${ports[name]}`;
  Object.assign(addresses, buildAddresses({ api: getUrlAt("api"), app: getUrlAt("app"), docs: getUrlAt("docs") }, options));
  return [];
}

async function openHost(context: MockContext, name: HostName, port: number, options: MockOptions): Promise<Listening | Problem> {
  try {
    return await listen(context.host, port, {
      serve: context.serve.bind(null, name, context),
      ...createOutsideHandlers(context.worlds, name),
    });
  } catch (error) {
    return { problem: explainPortError(error as NodeJS.ErrnoException, name, port, options, context.host) };
  }
}

async function closeAll(listening: Listening[]): Promise<void> {
  await Promise.all(listening.map((one) => one.close()));
}
