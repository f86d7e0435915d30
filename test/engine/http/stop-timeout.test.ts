import { expect, test } from "vitest";
import { openWire } from "../../../src/engine/http/rest.js";
import { withStopTimeout } from "../../../src/engine/http/stop-timeout.js";
import { serve } from "../server.js";

const get = (url: string) => ({ method: "GET", url, headers: {} });
const post = (url: string) => ({ method: "POST", url, headers: {} });

/** A server that answers until it hangs, behind a wire that is patient for a minute otherwise. */
async function hanging() {
  const asked: string[] = [];
  const server = { hangs: false };
  const { url, close } = await serve(({ method = "", path }, reply) => {
    asked.push(`${method} ${path}`);
    if (!server.hangs) reply(200, {});
  });
  const stop = new AbortController();
  const wire = withStopTimeout(openWire({ timeoutMs: 60_000 }), stop.signal);
  return { url, asked, server, stop, wire, end: () => Promise.all([wire.close(), close()]) };
}

test("a stopped run waits for no server that hangs, and asks it nothing more", async () => {
  const { url, asked, server, stop, wire, end } = await hanging();
  server.hangs = true;
  const underWay = wire.send(post(`${url}/made`));
  await expect.poll(() => asked).toEqual(["POST /made"]);
  stop.abort();
  expect((await underWay).failure?.kind).toBe("aborted");
  expect((await wire.send(post(`${url}/taken-back`), new AbortController().signal)).failure?.kind).toBe("aborted");
  expect(asked).toEqual(["POST /made"]);
  await end();
});

test("one that answers is asked on, so that what was made is taken back", async () => {
  const { url, asked, stop, wire, end } = await hanging();
  stop.abort();
  expect((await wire.send(post(`${url}/first`))).response?.status).toBe(200);
  expect((await wire.send(get(`${url}/second`), new AbortController().signal)).response?.status).toBe(200);
  expect((await wire.send(get(`${url}/third`), stop.signal)).failure?.kind).toBe("aborted");
  expect(asked).toEqual(["POST /first", "GET /second"]);
  await end();
});
