import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { chooseStatus, isIncompleteRequest, parseRequestLine, type UnreadableBytes } from "../../common/unreadable-request.js";
import { buildUrl } from "./listen-address.js";
import { type ResponseParts, sendResponse, writeJson } from "./response.js";

/** Milliseconds that a closing server waits for its responses, and that a refused connection stays open for its client to read. */
const graceMs = 1000;

/** A server that accepts connections. */
export interface Listening {
  /** `http://host:port`, without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

/** A server whose caller gives it the connections. */
export interface ConnectionServer extends Listening {
  /** Takes a connection, with the bytes that were read from it. */
  take(socket: Socket, head: Buffer): void;
}

/** The parts of a request that a refusal needs. */
export type RequestHead = Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "headers">;

/** A refusal that is ready to be sent, and the time of the world in milliseconds. */
export interface ReadyRefusal extends ResponseParts {
  now: number;
}

/** Returns the refusal of a request that no host can serve. The request is null if its first line is unreadable. */
export type RefuseUnreadable = (request: RequestHead | null, why: { status: number; message: string }) => ReadyRefusal;

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** The functions that a server calls with the requests of its clients. */
export interface RequestHandlers {
  serve: Serve;
  /** Returns the response to a request that is not valid HTTP. */
  refuse: RefuseUnreadable;
  /** Called with a request whose connection ended while the request waited for earlier answers. */
  drop(request: IncomingMessage): void;
}

/** Listens on a host and port (0: any free port). Rejects with the error of the system if the port is in use. */
export async function listen(host: string, port: number, handlers: RequestHandlers): Promise<Listening> {
  const server = makeServer(handlers);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const { port: taken } = server.address() as AddressInfo;
  return { url: buildUrl(host, taken), close: () => closeServer(server) };
}

/** Opens a server that does not listen. Its caller gives it the connections. */
export function openPassedConnections(handlers: RequestHandlers): ConnectionServer {
  const server = makeServer(handlers);
  const open = new Set<Socket>();
  server.emit("listening"); // from then on, Node controls the timeouts of the connections
  return {
    url: "",
    take(socket, head) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      socket.allowHalfOpen = true; // like those of the server
      socket.unshift(head);
      server.emit("connection", socket);
    },
    async close() {
      const end = performance.now() + graceMs;
      while (open.size > 0 && performance.now() < end) {
        server.closeIdleConnections();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await closeServer(server);
      for (const socket of open) socket.destroy();
    },
  };
}

function makeServer({ serve, refuse, drop }: RequestHandlers): Server {
  const serveNamed = (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.host === undefined && request.httpVersion === "1.1") refuseNameless(refuse, request, response);
    else serve(request, response);
  };
  const serveInTurn = queueTurn(serveNamed, drop);
  // longer than clients keep idle connections, so that no connection is closed while a client reuses it;
  // Node would refuse a missing host and an unknown expectation without an error envelope
  const server = createServer({ keepAliveTimeout: 65_000, requireHostHeader: false }, serveInTurn);
  server.on("checkExpectation", serveInTurn);
  // the size of headers is limited, and so is their number; newer versions of Node would drop a request with too many
  server.maxHeadersCount = 0;
  // after the responses to earlier requests of the same connection
  server.on("clientError", (error: UnreadableBytes, socket: Socket) =>
    setImmediate(() => endInTurn(socket, () => refuseBytes(refuse, socket, chooseStatus(error), readHead(error)))),
  );
  server.on("connect", (request: IncomingMessage, socket: Socket) =>
    endInTurn(socket, () => refuseBytes(refuse, socket, 405, request)),
  );
  return server;
}

/** Refuses a request without a host. HTTP/1.1 requires one (RFC 9112, 3.2). */
function refuseNameless(refuse: RefuseUnreadable, request: IncomingMessage, response: ServerResponse): void {
  const serviceResponse = refuse(request, { status: 400, message: "The request has no Host header." });
  sendResponse(request, response, serviceResponse, serviceResponse.now, { close: true });
}

/**
 * Connections with a request that the mock refused as invalid HTTP, and whether its first line was readable. Node reports the following
 * bytes again.
 */
const refused = new WeakMap<object, { isReadable: boolean }>();

/** Returns whether the mock refused a request of this connection as invalid HTTP. */
export function hasInvalidRequest(socket: object): boolean {
  return refused.get(socket)?.isReadable === true;
}

function refuseBytes(refuse: RefuseUnreadable, socket: Socket, status: number, request: RequestHead | null): void {
  if (refused.has(socket)) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const response = refuse(request, { status, message: "This is not an HTTP request the server can read." });
  const text = writeJson(response.body);
  const head = [
    `HTTP/1.1 ${status} Refused`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    ...(status === 405 ? ["allow:"] : []), // of CONNECT: an authority has no path
  ];
  // the rest is read and discarded for a while: closing with unread bytes would reset the connection before the client reads the response
  refused.set(socket, { isReadable: request !== null });
  socket.resume();
  setTimeout(() => socket.destroy(), graceMs).unref();
  socket.end([...head, `x-request-id: ${response.headers["x-request-id"]}`, "connection: close", "", text].join("\r\n"));
}

/** Returns the head of a request that cannot be read; null when its client disconnected before it was complete. */
function readHead(error: UnreadableBytes): RequestHead | null {
  return isIncompleteRequest(error) ? null : { ...parseRequestLine(error), rawHeaders: [], headers: {} };
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

/** A request that waits for earlier answers, or the step that closes the connection. */
interface Turn {
  request: IncomingMessage | null;
  /** Returns the response that the client must take before the next turn; null if the connection ends. */
  take(): ServerResponse | null;
}

/** The request that a connection answers now, and the requests that wait. */
interface Line {
  request: IncomingMessage;
  response: ServerResponse;
  waiting: Turn[];
  drop: RequestHandlers["drop"];
}

/** Maximum number of waiting requests over all connections. The mock closes the connection of a client that sends more. */
const maxWaitingRequests = 20_000;

/** The mock stops reading from a connection with this many waiting requests. */
const maxWaitingTurns = 100;

const lines = new WeakMap<Socket, Line>();
let waitingInAll = 0;

/**
 * Serves the requests of a connection one after the other. A request waits until its client has taken the response before it.
 * Waiting requests of a closed connection are dropped.
 */
function queueTurn(serve: Serve, drop: RequestHandlers["drop"]): Serve {
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

/** Closes a connection with unreadable bytes after the responses to its earlier requests. The unreadable request gets no other response. */
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
  if (waitingInAll >= maxWaitingRequests) {
    if (turn.request) line.drop(turn.request);
    socket.destroy();
    return;
  }
  waitingInAll++;
  if (line.waiting.push(turn) >= maxWaitingTurns) socket.pause();
  if (line.waiting.length === 1) line.response.once("close", () => resume(socket, line));
}

function resume(socket: Socket, line: Line): void {
  const turn = socket.destroyed ? undefined : line.waiting.shift();
  if (!turn) {
    waitingInAll -= line.waiting.length;
    for (const { request } of line.waiting.splice(0)) if (request) line.drop(request);
    return;
  }
  waitingInAll--;
  const response = turn.take();
  if (line.waiting.length < maxWaitingTurns / 2) socket.resume();
  if (line.waiting.length > 0) response?.once("close", () => resume(socket, line));
}
