import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWith } from "../../../../meta/needs.js";
import { send, sendBytes } from "../../../client.js";
import { debian, end, endAll, freePort, type Program, redis, startRedis, startReplica, waitUntil } from "../programs.js";
import { countJobs, foundWorld, submitJob } from "../writer.js";

/** The goal is 5 s. The guard is generous, because the machine may be busy. */
const longestMs = 15_000;
const hour = 3_600_000;

describeWith(debian, "mocks whose store is changed or damaged while they run", () => {
  let store: Program;
  const urls: string[] = [];
  let number = 0;
  const submit = (url: string, world: string) => submitJob(url, world, `key-${++number}`);
  const key = (world: string) => `counterpart:world:{${world}}`;

  beforeAll(async () => {
    store = await startRedis(undefined, "--appendonly", "no");
    for (let i = 0; i < 2; i++) urls.push(`http://127.0.0.1:${(await startReplica(store.port, await freePort())).port}`);
  });
  afterAll(endAll);

  it("a world is not lost for an hour when the clock of the store is set back by an hour", async () => {
    await foundWorld(urls[0]!, "back");
    await waitUntil(async () => (await submit(urls[0]!, "back")).status === 201);
    const future = String(Date.now() + hour);
    // as an owner and a mock that waits left it, which died before the clock was set back
    await redis(store.port, "HINCRBY", key("back"), "fence", "1");
    const waiters = `[["dead too",${future}]]`;
    await redis(store.port, "HSET", key("back"), "owner", "dead", "until", future, "waiters", waiters);
    await soon(async () => (await submit(urls[1]!, "back")).status === 201);
  });

  it("a mock does not continue worlds of mocks with other options", async () => {
    await foundWorld(urls[0]!, "options");
    const settings = await redis(store.port, "GET", "counterpart:settings");
    await redis(store.port, "SET", "counterpart:settings", "{}");
    expect((await submit(urls[1]!, "options")).status).toBe(503);
    await redis(store.port, "SET", "counterpart:settings", settings);
    await soon(async () => (await submit(urls[1]!, "options")).status === 201);
  });

  it("a new password of the store refuses calls in time, and the old one lets them in again", async () => {
    await foundWorld(urls[0]!, "password");
    await redis(store.port, "CONFIG", "SET", "requirepass", "new");
    await redis(store.port, "-a", "new", "CLIENT", "KILL", "TYPE", "normal");
    await soon(async () => (await submit(urls[0]!, "password")).status === 503);
    await redis(store.port, "-a", "new", "CONFIG", "SET", "requirepass", "");
    await soon(async () => (await submit(urls[0]!, "password")).status === 201);
  });

  it.each([
    ["FLUSHALL", () => redis(store.port, "FLUSHALL").then(() => {})],
    [
      "a restart without data",
      async () => {
        await end(store, "SIGKILL");
        store = await startRedis(store.port, "--appendonly", "no");
      },
    ],
  ])("after %s no mock answers with a deleted world", async (how, damage) => {
    const world = how.startsWith("F") ? "flushed" : "restarted";
    await foundWorld(urls[0]!, world);
    const before = await countJobs(urls[0]!, world);
    await submit(urls[0]!, world);
    await damage();
    for (const url of urls) {
      await soon(async () => (await submit(url, world)).status === 401);
      await soon(async () => (await send(`GET ${url}/api/jobs`, { key: "mock_full" })).status === 200);
      expect((await send(`GET ${url}/__mock/worlds/${world}`)).status).toBe(404);
      expect((await send(`GET ${url}/__mock/worlds`)).json.worlds).toEqual(["default"]);
    }
    await foundWorld(urls[1]!, world);
    await soon(async () => (await countJobs(urls[0]!, world).catch(() => null)) === before);
  });

  it("a store that lost the newest entries of a log: the world goes on from the rest", async () => {
    await foundWorld(urls[0]!, "older");
    const before = await countJobs(urls[0]!, "older");
    await submit(urls[0]!, "older");
    const [last, done] = (await redis(store.port, "HMGET", key("older"), "last", "done")).split("\n") as [string, string];
    await submit(urls[0]!, "older");
    await redis(store.port, "RPOP", `${key("older")}:log`);
    await redis(store.port, "HSET", key("older"), "last", last, "done", done);
    expect((await submit(urls[0]!, "older")).status).toBe(503);
    await soon(async () => (await submit(urls[0]!, "older")).status === 201);
    for (const url of urls) await soon(async () => (await countJobs(url, "older").catch(() => null)) === before + 2);
  });

  it("requests without an operation are in the journal of their world, or of the default one", async () => {
    await foundWorld(urls[0]!, "outside");
    expect((await send(`POST ${urls[1]}/mcp`, { key: "mock_outside_full", json: {} })).status).toBe(307);
    await send(`GET ${urls[1]}/api/jobs`, { key: "mock_full" });
    await sendBytes(urls[1]!, "GET /nowhere HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    const requests = async (world: string) =>
      ((await send(`GET ${urls[1]}/__mock/worlds/${world}/journal`)).json.entries as { request: string }[]).map(
        ({ request }) => request,
      );
    expect(await requests("outside")).toEqual(["POST /mcp"]);
    expect((await requests("default")).slice(-2)).toEqual(["GET /api/jobs", "GET /nowhere"]);
  });

  async function soon(condition: () => Promise<boolean>): Promise<void> {
    const begun = performance.now();
    while (!(await condition())) {
      expect(performance.now() - begun).toBeLessThan(longestMs);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
});
