import { randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { isProblem, type Problem } from "../../../common/problem.js";
import type { HostName } from "../../http/host-names.js";
import { buildUrl } from "../../http/listen-address.js";
import { assignPorts, explainPortError } from "../../http/ports.js";
import { findMockOptionsProblem } from "../../worlds/option-validation.js";
import type { MockOptions } from "../../worlds/options.js";
import { findOwnerByHead } from "./head.js";
import { firstWorker } from "./place.js";
import { openSupervisor } from "./supervisor.js";

/** The options of a mock with several processes. */
export interface FrontOptions {
  count: number;
  /** The file that a worker runs. */
  program: string;
  options: MockOptions;
  store: string | undefined;
  shows: boolean;
  exportOnExit: string | undefined;
  /** Receives messages for the user while the mock runs. */
  say(line: string): void;
}

/** A mock of several processes on one address. */
export interface Front {
  /** The information about the mock for its user, as for a mock of one process. */
  info: object;
  close(): Promise<void>;
}

/** Maximum length of a request head in bytes. A worker refuses a longer one. */
const maxHeadBytes = 16_384;
/** If the head is incomplete after this time, a worker gets the connection and applies its own time limits. */
const headMs = 5000;

/**
 * Opens the three hosts and gives each connection to the worker of the world of its first request. That worker forwards later requests for
 * other worlds, so the front neither parses nor copies them.
 */
export async function openFront({ count, program, options, ...how }: FrontOptions): Promise<Front | Problem> {
  const mistake = findMockOptionsProblem(options);
  if (mistake) return mistake;
  const ports = assignPorts(options);
  if (isProblem(ports)) return ports;
  const { port: _, appPort: __, docsPort: ___, host = "127.0.0.1", ...others } = options;
  let take: (name: HostName, socket: Socket) => void = () => {};
  const servers = await openHosts(host, ports, options, (name, socket) => take(name, socket));
  if (isProblem(servers)) return servers;
  const urls = mapValues(servers, (server) => buildUrl(host, (server.address() as AddressInfo).port));
  const secret = randomBytes(32).toString("hex");
  const starts = Array.from({ length: count }, (_, index) => ({
    ...{ index, count, secret, urls, again: false },
    options: { ...others, host },
    store: how.store,
    shows: how.shows,
    exportOnExit: index === firstWorker ? how.exportOnExit : undefined,
  }));
  const supervisor = openSupervisor(program, starts, how.say);
  take = (name, socket) =>
    readHead(socket, (head) =>
      supervisor.release({ owner: findOwnerByHead(name, head.toString("latin1"), count), host: name, socket, head }),
    );
  const close = async () => {
    for (const server of Object.values(servers)) server.close();
    await supervisor.end();
  };
  const ready = await supervisor.ready;
  if (!isProblem(ready)) return { info: ready.info, close };
  await close();
  return ready;
}

/** Listens on the three ports. If one fails, closes all. */
async function openHosts(
  host: string,
  ports: Record<HostName, number>,
  options: MockOptions,
  take: (name: HostName, socket: Socket) => void,
): Promise<Record<HostName, Server> | Problem> {
  const servers = mapValues(ports, (_, name) =>
    // the connection is transferred with the bytes that were read; reading more would lose bytes
    createServer({ highWaterMark: 0, noDelay: true, allowHalfOpen: true }, (socket) => take(name, socket)),
  );
  for (const [name, server] of Object.entries(servers) as [HostName, Server][]) {
    try {
      await new Promise<void>((resolve, reject) => server.once("error", reject).listen(ports[name], host, resolve));
    } catch (error) {
      for (const other of Object.values(servers)) other.close();
      return { problem: explainPortError(error as NodeJS.ErrnoException, name, ports[name], options, host) };
    }
  }
  return servers;
}

/** Reads the head of the first request until it is complete or a time limit ends. A worker decides about an incomplete head. */
function readHead(socket: Socket, go: (head: Buffer) => void): void {
  let head = Buffer.alloc(0);
  const read = () => {
    const bytes = socket.read() as Buffer | null;
    if (bytes) head = Buffer.concat([head, bytes]);
    if (head.includes("\r\n\r\n") || head.length >= maxHeadBytes) end();
    else socket.read(0);
  };
  const end = () => {
    clearTimeout(timer);
    socket.off("readable", read).off("end", end);
    if (!socket.destroyed) go(head);
  };
  const timer = setTimeout(end, headMs).unref();
  socket.on("error", () => socket.destroy());
  socket.on("end", end);
  socket.on("readable", read);
}

function mapValues<Key extends string, From, To>(from: Record<Key, From>, to: (value: From, key: Key) => To): Record<Key, To> {
  return Object.fromEntries(Object.entries<From>(from).map(([key, value]) => [key, to(value, key as Key)])) as Record<Key, To>;
}
