import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { PassedOn } from "./passed-on.js";
import { askPeer, type Peer } from "./peers.js";

/** Headers that belong to one connection. */
const connectionHeaders = new Set(["keep-alive", "transfer-encoding"]);

/** Forwards a request to another worker, and its response to the client, also an incomplete one. Calls `refuse` if the worker is down. */
export function passOn(
  peer: Peer,
  passedOn: PassedOn,
  request: IncomingMessage,
  response: ServerResponse,
  refuse: () => void,
): void {
  const outgoing = askPeer(peer, passedOn, request.method ?? "GET", readFraming(request));
  let hasResponse = false;
  let isMisread = false;
  let isLast = false;
  outgoing.on("response", (serverResponse) => {
    hasResponse = true;
    isLast = serverResponse.headers.connection === "close";
    // bytes after the head in the same packet may show that it is not a valid request
    process.nextTick(() => {
      if (!isMisread) passBack(serverResponse, response);
    });
  });
  outgoing.on("error", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }) => {
    isMisread = error.rawPacket !== undefined;
    // a worker that has answered need not read the rest; the end of the response shows this
    if (hasResponse && !isMisread) request.unpipe(outgoing).resume();
    else if (error.code === "ECONNREFUSED" && !response.headersSent) refuse();
    else breakOff(response, error);
  });
  response.on("close", () => {
    if (!response.writableFinished || isLast) outgoing.destroy();
  });
  sendBody(request, outgoing);
}

/** Returns the length of the body according to the request. */
function readFraming({ headers }: IncomingMessage): string[] {
  if (headers["transfer-encoding"] !== undefined) return ["transfer-encoding", "chunked"];
  return headers["content-length"] === undefined ? [] : ["content-length", headers["content-length"]];
}

function sendBody(request: IncomingMessage, outgoing: ClientRequest): void {
  if (readFraming(request).length === 0) {
    outgoing.end();
    request.resume();
  } else request.pipe(outgoing);
}

function passBack(serverResponse: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 500, rawHeaders } = serverResponse;
  const head: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i]!, rawHeaders[i + 1]!];
    const key = name.toLowerCase();
    if (!connectionHeaders.has(key) && (key !== "connection" || value === "close")) head.push(name, value);
  }
  response.sendDate = false;
  response.writeHead(statusCode, head);
  if (serverResponse.headers["content-length"] === undefined) response.flushHeaders();
  serverResponse.on("error", (error) => {
    if (!response.writableEnded) breakOff(response, error);
  });
  serverResponse.pipe(response);
}

/** Closes the connection in the way of the other worker: with a reset, normally, or after bytes that are not a response. */
function breakOff(response: ServerResponse, error: NodeJS.ErrnoException & { rawPacket?: Buffer }): void {
  const { socket } = response;
  if (error.rawPacket && !response.headersSent) socket?.end(error.rawPacket);
  else if (error.message === "socket hang up" || error.rawPacket) socket?.end();
  else socket?.resetAndDestroy();
}
