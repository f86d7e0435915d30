import { Agent, request as ask, type IncomingMessage } from "node:http";
import { createTicket, type PassedOn, type PeerRequest, ticket } from "./passed-on.js";

/** Another worker: its port and the secret of the workers. */
export interface Peer {
  port: number;
  secret: string;
}

/** How long a list of worlds waits for a worker, in milliseconds. */
const patienceMs = 500;

const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });

/** Begins a request to another worker. `framing`: the header for the length of the body. */
export function askPeer({ port, secret }: Peer, passed: PassedOn | PeerRequest, method: string, framing: string[]) {
  const value = typeof passed === "string" ? `${secret} ${passed}` : createTicket(secret, passed);
  return ask({ agent, host: "127.0.0.1", port, path: "/", method, headers: [ticket, value, ...framing] });
}

/** Returns the names of the worlds of another worker; null if it does not answer in time. */
export async function listPeerWorlds(peer: Peer): Promise<string[] | null> {
  const { body } = await buildResponse(peer, "worlds", "GET", undefined, patienceMs).catch(() => ({ body: null }));
  return body as string[] | null;
}

/** Sends JSON to another worker and returns its response. Rejects without a response within `maxMs` milliseconds. */
export function buildResponse(
  peer: Peer,
  passed: PassedOn | PeerRequest,
  method: string,
  value?: object,
  maxMs?: number,
): Promise<{ status: number; body: unknown }> {
  const text = value === undefined ? "" : JSON.stringify(value);
  const framing = value === undefined ? [] : ["content-length", String(Buffer.byteLength(text))];
  return new Promise((resolve, reject) => {
    const outgoing = askPeer(peer, passed, method, framing);
    outgoing.on("response", (response) => {
      readText(response).then((read) => resolve({ status: response.statusCode ?? 500, body: JSON.parse(read) }), reject);
    });
    outgoing.on("error", reject).end(text);
    if (maxMs !== undefined) {
      const timer = setTimeout(() => outgoing.destroy(new Error("the worker does not answer")), maxMs);
      outgoing.on("close", () => clearTimeout(timer));
    }
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += String(piece);
  return text;
}
