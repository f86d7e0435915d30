import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";

/** A server that answers the text of each request with any bytes, valid HTTP or not. Requests must be small. */
export interface RawServer {
  url: string;
  /** Returns the number of connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a server that answers each request on a connection by itself. */
export async function serveRaw(response: (socket: Socket, request: string) => void): Promise<RawServer> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    count += 1;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.on("data", (bytes) => response(socket, bytes.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** The bytes of a response, with the length of its body unless the headers set it. */
export function responseText(body: string | Buffer, headers: readonly string[] = [], status = "HTTP/1.1 200 OK"): Buffer {
  const framed = headers.some((line) => /^(content-length|transfer-encoding|connection: close)/i.test(line));
  const lines = [status, ...headers, ...(framed ? [] : [`content-length: ${Buffer.byteLength(body)}`])];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body as string)]);
}
