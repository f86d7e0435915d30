import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Opens a second address of a server for a client that cannot send a key: each request gets the key, and is else passed on as it came. */
export async function openProxy(server: string, key: string): Promise<{ url: string; close(): void }> {
  const proxy = createServer((asked, response) => {
    const { method, headers, url } = asked;
    const onward = request(server + url, { method, headers: { ...headers, authorization: `Bearer ${key}` } }, (given) => {
      response.writeHead(given.statusCode!, given.rawHeaders).flushHeaders(); // a silent stream begins with its headers
      given.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const close = () => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close };
}
