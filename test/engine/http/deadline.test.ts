import { expect, test } from "vitest";
import { addStopTimeout } from "../../../src/engine/http/deadline.js";
import { openWire } from "../../../src/engine/http/rest.js";
import { serve } from "../server.js";

const get = (url: string) => ({ method: "GET", url, headers: {} });
const post = (url: string) => ({ method: "POST", url, headers: {} });

/** Starts a server that can stop answering, and a wire to it with a timeout of one minute. */
async function start() {
  const received: string[] = [];
  const server = { hangs: false };
  const { url, close } = await serve(({ method = "", path }, response) => {
    received.push(`${method} ${path}`);
    if (!server.hangs) response(200, {});
  });
  const stop = new AbortController();
  const wire = addStopTimeout(openWire({ timeoutMs: 60_000 }), stop.signal);
  return { url, received, server, stop, wire, end: () => Promise.all([wire.close(), close()]) };
}

test("a stopped run does not wait for a hanging server, and sends nothing more", async () => {
  const { url, received, server, stop, wire, end } = await start();
  server.hangs = true;
  const pending = wire.send(post(`${url}/made`));
  await expect.poll(() => received).toEqual(["POST /made"]);
  stop.abort();
  expect((await pending).failure?.kind).toBe("aborted");
  expect((await wire.send(post(`${url}/taken-back`), new AbortController().signal)).failure?.kind).toBe("aborted");
  expect(received).toEqual(["POST /made"]);
  await end();
});

test("a stopped run still sends undo requests to a server that answers", async () => {
  const { url, received, stop, wire, end } = await start();
  stop.abort();
  expect((await wire.send(post(`${url}/first`))).response?.status).toBe(200);
  expect((await wire.send(get(`${url}/second`), new AbortController().signal)).response?.status).toBe(200);
  expect((await wire.send(get(`${url}/third`), stop.signal)).failure?.kind).toBe("aborted");
  expect(received).toEqual(["POST /first", "GET /second"]);
  await end();
});
