import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { PassedOn } from "./passed-on.js";
import { askPeer, type Peer } from "./peers.js";

/** Headers that are of one connection only. */
const ofConnection = new Set(["keep-alive", "transfer-encoding"]);

/** Passes a request on to another worker, and its answer back as it comes, also one that breaks off. `refuse` when nobody is there. */
export function passOn(
  peer: Peer,
  passed: PassedOn,
  request: IncomingMessage,
  response: ServerResponse,
  refuse: () => void,
): void {
  const outgoing = askPeer(peer, passed, request.method ?? "GET", framingOf(request));
  let isAnswered = false;
  let isMisread = false;
  let isLast = false;
  outgoing.on("response", (answer) => {
    isAnswered = true;
    isLast = answer.headers.connection === "close";
    // what follows the head in the same bytes may show that it is none
    process.nextTick(() => {
      if (!isMisread) passBack(answer, response);
    });
  });
  outgoing.on("error", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }) => {
    isMisread = error.rawPacket !== undefined;
    // a worker that has answered need not read on, and how its answer ends shows there
    if (isAnswered && !isMisread) request.unpipe(outgoing).resume();
    else if (error.code === "ECONNREFUSED" && !response.headersSent) refuse();
    else breakOff(response, error);
  });
  response.on("close", () => {
    if (!response.writableFinished || isLast) outgoing.destroy();
  });
  sendBody(request, outgoing);
}

/** How long the body is, as the request says. */
function framingOf({ headers }: IncomingMessage): string[] {
  if (headers["transfer-encoding"] !== undefined) return ["transfer-encoding", "chunked"];
  return headers["content-length"] === undefined ? [] : ["content-length", headers["content-length"]];
}

function sendBody(request: IncomingMessage, outgoing: ClientRequest): void {
  if (framingOf(request).length === 0) {
    outgoing.end();
    request.resume();
  } else request.pipe(outgoing);
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  const { statusCode = 500, rawHeaders } = answer;
  const head: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i]!, rawHeaders[i + 1]!];
    const key = name.toLowerCase();
    if (!ofConnection.has(key) && (key !== "connection" || value === "close")) head.push(name, value);
  }
  response.sendDate = false;
  response.writeHead(statusCode, head);
  if (answer.headers["content-length"] === undefined) response.flushHeaders();
  answer.on("error", (error) => {
    if (!response.writableEnded) breakOff(response, error);
  });
  answer.pipe(response);
}

/** Ends the connection as the other worker ended its own: with a reset, in order, or behind bytes that are no answer. */
function breakOff(response: ServerResponse, error: NodeJS.ErrnoException & { rawPacket?: Buffer }): void {
  const { socket } = response;
  if (error.rawPacket && !response.headersSent) socket?.end(error.rawPacket);
  else if (error.message === "socket hang up" || error.rawPacket) socket?.end();
  else socket?.resetAndDestroy();
}
