import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { counterpart } from "../../../../cli/counterpart.js";
import { describeWith } from "../../../../meta/needs.js";
import { debian, end, endAll, freePort, type Program, redis, startRedis, startReplica, waitUntil } from "../programs.js";
import { countJobs, foundWorld, type Submitted, submitJob } from "../writer.js";

describeWith(debian, "a store in trouble", () => {
  let store: Program;
  let replica: Program;
  let url: string;
  let number = 0;
  const submit = () => submitJob(url, "t", `key-${++number}`);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  beforeAll(async () => {
    store = await startRedis();
    replica = await startReplica(store.port, await freePort());
    url = `http://127.0.0.1:${replica.port}`;
    await foundWorld(url, "t");
  });
  afterAll(endAll);

  it("that is slow: calls are refused in time, and none of them is performed later", async () => {
    const before = await countJobs(url, "t");
    store.process.kill("SIGSTOP");
    const refused = Promise.all([submit(), submit(), submit()]);
    await pause(2500);
    store.process.kill("SIGCONT");
    await expectAllWell(before, await refused);
  });

  it("that disappears and returns", async () => {
    const before = await countJobs(url, "t");
    await end(store);
    const refused = await Promise.all([submit(), submit()]);
    store = await startRedis(store.port);
    await expectAllWell(before, refused);
  });

  it("whose memory is full", async () => {
    const before = await countJobs(url, "t");
    await redis(store.port, "CONFIG", "SET", "maxmemory", "1mb");
    const refused = await Promise.all([submit(), submit()]);
    await redis(store.port, "CONFIG", "SET", "maxmemory", "0");
    await expectAllWell(before, refused);
  });

  it("and its control plane and tools say so too", async () => {
    await redis(store.port, "CONFIG", "SET", "maxmemory", "1mb");
    const control = await fetch(`${url}/__mock/worlds/t/reset`, { method: "POST" });
    const tools = await fetch(`${url}/mcp/`, {
      method: "POST",
      headers: {
        authorization: "Bearer mock_t_full",
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    await redis(store.port, "CONFIG", "SET", "maxmemory", "0");
    expect([control.status, tools.status]).toEqual([503, 503]);
    expect(control.headers.get("content-type")).toContain("application/problem+json");
    expect(await tools.json()).toMatchObject({ error: { code: "service_unavailable" } });
  });

  it("a writer that lost its world cannot add to the log", async () => {
    const before = await countJobs(url, "t");
    // as another would that took it over while this one stood still
    await redis(store.port, "HINCRBY", "counterpart:world:{t}", "fence", "1");
    await expectAllWell(before, [await submit()]);
  });

  async function expectAllWell(before: number, submissions: readonly Submitted[]): Promise<void> {
    for (const { status, text } of submissions) {
      // 500: the mock does not know whether the store did the write before it ended
      expect([500, 503], text).toContain(status);
      const code = status === 503 ? "service_unavailable" : "internal_error";
      expect(JSON.parse(text)).toMatchObject({ error: { type: "server_error", code } });
    }
    await waitUntil(async () => (await countJobs(url, "t")) === before);
    await waitUntil(async () => (await submit()).status === 201);
    expect(await countJobs(url, "t")).toBe(before + 1);
  }
});

describeWith(debian, "a store that cannot be used gives one sentence", () => {
  let store: Program;
  beforeAll(async () => {
    store = await startRedis(undefined, "--requirepass", "secret");
  });
  afterAll(endAll);
  const start = (url: string, ...more: string[]) =>
    counterpart("mock", "--port", "0", "--app-port", "0", "--docs-port", "0", "--store", url, ...more);

  it.concurrent("with the wrong password, which is not shown", async () => {
    const { code, err } = await start(`redis://:hunter2@127.0.0.1:${store.port}/0`);
    expect([code, err]).toEqual([
      2,
      `counterpart: The store at redis://127.0.0.1:${store.port}/0 refuses the name or password in --store.\n`,
    ]);
  });

  it.concurrent.each([
    ["nonsense", "--store is not an address"],
    ["http://127.0.0.1:6379", "--store cannot be 'http:"],
    ["redis://", "--store is not an address"],
    ["redis://:hunter2@127.0.0.1:6379/x/y", "--store is not an address"],
  ])("with the address %s", async (url, description) => {
    const { code, err } = await start(url);
    expect(err).toContain(description);
    expect(err).not.toContain("hunter2");
    expect([code, err.trim().split("\n").length]).toEqual([2, 1]);
  });

  it.concurrent("of a version without streams", async () => {
    const server = createServer((socket) => {
      const info = "redis_version:4.0.14\r\n";
      socket.on("data", (asked) => {
        const isInfo = String(asked).includes("INFO");
        socket.write(isInfo ? `$${info.length}\r\n${info}\r\n` : "+OK\r\n");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const { code, err } = await start(`redis://127.0.0.1:${port}`);
    server.close();
    expect([code, err]).toEqual([
      2,
      `counterpart: The store at redis://127.0.0.1:${port} is of version 4.0.14; streams came with 5.0.\n`,
    ]);
  });

  it.concurrent("where nothing listens", async () => {
    const port = await freePort();
    const { code, err } = await start(`redis://:hunter2@127.0.0.1:${port}`);
    expect([code, err.split("\n").length, err.includes("hunter2")]).toEqual([4, 2, false]);
    expect(err).toContain(`The store at redis://127.0.0.1:${port} cannot be reached`);
  });

  it.concurrent("together with options for one mock only", async () => {
    const url = `redis://:secret@127.0.0.1:${store.port}`;
    const ended = await Promise.all([start(url, "--record", "x.jsonl"), start(url, "--export-on-exit", "x.json")]);
    for (const { code, err } of ended) expect([code, err.trim().split("\n").length]).toEqual([2, 1]);
  });

  it("of mocks with other options", async () => {
    await redis(store.port, "-a", "secret", "SET", "counterpart:settings", '{"version":"0.0.0"}');
    const { code, err } = await start(`redis://:secret@127.0.0.1:${store.port}`);
    expect(code).toBe(2);
    expect(err).toContain("other options or another version");
  });
});
