import { afterAll, beforeAll, expect, it } from "vitest";
import { startMock } from "../../../../../src/mock/server.js";
import { describeWith } from "../../../../meta/needs.js";
import { exhaustive, sampleSeed } from "../../../../meta/sample.js";
import { send } from "../../../client.js";
import { randomFrom } from "../faults.js";
import { debian, endAll, type Program, redis, startRedis } from "../programs.js";
import { foundWorld, submitJob } from "../writer.js";

const handOvers = exhaustive ? 120 : 30;
const speed = 30;

describeWith(debian, "two mocks that take a world from each other", () => {
  let store: Program;
  let urls: [string, string];
  const open: { close(): Promise<void> }[] = [];
  let number = 0;
  const submit = async (url: string, world: string) => (await submitJob(url, world, `key-${++number}`)).status;

  beforeAll(async () => {
    store = await startRedis(undefined, "--appendonly", "no");
    urls = [await start(), await start()];
  });
  afterAll(async () => {
    await Promise.all(open.map((mock) => mock.close()));
    await endAll();
  });

  async function start(): Promise<string> {
    const mock = await startMock({}, { store: `redis://127.0.0.1:${store.port}` });
    open.push(mock);
    return mock.api_url;
  }

  it("replay only the entries that they do not know, and read no others", async () => {
    await foundWorld(urls[0], "known");
    for (const url of [urls[0], urls[1], urls[0]]) expect(await submit(url, "known")).toBe(201);
    await redis(store.port, "LSET", "counterpart:world:{known}:log", "0", "not JSON");
    for (const url of [urls[1], urls[0], urls[1]]) expect(await submit(url, "known")).toBe(201);
    // a mock without a copy reads all
    expect(await submit(await start(), "known")).toBe(500);
  });

  it("read everything when another mock has rewound the world", async () => {
    await foundWorld(urls[0], "rewound", { clock: "frozen" });
    for (let i = 0; i < 3; i++) await submit(urls[0], "rewound");
    const second = await getView(urls[0], "rewound");
    expect((await send(`POST ${urls[1]}/__mock/worlds/rewound/rewind`, { json: { to: 2 } })).status).toBe(200);
    for (let i = 0; i < 3; i++) expect(await submit(urls[1], "rewound")).toBe(201);
    const third = await getView(urls[0], "rewound");
    expect(third).not.toEqual(second);
    expect(third).toEqual(await getView(urls[1], "rewound"));
  });

  it(`have the same state as a mock that loads the world completely (seed ${sampleSeed})`, async () => {
    const random = randomFrom(sampleSeed);
    const world = "same";
    const path = `/__mock/worlds/${world}`;
    await foundWorld(urls[0], world, { clock: "frozen", work: "time" });
    const calls: ((url: string) => Promise<unknown>)[] = [
      (url) => submit(url, world),
      (url) => submit(url, world),
      (url) => send(`GET ${url}/api/jobs`, { key: `mock_${world}_full` }),
      (url) => send(`POST ${url}${path}/clock/advance`, { json: { by: "40s" } }),
      (url) => send(`POST ${url}${path}/drive/set-credit`, { json: { usd: Math.round(random() * 100) } }),
      (url) => send(`POST ${url}${path}/faults`, { json: { on: "GET /api/jobs", first: 1, status: 500 } }),
      async (url) => {
        const { total } = (await send(`GET ${url}${path}/log?limit=1`)).json as { total: number };
        if (total > 3) await send(`POST ${url}${path}/rewind`, { json: { to: total - 1 } });
      },
    ];
    for (let i = 0; i < handOvers; i++) {
      const url = urls[i % 2]!;
      for (let j = 0; j < 1 + random() * 3; j++) await calls[Math.floor(random() * calls.length)]!(url);
    }
    const views = [];
    for (const url of [urls[0], await start(), urls[1]]) views.push(await getView(url, world));
    expect(views[0]).toEqual(views[1]);
    expect(views[2]).toEqual(views[1]);
  });

  it("continue its clock, also when they only read", async () => {
    await foundWorld(urls[0], "clock", { clock: `${speed}x` });
    await submit(urls[0], "clock");
    /** The earliest and the latest real time at which the clock showed zero. */
    let [earliest, latest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = 0; i < 8; i++) {
      const sent = Date.now();
      const { json } = await send(`GET ${urls[i % 2]}/__mock/worlds/clock/clock`);
      const worldSeconds = Date.parse(json.now as string) / speed;
      [earliest, latest] = [Math.max(earliest, sent - worldSeconds), Math.min(latest, Date.now() - worldSeconds)];
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(earliest).toBeLessThan(latest + 50);
  });
});

/** Returns all that a client can see of a world. */
async function getView(url: string, world: string): Promise<unknown> {
  const parts = ["snapshot", "faults", "clock", "journal", "log"];
  const responses = [];
  for (const part of parts) responses.push(await send(`GET ${url}/__mock/worlds/${world}/${part}`));
  expect(responses.map(({ status }) => status)).toEqual(parts.map(() => 200));
  return responses.map(({ json }) => json);
}
