import { randomInt } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { writeTally } from "../../../client-report/tally.js";
import { createOutsideHandlers } from "../../call/outside-requests.js";
import type { MockContext } from "../../context.js";
import type { HostName } from "../../http/host-names.js";
import { type ConnectionServer, type Listening, openPassedConnections } from "../../http/listen.js";
import { buildAddresses } from "../../http/public-addresses.js";
import { forgetClients, joinTallies } from "../../worlds/clients.js";
import type { MockOptions } from "../../worlds/options.js";
import { refuseNotPersisted } from "../ownership.js";
import { openOtherWorkers } from "./other-workers.js";
import { passOn } from "./pass-on.js";
import { applyForwarded, type PassedOn } from "./passed-on.js";
import { findOwner, findWorldName, firstWorker, isControl, isForEveryWorker } from "./place.js";

/** The part of one process in a mock of several processes. */
export interface WorkerPart {
  index: number;
  count: number;
  /** The secret by which workers recognise each other. */
  secret: string;
  /** Whether it replaces a worker that ended. */
  again: boolean;
  /** The addresses on which the front listens. */
  urls: Record<HostName, string>;
  /** Receives each world that this worker creates or deletes. */
  onWorld(change: { created: string } | { removed: string }): void;
  /** Called when the worker accepts connections. */
  onOpen(doors: WorkerLink): void;
}

/** The functions by which the front uses a worker. */
export interface WorkerLink {
  /** The port for requests that other workers forward. */
  port: number;
  /** Takes a connection, with the bytes that were read from it. */
  take(host: HostName, socket: Socket, head: Buffer): void;
  /** Receives the ports of all workers. Null means that a worker is down. */
  meet(ports: readonly (number | null)[]): void;
}

/** The state of a serving worker. */
interface Worker extends WorkerPart {
  context: MockContext;
  ports: readonly (number | null)[];
  /** Names with which keys of the default world begin. They look like names of worlds. */
  roles: ReadonlySet<string>;
}

/** Lets a mock serve the connections of its front and the requests that other workers forward. It does not listen on the public ports. */
export async function joinWorkers(context: MockContext, options: MockOptions, part: WorkerPart): Promise<Listening[]> {
  Object.assign(context.addresses, buildAddresses(part.urls, options));
  const { default: first } = context.worlds;
  const tokens = [...Object.values(first.world.keys), ...Object.values(first.world.sessions)].map(({ token }) => token);
  const roles = new Set(tokens.flatMap((token) => /^(?:mock_)?([^_]+)_/.exec(token)?.[1] ?? []));
  const worker: Worker = { ...part, context, ports: [], roles };
  if (!context.cluster) {
    if (part.index !== firstWorker) leaveDefaultWorld(context);
    reportWorlds(context, part);
    context.otherWorkers = openOtherWorkers(context, worker);
  }
  const open = (host: HostName) =>
    openPassedConnections({
      serve: (request, response) => serveOrPassOn(worker, host, request, response),
      ...createOutsideHandlers(context.worlds, host),
    });
  const servers: Record<HostName, ConnectionServer> = { api: open("api"), app: open("app"), docs: open("docs") };
  const responses = {
    worlds: () => [...context.worlds.byId.keys()],
    "client-tally": () => writeTally(joinTallies(context.worlds)),
    "forget-clients": () => forgetClients(context.worlds),
  };
  const inbound = await applyForwarded(part.secret, responses, (passedOn, request, response) =>
    servePassedOn(worker, passedOn, request, response),
  );
  part.onOpen({
    port: inbound.port,
    take: (host, socket, head) => servers[host].take(socket, head),
    meet: (ports) => Object.assign(worker, { ports }),
  });
  return [...Object.values(servers), { url: "", close: async () => inbound.close() }];
}

/** another worker has the default world; this worker refuses requests without a world in the same way */
function leaveDefaultWorld({ worlds }: MockContext): void {
  worlds.byId.delete(worlds.default.id);
  // each worker numbers such refusals separately
  worlds.default.world.serials.request = randomInt(2 ** 30);
}

function reportWorlds({ worlds }: MockContext, { onWorld }: WorkerPart): void {
  const { recorder } = worlds;
  worlds.recorder = {
    open(worldEntry) {
      onWorld({ created: worldEntry.id });
      return recorder?.open(worldEntry) ?? {};
    },
    remove(id) {
      onWorld({ removed: id });
      recorder?.remove(id);
    },
  };
}

/**
 * Serves a request in the worker of its world. The name determines the worker. A request with an unknown name goes to the default world.
 */
function serveOrPassOn(worker: Worker, host: HostName, request: IncomingMessage, response: ServerResponse): void {
  const { index, count, context, ports, roles } = worker;
  if (isForEveryWorker(host, request.method ?? "", request.url ?? "")) {
    context.serve(host, context, request, response);
    return;
  }
  const world = readName(host, request);
  const owner = roles.has(world) ? firstWorker : findOwner(world, count);
  // with a store, every worker can own every world
  if (owner === index || (context.cluster && !ports[owner])) serveHere(worker, host, request, response);
  else resume(worker, owner, host, request, response);
}

function servePassedOn(worker: Worker, passedOn: PassedOn, request: IncomingMessage, response: ServerResponse): void {
  if (passedOn.isForDefault) worker.context.serve(passedOn.host, worker.context, request, response);
  else serveHere(worker, passedOn.host, request, response);
}

function serveHere(worker: Worker, host: HostName, request: IncomingMessage, response: ServerResponse): void {
  const { index, context } = worker;
  const isElsewhere = !context.cluster && index !== firstWorker && !context.worlds.byId.has(readName(host, request));
  const isLocalRequest = host === "api" && isControl(request.url ?? "");
  if (isElsewhere && !isLocalRequest) resume(worker, firstWorker, host, request, response, { isForDefault: true });
  else context.serve(host, context, request, response);
}

function resume(
  { context, ports, secret }: Worker,
  owner: number,
  host: HostName,
  request: IncomingMessage,
  response: ServerResponse,
  more: Pick<PassedOn, "isForDefault"> = {},
): void {
  const refuse = () => refuseNotPersisted(context, request, response);
  const port = ports[owner];
  if (!port) {
    refuse();
    return;
  }
  const { url = "/", rawHeaders, socket } = request;
  const passedOn: PassedOn = { host, url, headers: rawHeaders, ip: socket.remoteAddress ?? null, ...more };
  passOn({ port, secret }, passedOn, request, response, refuse);
}

function readName(host: HostName, { url = "", headers: { authorization, cookie } }: IncomingMessage): string {
  return findWorldName({ host, url, authorization, cookie });
}
