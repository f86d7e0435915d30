import { randomInt } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { tallyData } from "../../../client-report/tally.js";
import { outsideHandlers } from "../../call/outside-requests.js";
import type { MockContext } from "../../context.js";
import type { HostName } from "../../http/host-names.js";
import { type HandedServer, type Listening, openHanded } from "../../http/listen.js";
import { addressesOf } from "../../http/public-addresses.js";
import { forgetClients, tallyOfAll } from "../../worlds/clients.js";
import type { MockOptions } from "../../worlds/options.js";
import { refuseNotPersisted } from "../ownership.js";
import { openOtherWorkers } from "./other-workers.js";
import { passOn } from "./pass-on.js";
import { type PassedOn, takePassedOn } from "./passed-on.js";
import { home, isControl, isForEveryWorker, ownerOf, worldAsked } from "./place.js";

/** What makes a mock one of several processes behind one front. */
export interface WorkerPart {
  index: number;
  count: number;
  /** What the workers know each other by. */
  secret: string;
  /** Whether it stands in for one that has died. */
  again: boolean;
  /** Where the front listens. */
  urls: Record<HostName, string>;
  /** Gets each world that is created or deleted here. */
  onWorld(change: { created: string } | { removed: string }): void;
  /** Called when the worker can take connections. */
  onOpen(doors: WorkerDoors): void;
}

/** By what the front reaches a worker. */
export interface WorkerDoors {
  /** Where it takes what other workers pass on. */
  port: number;
  /** Takes a connection over, with the bytes that were read of it. */
  take(host: HostName, socket: Socket, head: Buffer): void;
  /** Learns where the others are; null stands for one that is not there. */
  meet(ports: readonly (number | null)[]): void;
}

/** What a worker knows while it serves. */
interface Worker extends WorkerPart {
  context: MockContext;
  ports: readonly (number | null)[];
  /** Names that keys of the default world begin with, as if they named a world. */
  roles: ReadonlySet<string>;
}

/** Has a mock serve what its front hands it, and what the other workers pass on, instead of listening by itself. */
export async function joinWorkers(context: MockContext, options: MockOptions, part: WorkerPart): Promise<Listening[]> {
  Object.assign(context.addresses, addressesOf(part.urls, options));
  const { default: first } = context.worlds;
  const tokens = [...Object.values(first.world.keys), ...Object.values(first.world.sessions)].map(({ token }) => token);
  const roles = new Set(tokens.flatMap((token) => /^(?:mock_)?([^_]+)_/.exec(token)?.[1] ?? []));
  const worker: Worker = { ...part, context, ports: [], roles };
  if (!context.cluster) {
    if (part.index !== home) leaveDefaultWorld(context);
    tellOfWorlds(context, part);
    context.otherWorkers = openOtherWorkers(context, worker);
  }
  const open = (host: HostName) =>
    openHanded({
      serve: (request, response) => serveOrPassOn(worker, host, request, response),
      ...outsideHandlers(context.worlds, host),
    });
  const servers: Record<HostName, HandedServer> = { api: open("api"), app: open("app"), docs: open("docs") };
  const answers = {
    worlds: () => [...context.worlds.byId.keys()],
    "client-tally": () => tallyData(tallyOfAll(context.worlds)),
    "forget-clients": () => forgetClients(context.worlds),
  };
  const inbound = await takePassedOn(part.secret, answers, (passed, request, response) =>
    servePassedOn(worker, passed, request, response),
  );
  part.onOpen({
    port: inbound.port,
    take: (host, socket, head) => servers[host].take(socket, head),
    meet: (ports) => Object.assign(worker, { ports }),
  });
  return [...Object.values(servers), { url: "", close: async () => inbound.close() }];
}

/** The default world is another worker's; what is for no world is refused here as it would be there. */
function leaveDefaultWorld({ worlds }: MockContext): void {
  worlds.byId.delete(worlds.default.id);
  // each numbers such refusals for itself
  worlds.default.world.serials.request = randomInt(2 ** 30);
}

function tellOfWorlds({ worlds }: MockContext, { onWorld }: WorkerPart): void {
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

/** Serves a request where its world is; its world is where its name says, and without one of that name it is for the default one. */
function serveOrPassOn(worker: Worker, host: HostName, request: IncomingMessage, response: ServerResponse): void {
  const { index, count, context, ports, roles } = worker;
  if (isForEveryWorker(host, request.method ?? "", request.url ?? "")) {
    context.serve(host, context, request, response);
    return;
  }
  const world = nameIn(host, request);
  const owner = roles.has(world) ? home : ownerOf(world, count);
  // by way of a store any worker can have any world
  if (owner === index || (context.cluster && !ports[owner])) serveHere(worker, host, request, response);
  else goOn(worker, owner, host, request, response);
}

function servePassedOn(worker: Worker, passed: PassedOn, request: IncomingMessage, response: ServerResponse): void {
  if (passed.isForDefault) worker.context.serve(passed.host, worker.context, request, response);
  else serveHere(worker, passed.host, request, response);
}

function serveHere(worker: Worker, host: HostName, request: IncomingMessage, response: ServerResponse): void {
  const { index, context } = worker;
  const isElsewhere = !context.cluster && index !== home && !context.worlds.byId.has(nameIn(host, request));
  const isOwnMatter = host === "api" && isControl(request.url ?? "");
  if (isElsewhere && !isOwnMatter) goOn(worker, home, host, request, response, { isForDefault: true });
  else context.serve(host, context, request, response);
}

function goOn(
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
  const passed: PassedOn = { host, url, headers: rawHeaders, ip: socket.remoteAddress ?? null, ...more };
  passOn({ port, secret }, passed, request, response, refuse);
}

function nameIn(host: HostName, { url = "", headers: { authorization, cookie } }: IncomingMessage): string {
  return worldAsked({ host, url, authorization, cookie });
}
