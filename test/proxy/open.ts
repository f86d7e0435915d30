import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { RecordingLine } from "../../src/client-report/recording.js";
import { openProxy, type ProxyServer } from "../../src/proxy/proxy.js";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Opens a proxy in front of a server until the test ends, and collects the lines that it prints. */
export async function startProxy(
  upstream: string,
  timeoutSeconds = 10,
  allowHost?: string[],
): Promise<{ proxy: ProxyServer; lines: RecordingLine[] }> {
  const lines: RecordingLine[] = [];
  const onExchange = (line: RecordingLine) => void lines.push(line);
  const proxy = await openProxy({ upstream, host: "127.0.0.1", port: 0, allowHost, timeoutSeconds, onExchange });
  closing.push(proxy.close);
  return { proxy, lines };
}

/** Opens a server with the given answers until the test ends. */
export async function openProxyWithServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Waits until something holds, for a second at most. */
export async function waitUntil(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 100 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
}
