import { createServer, type IncomingMessage, request as open, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { HostName } from "../../src/mock/http/host-names.js";

/** A request that a proxy forwards, and its response. */
export interface RelayedRequest {
  host: HostName;
  method: string;
  path: string;
  headers: Headers;
  text: string;
}
export interface ChangedResponse {
  status: number;
  headers: Headers;
  text: string;
}
type Headers = Record<string, string | string[] | undefined>;

/** Answers a request by sending it on, changed or not, or by itself. */
export type AroundWire = (
  relayedRequest: RelayedRequest,
  send: (askedRelayedRequest: RelayedRequest) => Promise<ChangedResponse>,
) => Promise<ChangedResponse>;

/** A proxy in front of one host of a mock. */
export interface Proxy {
  url: string;
  close(): Promise<void>;
}

/** Opens a proxy with a fault in front of a host at its address. */
export async function openProxy(host: HostName, address: string, wrapCall: AroundWire): Promise<Proxy> {
  const server = createServer((request, response) => {
    readAsked(host, request)
      .then((relayedRequest) => wrapCall(relayedRequest, (sentRelayedRequest) => send(address, sentRelayedRequest)))
      .then((serverResponse) => changeResponseBody(response, serverResponse))
      .catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAsked(host: HostName, request: IncomingMessage): Promise<RelayedRequest> {
  const { method = "GET", url: path = "/", headers } = request;
  return { host, method, path, headers, text: await text(request) };
}

function changeResponseBody(response: ServerResponse, { status, headers, text }: ChangedResponse): void {
  const { "content-length": _, "transfer-encoding": __, ...rest } = headers;
  response.writeHead(status, rest).end(text);
}

function send(
  address: string,
  { method, path, headers: { "content-length": _, ...headers }, text: body }: RelayedRequest,
): Promise<ChangedResponse> {
  return new Promise((resolve, reject) => {
    const sent = open(address + path, { method, headers }, (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((text) => resolve({ status, headers, text }), reject);
    });
    sent.on("error", reject).end(body === "" ? undefined : body);
  });
}
