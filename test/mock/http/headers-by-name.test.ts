import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { groupHeaders } from "../../../src/mock/http/headers-by-name.js";
import { sendBytes } from "../client.js";

/** Every header of which node keeps the first, some that it joins, and one that it joins in its own way. */
const names = [
  ...["age", "authorization", "content-type", "etag", "expires", "from", "host", "if-modified-since", "if-unmodified-since"],
  ...["last-modified", "location", "max-forwards", "proxy-authorization", "referer", "retry-after", "server", "user-agent"],
  ...["accept", "Idempotency-Key", "Prefer", "x-forwarded-for", "If-None-Match", "cookie"],
];

test("Node joins repeated headers in the same way", async () => {
  let seen: { headers: IncomingHttpHeaders; rawHeaders: string[] } | undefined;
  const server = createServer((request, response) => {
    seen = request;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const lines = names.flatMap((name) => [`${name}: one`, `${name.toUpperCase()}: two`]);
  const { port } = server.address() as AddressInfo;
  await sendBytes(`http://127.0.0.1:${port}`, `GET / HTTP/1.0\r\n${lines.join("\r\n")}\r\n\r\n`);
  server.close();
  expect(seen?.rawHeaders).toHaveLength(4 * names.length);
  expect(groupHeaders(seen?.rawHeaders ?? [])).toEqual({ ...seen?.headers });
});
