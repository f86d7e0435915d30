import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { groupHeaders } from "../../http/headers-by-name.js";
import type { HostName } from "../../http/host-names.js";

/** The parts of a forwarded request besides its method and body, as they arrived. */
export interface PassedOn {
  host: HostName;
  url: string;
  /** Names and values alternate. */
  headers: string[];
  /** The caller's address. */
  ip: string | null;
  /** Whether the request is for the default world, regardless of its credential. */
  isForDefault?: true;
}

/** The requests between workers: list the names of the worlds, return the client tallies, reset the client tallies. */
const peerRequests = ["worlds", "client-tally", "forget-clients"] as const;
/** One of these requests. */
export type PeerRequest = (typeof peerRequests)[number];

/** The header that contains these parts, after the secret of the workers. */
export const ticket = "x-counterpart-worker";

/** Serves the requests that other workers forward. */
type Serve = (passedOn: PassedOn, request: IncomingMessage, response: ServerResponse) => void;

/** Maximum length of this header. It contains the request line and all headers of the forwarded request. */
const maxHeadBytes = 262_144;

/** Opens a port on this machine for requests of other workers. A request without the secret gets no response. */
export async function applyForwarded(
  secret: string,
  responses: Record<PeerRequest, () => unknown>,
  serve: Serve,
): Promise<{ port: number; close(): void }> {
  const response = (request: IncomingMessage, response: ServerResponse) => {
    response.once("finish", () => request.resume());
    const [given, text = ""] = String(request.headers[ticket]).split(" ");
    if (given !== secret) request.socket.destroy();
    else if (isPeerRequest(text)) response.end(JSON.stringify(responses[text]() ?? null));
    else {
      const passedOn = JSON.parse(Buffer.from(text, "base64url").toString()) as PassedOn;
      serve(passedOn, restoreHead(request, passedOn), response);
    }
  };
  const server = createServer(
    { maxHeaderSize: maxHeadBytes, requestTimeout: 0, keepAliveTimeout: 0, requireHostHeader: false },
    response,
  );
  // the sender closes the connection after the response; closing it earlier would lose the rest of the body
  server.on("connection", (socket) => {
    socket.destroySoon = () => socket.end();
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isPeerRequest(text: string): text is PeerRequest {
  return (peerRequests as readonly string[]).includes(text);
}

/** Returns the header for a request that another worker shall serve. */
export function createTicket(secret: string, passedOn: PassedOn): string {
  return `${secret} ${Buffer.from(JSON.stringify(passedOn)).toString("base64url")}`;
}

/** Restores the original head of a forwarded request. */
function restoreHead(request: IncomingMessage, { url, headers, ip }: PassedOn): IncomingMessage {
  request.url = url;
  request.rawHeaders = headers;
  Object.defineProperty(request, "headers", { value: groupHeaders(headers) });
  // the connection has one request at a time
  Object.defineProperty(request.socket, "remoteAddress", { value: ip ?? undefined, configurable: true });
  return request;
}
