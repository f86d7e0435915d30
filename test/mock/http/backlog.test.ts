import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { endInPieces } from "../../../src/mock/http/backlog.js";

const MB = 1024 * 1024;
const text = "x".repeat(40 * MB);
const responses: ServerResponse[] = [];
const server = createServer((_, response) => {
  responses.push(response);
  endInPieces(response, [Buffer.from(text)]);
});
const clients: Socket[] = [];
afterAll(() => {
  for (const client of clients) client.destroy();
  server.close();
});

/** Sends requests and reads the responses only when the test continues. */
async function ask(reads: boolean): Promise<{ received: number; client: Socket }> {
  const { port } = server.address() as AddressInfo;
  const asker = { received: 0, client: connect(port, "127.0.0.1").on("error", () => {}) };
  clients.push(asker.client);
  if (reads)
    asker.client.on("data", (chunk) => {
      asker.received += chunk.length;
    });
  asker.client.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await once(server, "request");
  return asker;
}

test("a limited number of unread answers waits, and a client that reads gets its whole answer", {
  timeout: 10_000,
}, async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  for (let n = 0; n < 6; n++) await ask(false);
  const reader = await ask(true);
  for (let n = 0; n < 4; n++) await ask(false);
  await expect.poll(() => reader.received, { timeout: 5000 }).toBeGreaterThan(text.length);
  const openResponses = responses.filter((response) => !response.destroyed && !response.writableFinished);
  expect(openResponses.length).toBeLessThanOrEqual(6);
  expect(
    responses.slice(0, 2).map(({ destroyed }) => destroyed),
    "the client that has read nothing for longest loses its answer",
  ).toEqual([true, true]);
});
