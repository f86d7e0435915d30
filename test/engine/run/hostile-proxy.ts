import { createServer, request as open } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Mock } from "../../../src/mock/server.js";
import { responseText } from "../raw.js";

/** A response of the mock. */
export interface RawResponse {
  status: number;
  headers: string[];
  body: Buffer;
}

/** Writes a response to the socket in another way. Gets the number of the response and a random number in [0, 1). */
export type ResponseWriter = (response: RawResponse, socket: Socket, draw: number, n: number) => void;

/** Puts a byte proxy between a mock and the clients of its API. Forwards hooks and the description of the mock unchanged. */
export async function openHostile(
  mock: Mock,
  behaviour: ResponseWriter,
  { seed = 1, timeoutSeconds = 30 } = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const timing = `{"timing":{"request_timeout_s":${timeoutSeconds}},`;
  const draw = drawFrom(seed);
  let n = 0;
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await buffer(request);
    const asked = open(mock.api_url + url, { method, headers: { ...headers, connection: "close" } }, async (serverResponse) => {
      const own = serverResponse.headersDistinct;
      const whole = await buffer(serverResponse);
      if (url.startsWith("/__mock/")) {
        const text = whole.toString().replaceAll(mock.api_url, address()).replace("{", timing);
        return void response.writeHead(serverResponse.statusCode ?? 0, { "content-type": "application/json" }).end(text);
      }
      const lines = Object.entries(own).flatMap(([name, values = []]) =>
        /^(connection|keep-alive|content-length|transfer-encoding)$/.test(name) ? [] : values.map((value) => `${name}: ${value}`),
      );
      request.socket.on("error", () => {});
      n += 1;
      behaviour({ status: serverResponse.statusCode ?? 0, headers: lines, body: whole }, request.socket, draw(), n);
    });
    asked.on("error", () => response.destroy()).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: address(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The bytes of a response with other headers or another body; unless said otherwise the connection ends with it. */
export function getBytes(
  { status, headers, body }: RawResponse,
  change: { headers?: string[]; body?: Buffer | string; framing?: string[] } = {},
): Buffer {
  const { framing = ["connection: close"] } = change;
  return responseText(change.body ?? body, [...(change.headers ?? headers), ...framing], `HTTP/1.1 ${status} OK`);
}

/** Writes each piece as a separate packet, then ends the connection. */
export function sendSlowly(socket: Socket, pieces: readonly Buffer[], gapMs = 0): void {
  const [piece, ...rest] = pieces;
  if (piece === undefined) return void socket.end();
  if (!socket.destroyed)
    socket.write(piece, () =>
      gapMs > 0 ? setTimeout(() => sendSlowly(socket, rest, gapMs), gapMs) : setImmediate(() => sendSlowly(socket, rest)),
    );
}

/** Numbers that look drawn and are the same for a seed. */
export function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
