import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A request that waits until those before it on its connection are answered, or what ends the connection behind them. */
interface Turn {
  request: IncomingMessage | null;
  /** Gives the response that has to be taken before the next turn; null where the connection ends. */
  take(): ServerResponse | null;
}

/** What a connection is answering, and what it asked meanwhile. */
interface Line {
  request: IncomingMessage;
  response: ServerResponse;
  waiting: Turn[];
}

/** How many requests wait over all connections; whoever sends more ahead of its answers is cut off. */
const mostWaiting = 20_000;

/** A connection with so many waiting is not read from. */
const mostRead = 100;

const lines = new WeakMap<Socket, Line>();
let waitingInAll = 0;

/**
 * Serves the requests of one connection one after the other: the next when its client has taken the answer before it. What waits on a
 * connection that has died is never done.
 */
export function inTurn(serve: Serve): Serve {
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (!line) lines.set(socket, { request, response, waiting: [] });
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
 * Ends a connection of which the bytes cannot be read, behind the answers to what came before. A request of which they were a part is
 * never answered in another way.
 */
export function endInTurn(socket: Socket, end: () => void): void {
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
    line.waiting = [];
    return;
  }
  waitingInAll--;
  const response = turn.take();
  if (line.waiting.length < mostRead / 2) socket.resume();
  if (line.waiting.length > 0) response?.once("close", () => goOn(socket, line));
}
