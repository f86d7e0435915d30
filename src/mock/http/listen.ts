import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Answer, sendReply } from "./answer.js";
import { urlOf } from "./listen-address.js";

/**
 * How long a closing server waits for its answers, and how long a refused connection stays open for its client to read, in
 * milliseconds.
 */
const graceMs = 1000;

/** A server that takes connections. */
export interface Listening {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  close(): Promise<void>;
}

/** A server that gets its connections from its caller. */
export interface HandedServer extends Listening {
  /** Takes a connection, with the bytes that were read of it. */
  take(socket: Socket, head: Buffer): void;
}

/** The parts of a request that a refusal needs. */
export type RequestHead = Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "headers">;

/** A refusal that is ready to be sent, and the world's time in milliseconds. */
export interface ReadyRefusal extends Answer {
  now: number;
}

/** Makes the refusal of a request that no host can serve. The request is null when its first line could not be read. */
export type RefuseUnreadable = (request: RequestHead | null, why: { status: number; message: string }) => ReadyRefusal;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** The functions that a server calls with the requests of its clients. */
export interface RequestHandlers {
  serve: Serve;
  /** Makes the answer to a request that is not valid HTTP. */
  refuse: RefuseUnreadable;
  /** Called with a request that was not served, because its connection ended while it waited for the answers before it. */
  drop(request: IncomingMessage): void;
}

/** Listens on a host and port (0: any free one). Rejects with the system's error when the port is taken. */
export async function listen(host: string, port: number, handlers: RequestHandlers): Promise<Listening> {
  const server = makeServer(handlers);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const { port: taken } = server.address() as AddressInfo;
  return { url: urlOf(host, taken), close: () => shut(server) };
}

/** Opens a server that does not listen. Its caller hands it the connections. */
export function openHanded(handlers: RequestHandlers): HandedServer {
  const server = makeServer(handlers);
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

function makeServer({ serve, refuse, drop }: RequestHandlers): Server {
  const serveNamed = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.host === undefined && request.httpVersion === "1.1") refuseNameless(refuse, request, response);
    else serve(request, response);
  };
  const serveInTurn = inTurn(serveNamed, drop);
  // kept longer than clients keep idle connections, so that none is cut while it is being taken up again;
  // node would refuse a missing host and a strange expectation without an envelope
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, serveInTurn);
  server.on("checkExpectation", serveInTurn);
  // their size is bounded, so their number is; newer nodes would drop a request for it
  server.maxHeadersCount = 0;
  // behind the answers to what came before on the same connection
  server.on("clientError", (error: UnreadableBytes, socket: Socket) =>
    setImmediate(() => endInTurn(socket, () => refuseBytes(refuse, socket, statusOf(error), firstLineOf(error)))),
  );
  server.on("connect", (request: IncomingMessage, socket: Socket) =>
    endInTurn(socket, () => refuseBytes(refuse, socket, 405, request)),
  );
  return server;
}

/** Every request of HTTP/1.1 names its host (RFC 9112, 3.2). */
function refuseNameless(refuse: RefuseUnreadable, request: IncomingMessage, response: ServerResponse): void {
  const reply = refuse(request, { status: 400, message: "The request has no Host header." });
  sendReply(request, response, reply, reply.now, { close: true });
}

/**
 * Connections with a request that the mock refused as invalid HTTP, and whether its first line could be read. Node reports the bytes that
 * follow once more.
 */
const refused = new WeakMap<object, { isReadable: boolean }>();

/** Tells whether the mock refused a request over this connection as invalid HTTP. */
export function hasInvalidRequest(socket: object): boolean {
  return refused.get(socket)?.isReadable === true;
}

function refuseBytes(refuse: RefuseUnreadable, socket: Socket, status: number, request: RequestHead | null): void {
  if (refused.has(socket)) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const reply = refuse(request, { status, message: "This is not an HTTP request the server can read." });
  const text = JSON.stringify(reply.body);
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    ...(status === 405 ? ["allow:"] : []), // of CONNECT: an authority takes no method
  ];
  // what still comes is read and thrown away for a while: closing over unread bytes would reset the connection before the answer is read
  refused.set(socket, { isReadable: request !== null });
  socket.resume();
  setTimeout(() => socket.destroy(), graceMs).unref();
  socket.end([...head, `x-request-id: ${reply.headers["x-request-id"]}`, "connection: close", "", text].join("\r\n"));
}

/** What node's parser could not read, with the bytes that it stopped at. */
type UnreadableBytes = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** The method and target of a request that cannot be read, as far as its bytes begin with them; null when its client left half-way. */
function firstLineOf({ code, rawPacket }: UnreadableBytes): RequestHead | null {
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

/** A request that waits for the answers before it on its connection, or the step that ends the connection. */
interface Turn {
  request: IncomingMessage | null;
  /** Returns the response that the client must take before the next turn; null where the connection ends. */
  take(): ServerResponse | null;
}

/** The request that a connection answers now, and those that wait. */
interface Line {
  request: IncomingMessage;
  response: ServerResponse;
  waiting: Turn[];
  drop: RequestHandlers["drop"];
}

/** How many requests wait over all connections at most. The mock ends the connection of a client that sends more. */
const mostWaiting = 20_000;

/** The mock stops reading from a connection with this many waiting requests. */
const mostRead = 100;

const lines = new WeakMap<Socket, Line>();
let waitingInAll = 0;

/**
 * Serves the requests of a connection one after the other. A request waits until its client has taken the answer before it.
 * Waiting requests of a closed connection are dropped.
 */
function inTurn(serve: Serve, drop: RequestHandlers["drop"]): Serve {
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (!line) lines.set(socket, { request, response, waiting: [], drop });
    else if (isOver(line)) {
      line.request = request;
      line.response = response;
    } else {
      wait(socket, line, { request, take: () => serveAt(line, serve, request, response) });
      return;
    }
    serve(request, response);
  };
}

/**
 * Ends a connection with unreadable bytes after the answers to its earlier requests. The request with these bytes gets no other
 * answer.
 */
function endInTurn(socket: Socket, end: () => void): void {
  const line = lines.get(socket);
  const broken = line?.waiting.at(-1) ?? line;
  if (line && broken !== line && broken?.request?.complete === false) {
    line.waiting.pop();
    waitingInAll--;
  }
  if (!line || isOver(line) || !line.request.complete) end();
  else
    wait(socket, line, {
      request: null,
      take() {
        end();
        return null;
      },
    });
}

function isOver({ waiting, response }: Line): boolean {
  return waiting.length === 0 && response.writableFinished;
}

function serveAt(line: Line, serve: Serve, request: IncomingMessage, response: ServerResponse): ServerResponse {
  line.request = request;
  line.response = response;
  serve(request, response);
  return response;
}

function wait(socket: Socket, line: Line, turn: Turn): void {
  if (waitingInAll >= mostWaiting) {
    if (turn.request) line.drop(turn.request);
    socket.destroy();
    return;
  }
  waitingInAll++;
  if (line.waiting.push(turn) >= mostRead) socket.pause();
  if (line.waiting.length === 1) line.response.once("close", () => goOn(socket, line));
}

function goOn(socket: Socket, line: Line): void {
  const turn = socket.destroyed ? undefined : line.waiting.shift();
  if (!turn) {
    waitingInAll -= line.waiting.length;
    for (const { request } of line.waiting.splice(0)) if (request) line.drop(request);
    return;
  }
  waitingInAll--;
  const response = turn.take();
  if (line.waiting.length < mostRead / 2) socket.resume();
  if (line.waiting.length > 0) response?.once("close", () => goOn(socket, line));
}
