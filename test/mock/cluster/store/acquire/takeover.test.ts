import { afterAll, beforeAll, expect, it } from "vitest";
import { leaseMs } from "../../../../../src/mock/cluster/store/leases.js";
import { describeWith } from "../../../../meta/needs.js";
import { sampled } from "../../../../meta/sample.js";
import { send, sendBytes } from "../../../client.js";
import { debian, end, endAll, freePort, type Program, redis, startRedis, startReplica, waitUntil } from "../programs.js";
import { startRelay } from "../relay.js";
import { countJobs, foundWorld, submitJob } from "../writer.js";

/** The documented minimum. */
const documentedEntries = 5000;
/** Which of the tests that call a world some 9,000 times are run. Each run draws one: about 3 commits run both. */
const longLogs = sampled(["taken over", "rewound before"], 1);
/** The goal is 5 s. The guard is generous, because the machine may be busy. */
const longestMs = 10_000;

describeWith(debian, "two mocks with one store", () => {
  let store: Program;
  let owner: Program;
  let otherProgram: Program;
  let urls: { owner: string; other: string };
  let number = 0;
  const submit = (url: string, world: string) => submitJob(url, world, `key-${++number}`);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  beforeAll(async () => {
    store = await startRedis();
    [owner, otherProgram] = (await Promise.all([1, 2].map(async () => startReplica(store.port, await freePort())))) as [
      Program,
      Program,
    ];
    urls = { owner: `http://127.0.0.1:${owner.port}`, other: `http://127.0.0.1:${otherProgram.port}` };
  });
  afterAll(endAll);

  /** Every difference between the store and the owner's memory. No client sends the owner a request afterwards. */
  const differences: [how: string, cause: (world: string) => Promise<void>][] = [
    [
      "a write failed, because the store did not answer for some seconds",
      async (world) => {
        store.process.kill("SIGSTOP");
        const submitted = await submit(urls.owner, world);
        store.process.kill("SIGCONT");
        expect(submitted.status).toBe(500);
      },
    ],
    [
      "a write failed, because the memory of the store was full",
      async (world) => {
        await redis(store.port, "CONFIG", "SET", "maxmemory", "1mb");
        const submitted = await submit(urls.owner, world);
        await redis(store.port, "CONFIG", "SET", "maxmemory", "0");
        expect(submitted.status).toBe(503);
      },
    ],
    [
      "the owner was suspended for 3 s while it waited for the store",
      async (world) => {
        store.process.kill("SIGSTOP");
        const call = submit(urls.owner, world);
        await pause(200);
        owner.process.kill("SIGSTOP");
        store.process.kill("SIGCONT");
        await pause(3000); // longer than a lease
        owner.process.kill("SIGCONT");
        await call;
      },
    ],
    [
      "another mock owned the world in between",
      async (world) => {
        const before = await countJobs(urls.owner, world);
        await redis(store.port, "HINCRBY", `counterpart:world:{${world}}`, "fence", "1");
        const { status } = await submit(urls.owner, world);
        expect([201, 503]).toContain(status); // 201: its next renewal came first, and it loaded the world again
        await waitUntil(async () => (await countJobs(urls.other, world).catch(() => null)) === before + (status === 201 ? 1 : 0));
      },
    ],
    [
      "the request to release the world was lost",
      async () => {
        await redis(store.port, "CLIENT", "KILL", "TYPE", "pubsub");
      },
    ],
  ];

  it.each(differences.map(([how, cause], i) => [how, cause, `d${i}`] as const))(
    "the other mock answers soon after %s",
    async (how, cause, world) => {
      await foundWorld(urls.owner, world);
      expect((await submit(urls.owner, world)).status).toBe(201);
      await cause(world);
      // the owner ends its lease at once, without a request of the other mock
      const isLeased = () => redis(store.port, "HEXISTS", `counterpart:world:{${world}}`, "until");
      if (how.startsWith("a write failed")) await waitUntil(async () => (await isLeased()) === "0");
      const begun = performance.now();
      while ((await submit(urls.other, world)).status !== 201) expect(performance.now() - begun).toBeLessThan(longestMs);
    },
  );

  it("an owner that was suspended does not answer from its old memory", async () => {
    await foundWorld(urls.owner, "stale");
    const before = await countJobs(urls.owner, "stale");
    owner.process.kill("SIGSTOP");
    await waitUntil(async () => (await submit(urls.other, "stale")).status === 201);
    const read = countJobs(urls.owner, "stale").catch(() => null);
    owner.process.kill("SIGCONT");
    expect([null, before + 1]).toContain(await read);
    await waitUntil(async () => (await countJobs(urls.owner, "stale")) === before + 1);
  });

  it("an owner that was suspended does not answer with a world that was deleted and created again", async () => {
    await foundWorld(urls.owner, "again");
    const before = await countJobs(urls.owner, "again");
    await submit(urls.owner, "again");
    owner.process.kill("SIGSTOP");
    await waitUntil(async () => (await fetch(`${urls.other}/__mock/worlds/again`, { method: "DELETE" })).status === 204);
    await foundWorld(urls.other, "again");
    owner.process.kill("SIGCONT");
    const counts: (number | null)[] = [];
    await waitUntil(async () => {
      counts.push(await countJobs(urls.owner, "again").catch(() => null));
      return counts.at(-1) === before;
    });
    expect(counts.filter((count) => count !== null && count !== before)).toEqual([]);
  });

  it("two mocks never own one world after the store lost its worlds", async () => {
    await foundWorld(urls.owner, "lost");
    const before = await countJobs(urls.owner, "lost");
    await submit(urls.owner, "lost");
    await redis(store.port, "DEL", "counterpart:world:{lost}", "counterpart:world:{lost}:log", "counterpart:world:{lost}:states");
    await foundWorld(urls.other, "lost");
    await submit(urls.other, "lost");
    await submit(urls.other, "lost");
    const counts = [urls.owner, urls.other, urls.owner].map((url) => () => countJobs(url, "lost"));
    for (const count of counts) await waitUntil(async () => (await count()) === before + 2);
  });

  it("a store that lost all data has the settings again with its next world", async () => {
    await redis(store.port, "FLUSHALL");
    await foundWorld(urls.other, "first");
    expect(await redis(store.port, "GET", "counterpart:settings")).toContain('"layout"');
    expect((await submit(urls.owner, "first")).status).toBe(201);
    await redis(store.port, "FLUSHALL");
    await redis(store.port, "SET", "counterpart:settings", "others");
    expect((await send(`POST ${urls.owner}/__mock/worlds`, { json: { id: "second" } })).status).toBe(503);
    expect(await redis(store.port, "EXISTS", "counterpart:world:{second}")).toBe("0");
    await redis(store.port, "DEL", "counterpart:settings");
  });

  it("a mock stops acquiring a world when its client has closed the connection", async () => {
    await foundWorld(urls.owner, "gone");
    const meta = "counterpart:world:{gone}";
    // an owner that does not release it; the store takes a longer lease for one from before its clock was set back
    await redis(store.port, "HSET", meta, "owner", "nobody", "fence", "1", "until", String(Date.now() + leaseMs));
    expect((await submitJob(urls.other, "gone", "key", undefined, 300)).status).toBe(null);
    await pause(300);
    const asked = await redis(store.port, "HGET", meta, "waiters");
    expect(asked).toMatch(/^\[\[".*\]\]$/);
    await pause(300);
    expect(await redis(store.port, "HGET", meta, "waiters")).toBe(asked);
  });

  it("a mock connects again if its connection to the store was lost without an error", async () => {
    const relay = await startRelay(store.port);
    const mock = await startReplica(relay.port, await freePort());
    const url = `http://127.0.0.1:${mock.port}`;
    await foundWorld(url, "silent");
    relay.loseConnections();
    const begun = performance.now();
    while ((await submit(url, "silent")).status !== 201) expect(performance.now() - begun).toBeLessThan(longestMs);
    await end(mock);
    relay.close();
  });

  it("a mock that waits gets the world, even if its owner always has calls", async () => {
    await foundWorld(urls.owner, "busy");
    let goesOn = true;
    const load = Array.from({ length: 4 }, async () => {
      while (goesOn) await submit(urls.owner, "busy");
    });
    const begun = performance.now();
    for (let i = 0; i < 5; i++) expect((await submit(urls.other, "busy")).status).toBe(201);
    goesOn = false;
    await Promise.all(load);
    expect(performance.now() - begun).toBeLessThan(longestMs);
  });

  // states are written every 2,000 entries, and the oldest goes when the documented number remains
  it.runIf(longLogs.includes("taken over"))(
    `the log goes back ${documentedEntries} entries after a takeover, and after a rewind and another takeover`,
    async () => {
      await foundWorld(urls.owner, "long");
      const jobs = await countJobs(urls.owner, "long");
      for (let i = 0; i < 3; i++) await submit(urls.owner, "long");
      await callOften(urls.owner, "long", documentedEntries + 3600);
      for (let i = 0; i < 2; i++) await submit(urls.owner, "long");
      const { total } = await getLog(urls.owner, "long");
      const taken = await getLog(urls.other, "long");
      expect(taken).toMatchObject({ total, oldest: 2001 });
      expect(await countJobs(urls.other, "long")).toBe(jobs + 5);

      await rewind(urls.other, "long", total); // before the last submission
      await submit(urls.other, "long");
      await submit(urls.other, "long");
      expect(await countJobs(urls.owner, "long")).toBe(jobs + 6);
      expect((await getLog(urls.owner, "long")).total).toBe(total + 1);

      const back = total - documentedEntries + 1;
      await rewind(urls.owner, "long", back);
      expect(await countJobs(urls.other, "long")).toBe(jobs + 3);
      expect(await getLog(urls.other, "long")).toMatchObject({ total: back - 1, oldest: taken.oldest });
      await submit(urls.other, "long");
      expect(await countJobs(urls.owner, "long")).toBe(jobs + 4);
    },
  );

  it.runIf(longLogs.includes("rewound before"))("a rewind to before the stored log is stored too", async () => {
    await foundWorld(urls.owner, "early");
    const jobs = await countJobs(urls.owner, "early");
    await submit(urls.owner, "early");
    await callOften(urls.owner, "early", 2 * documentedEntries - 500);
    const { oldest } = await getLog(urls.owner, "early");
    expect(oldest).toBe(1);
    await rewind(urls.owner, "early", 2);
    expect(await countJobs(urls.other, "early")).toBe(jobs + 1);
    await submit(urls.other, "early");
    expect(await countJobs(urls.owner, "early")).toBe(jobs + 2);
    await rewind(urls.owner, "early", 2);
    expect(await countJobs(urls.other, "early")).toBe(jobs + 1);
  });

  it("an owner that shuts down releases every world at once", async () => {
    await foundWorld(urls.owner, "last");
    await submit(urls.owner, "last");
    await end(owner);
    expect((await submit(urls.other, "last")).status).toBe(201);
  });
});

async function rewind(url: string, world: string, to: number): Promise<void> {
  const { status, json } = await send(`POST ${url}/__mock/worlds/${world}/rewind`, { json: { to } });
  expect([status, json]).toMatchObject([200, { entries: to - 1 }]);
}

async function getLog(url: string, world: string): Promise<{ total: number; oldest: number }> {
  const { status, json } = await send(`GET ${url}/__mock/worlds/${world}/log?limit=1`);
  expect(status).toBe(200);
  return { total: json.total as number, oldest: json.oldest as number };
}

/** Calls a world this many times, over 20 connections. */
async function callOften(url: string, world: string, times: number): Promise<void> {
  const each = Math.ceil(times / 20);
  const head = `GET /api/jobs?limit=1 HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer mock_${world}_full\r\n`;
  const bytes = `${`${head}\r\n`.repeat(each - 1)}${head}connection: close\r\n\r\n`;
  const responses = await Promise.all(Array.from({ length: 20 }, () => sendBytes(url, bytes)));
  for (const text of responses) expect(text.split("HTTP/1.1 200 ").length - 1).toBe(each);
}
