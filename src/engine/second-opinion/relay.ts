import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange } from "../http/exchange.js";
import type { Listener } from "./prism.js";

/** The server behind the validator. It answers each request with the target's response to the runner's own request. */
export interface Relay extends Listener {
  /** Registers a request; `forward` sends it to the target. */
  register(forward: () => Promise<Exchange>): RelayedRequest;
}

/** One registered request, which the validator receives and passes on to the relay. */
export interface RelayedRequest {
  /** The header by which the relay recognizes the request. */
  headers: Readonly<Record<string, string>>;
  /** Sends the request to the target. Later calls return the same exchange. */
  send(): Promise<Exchange>;
  /** Returns whether the validator has passed the request on. */
  isForwarded(): boolean;
  end(): void;
}

const REQUEST_ID = "x-counterpart-request";
/** Response headers that the validator does not receive: those of the connection, its own header, and `location`, which it would follow. */
const DROPPED_HEADERS =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|trailer|upgrade|location|sl-violations)$/;

/** Opens the relay on a free port. */
export async function openRelay(): Promise<Relay> {
  const waiting = new Map<string, () => Promise<Exchange>>();
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const forward = waiting.get(String(incoming.headers[REQUEST_ID]));
    if (!forward) return void outgoing.destroy();
    forward()
      .then((exchange) => sendResponse(exchange, outgoing))
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    register: (forward) => registerRequest(waiting, forward),
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function registerRequest(waiting: Map<string, () => Promise<Exchange>>, forward: () => Promise<Exchange>): RelayedRequest {
  const id = randomUUID();
  let forwarded = false;
  let sending: Promise<Exchange> | undefined;
  const send = () => {
    sending ??= forward();
    return sending;
  };
  waiting.set(id, () => {
    forwarded = true;
    return send();
  });
  return { headers: { [REQUEST_ID]: id }, send, isForwarded: () => forwarded, end: () => void waiting.delete(id) };
}

function sendResponse({ response }: Exchange, outgoing: ServerResponse): void {
  if (!response) return void outgoing.destroy();
  const headers = Object.entries(response.headers).filter(([name]) => !DROPPED_HEADERS.test(name));
  outgoing.writeHead(response.status, Object.fromEntries(headers)).end(response.body);
}
