import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Exchange } from "../http/exchange.js";
import type { Listener } from "./prism.js";

/** What stands behind the validator: it answers each request with what the target answers to the examiner's own. */
export interface Relay extends Listener {
  /** Lets a request through; `forward` sends it to the target. */
  begin(forward: () => Promise<Exchange>): Passage;
}

/** One request on its way through the validator. */
export interface Passage {
  /** Names it to the relay. */
  headers: Readonly<Record<string, string>>;
  /** Sends the request to the target, once, however often it is called. */
  send(): Promise<Exchange>;
  /** Whether the validator has let it through. */
  isForwarded(): boolean;
  end(): void;
}

const PASSAGE = "x-counterpart-passage";
/** Of an answer the validator is not given: what is about the connection, its own header, and where it would follow a redirect to. */
const WITHHELD =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|trailer|upgrade|location|sl-violations)$/;

/** Opens the relay on a free port. */
export async function openRelay(): Promise<Relay> {
  const waiting = new Map<string, () => Promise<Exchange>>();
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const forward = waiting.get(String(incoming.headers[PASSAGE]));
    if (!forward) return void outgoing.destroy();
    forward()
      .then((exchange) => passOn(exchange, outgoing))
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    begin: (forward) => beginPassage(waiting, forward),
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function beginPassage(waiting: Map<string, () => Promise<Exchange>>, forward: () => Promise<Exchange>): Passage {
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
  return { headers: { [PASSAGE]: id }, send, isForwarded: () => forwarded, end: () => void waiting.delete(id) };
}

function passOn({ response }: Exchange, outgoing: ServerResponse): void {
  if (!response) return void outgoing.destroy();
  const headers = Object.entries(response.headers).filter(([name]) => !WITHHELD.test(name));
  outgoing.writeHead(response.status, Object.fromEntries(headers)).end(response.body);
}
