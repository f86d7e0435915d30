import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { refuse } from "../service/call.js";
import { sendReply } from "./answer.js";
import { type OutsideRequest, recordOutside } from "./journal-outside.js";
import { urlOf } from "./listen-address.js";
import { append } from "./log/append.js";
import { refuseOutside } from "./outside-refusal.js";
import { endInTurn, inTurn } from "./turns.js";
import type { HostedWorld } from "./worlds.js";

/** How long a closing server waits for answers under way, and a refused connection stays open for its answer to be read. */
const graceMs = 1000;

/** A server that takes connections. */
export interface Listening {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/** A server that others take connections for. */
export interface HandedServer extends Listening {
  /** Takes a connection, with the bytes that were read of it. */
  take(socket: Socket, head: Buffer): void;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Listens on a host and port (0: any free one). What is no HTTP at all is refused in the service's envelope too, numbered by `numbering`.
 * Rejects with the system's error when the port is taken.
 */
export async function listen(host: string, port: number, serve: Serve, numbering: () => HostedWorld): Promise<Listening> {
  const server = makeServer(serve, numbering);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const { port: taken } = server.address() as AddressInfo;
  return { url: urlOf(host, taken), close: () => shut(server) };
}

/** The same of a server that does not listen: its connections are handed to it. */
export function openHanded(serve: Serve, numbering: () => HostedWorld): HandedServer {
  const server = makeServer(serve, numbering);
  const open = new Set<Socket>();
  server.emit("listening"); // node watches over the connections of a server from then on
  return {
    url: "",
    take(socket, head) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      socket.allowHalfOpen = true; // as the server's own
      socket.unshift(head);
      server.emit("connection", socket);
    },
    async close() {
      const end = performance.now() + graceMs;
      while (open.size > 0 && performance.now() < end) {
        server.closeIdleConnections();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await shut(server);
      for (const socket of open) socket.destroy();
    },
  };
}

function makeServer(serve: Serve, numbering: () => HostedWorld): Server {
  const serveNamed = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.host === undefined && request.httpVersion === "1.1") refuseNameless(numbering(), request, response);
    else serve(request, response);
  };
  const serveInTurn = inTurn(serveNamed);
  // kept longer than clients keep idle connections, so that none is cut while it is being taken up again;
  // node would refuse a missing host and a strange expectation without an envelope
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, serveInTurn);
  server.on("checkExpectation", serveInTurn);
  // their size is bounded, so their number is; newer nodes would drop a request for it
  server.maxHeadersCount = 0;
  // behind the answers to what came before on the same connection
  server.on("clientError", (error: UnreadableBytes, socket: Socket) =>
    setImmediate(() => endInTurn(socket, () => refuseBytes(numbering(), socket, statusOf(error), firstLineOf(error)))),
  );
  server.on("connect", (request: IncomingMessage, socket: Socket) =>
    endInTurn(socket, () => refuseBytes(numbering(), socket, 405, request)),
  );
  return server;
}

/** Every request of HTTP/1.1 names its host (RFC 9112, 3.2). */
function refuseNameless(hosted: HostedWorld, request: IncomingMessage, response: ServerResponse): void {
  append(hosted, { refused: "outside" });
  const { world } = hosted;
  const reply = refuseOutside(world, refuse("bad_request", { message: "The request has no Host header." }).refusal);
  const text = sendReply(request, response, reply, world.now, { close: true });
  recordOutside(hosted, request, { ...reply, text });
}

/** Connections whose bytes were refused. Node reports what still comes on them once more. */
const refused = new WeakSet<Socket>();

function refuseBytes(hosted: HostedWorld, socket: Socket, status: number, request: OutsideRequest | null): void {
  if (refused.has(socket)) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  append(hosted, { refused: "outside" });
  const reply = refuseOutside(
    hosted.world,
    refuse("bad_request", { message: "This is not an HTTP request the server can read." }).refusal,
    status,
  );
  const text = JSON.stringify(reply.body);
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    ...(status === 405 ? ["allow:"] : []), // of CONNECT: an authority takes no method
  ];
  if (request) recordOutside(hosted, request, { ...reply, text });
  // what still comes is read and thrown away for a while: closing over unread bytes would reset the connection before the answer is read
  refused.add(socket);
  socket.resume();
  setTimeout(() => socket.destroy(), graceMs).unref();
  socket.end([...head, `x-request-id: ${reply.headers["x-request-id"]}`, "connection: close", "", text].join("\r\n"));
}

/** What node's parser could not read, with the bytes that it stopped at. */
type UnreadableBytes = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** The method and target of a request that cannot be read, as far as its bytes begin with them; null when its client left half-way. */
function firstLineOf({ code, rawPacket }: UnreadableBytes): OutsideRequest | null {
  if (code === "HPE_INVALID_EOF_STATE" || code === "ECONNRESET") return null;
  const [, method = "(unreadable)", url = ""] =
    /^([A-Z]{1,20}) ([!-~]{1,300})/.exec(rawPacket?.toString("latin1", 0, 400) ?? "") ?? [];
  return { method, url, rawHeaders: [], headers: {} };
}

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}

async function shut(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
