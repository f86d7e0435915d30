import { Agent, createServer, request as open } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Mock, startMock } from "../../../src/mock/server.js";

/** The requests that a proxy loses. */
interface Losses {
  /** Returns whether the proxy closes the connection of a request: before the mock gets it, or instead of the response. */
  lose?: (count: number, path: string) => "before" | "after" | undefined;
  delayMs?: number;
  /** Restarts the mock when this request arrives: a new mock with new worlds answers after `awayMs`. */
  restartAt?: number;
  awayMs?: number;
}

/** Opens a mock behind a proxy that loses connections. */
export async function openLossy(losses: Losses): Promise<{ url: string; close(): Promise<void> }> {
  let mock = await startMock({ clock: "frozen" });
  let count = 0;
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (request, response) => {
    count += 1;
    const { method = "", url: path = "/", headers, socket } = request;
    const loss = losses.lose?.(count, path);
    if (count === losses.restartAt) return void restart(socket);
    if (loss === "before") return void socket.destroy();
    if (losses.delayMs) await sleep(losses.delayMs);
    const asked = open(mock.api_url + path, { method, headers, agent }, async (serverResponse) => {
      const chunks: Buffer[] = [];
      for await (const chunk of serverResponse as AsyncIterable<Buffer>) chunks.push(chunk);
      if (loss === "after") return void socket.destroy();
      const text = Buffer.concat(chunks);
      const isDescription = path.startsWith("/__mock/target");
      const body = isDescription ? Buffer.from(text.toString().replaceAll(mock.api_url, url())) : text;
      const { "content-length": _, "transfer-encoding": __, ...others } = serverResponse.headers;
      response.writeHead(serverResponse.statusCode ?? 0, others).end(body);
    });
    asked.on("error", () => response.destroy());
    request.pipe(asked);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = () => `http://127.0.0.1:${port}`;
  const restart = async (socket: Socket) => {
    socket.destroy();
    const mockBefore: Mock = mock;
    await stop();
    [mock] = await Promise.all([startMock({ clock: "frozen" }), sleep(losses.awayMs ?? 0), mockBefore.close()]);
    await listen(port);
  };
  return {
    url: url(),
    async close() {
      await stop();
      agent.destroy();
      await mock.close();
    },
  };
}
