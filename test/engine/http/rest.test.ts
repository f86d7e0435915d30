import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseBodyJson } from "../../../src/engine/http/exchange.js";
import { openWire, type Wire } from "../../../src/engine/http/rest.js";
import { serve } from "../server.js";

let server: Awaited<ReturnType<typeof serve>>;
let wire: Wire;

beforeAll(async () => {
  server = await serve(({ path }, serviceResponse, response) => {
    if (path === "/hang") return;
    if (path === "/stall") return void response.writeHead(200).write("{");
    if (path === "/close") return void response.socket?.destroy();
    if (path === "/big") return void response.end(Buffer.alloc(5000));
    if (path === "/bomb") return void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(5000)));
    if (path === "/gzip") return void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync('{"a":1}'));
    if (path === "/bad-gzip") return void response.writeHead(200, { "content-encoding": "gzip" }).end("no");
    if (path === "/moved") return serviceResponse(307, {}, { location: "/gzip" });
    serviceResponse(200, { ok: true });
  });
  wire = openWire({ timeoutMs: 400, maxBytes: 1000 });
});
afterAll(async () => {
  await wire.close();
  await server.close();
});

const get = (path: string, signal?: AbortSignal) => wire.send({ method: "GET", url: server.url + path, headers: {} }, signal);

describe("the REST wire", () => {
  test.each([
    ["/hang", "timeout"],
    ["/stall", "timeout"],
    ["/close", "reset"],
    ["/big", "too-large"],
    ["/bomb", "too-large"],
    ["/bad-gzip", "protocol"],
  ])("answers %s with a failure of kind %s", async (path, kind) => {
    expect((await get(path)).failure?.kind).toBe(kind);
  });

  test("reports a refused connection", async () => {
    expect((await wire.send({ method: "GET", url: "http://127.0.0.1:1/", headers: {} })).failure?.kind).toBe("refused");
  });

  test("times out even if the garbage collector runs meanwhile", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    setTimeout(collect, 200);
    const responses = await Promise.all([
      get("/hang", new AbortController().signal),
      get("/stall", new AbortController().signal),
    ]);
    expect(responses.map(({ failure }) => failure?.kind)).toEqual(["timeout", "timeout"]);
  });

  test("aborts when the run is stopped", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    expect((await get("/hang", stop.signal)).failure?.kind).toBe("aborted");
  });

  test("decompresses a body", async () => {
    const { response } = await get("/gzip");
    expect(response && parseBodyJson(response)).toEqual({ ok: true, value: { a: 1 } });
  });

  test("follows no redirect", async () => {
    expect((await get("/moved")).response).toMatchObject({ status: 307, headers: { location: "/gzip" } });
  });
});
