import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as the server got it. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  raw: string[];
}

/** Answers one request; the received requests so far, this one included, come along. */
export type Handler = (
  request: Received,
  serviceResponse: (status: number, body?: unknown, headers?: Record<string, string>) => void,
  response: ServerResponse,
  all: Received[],
) => void;

/** A small server in this process. Each test decides its responses. */
export async function serve(handler: Handler): Promise<{ url: string; received: Received[]; close(): Promise<void> }> {
  const receivedRequests: Received[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const request = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
        raw: incoming.rawHeaders,
      };
      receivedRequests.push(request);
      const serviceResponse = (status: number, body: unknown = {}, headers: Record<string, string> = {}) => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      };
      handler(request, serviceResponse, response, receivedRequests);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: receivedRequests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
