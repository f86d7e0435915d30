import { afterAll, beforeAll, expect, it } from "vitest";
import { acquire, confirm, create } from "../../../../../src/mock/cluster/store/scripts.js";
import { startMock } from "../../../../../src/mock/server.js";
import { describeWith } from "../../../../meta/needs.js";
import { type Sent, send } from "../../../client.js";
import { debian, endAll, freePort, type Program, redis, startRedis, startReplica, waitUntil } from "../programs.js";
import { type Relay, startRelay } from "../relay.js";
import { foundWorld, submitJob } from "../writer.js";

/** A request that changes a world, and where a client reads whether it took effect. */
interface Write {
  line: `${string} /${string}`;
  json?: object;
  read: string;
}

const writes: Write[] = [
  { line: "POST /api/repos/acme/web/main/jobs?force=true", json: { workflow: "audit", params: {} }, read: "" },
  { line: "POST /__mock/worlds/{id}/reset", read: "" },
  { line: "PUT /__mock/worlds/{id}/snapshot", read: "" },
  { line: "POST /__mock/worlds/{id}/clock/advance", json: { by: "90d" }, read: "/clock" },
  { line: "POST /__mock/worlds/{id}/drive/set-credit", json: { usd: 1 }, read: "/snapshot" },
  { line: "POST /__mock/worlds/{id}/faults", json: { on: "GET /api/jobs", first: 1, status: 500 }, read: "/faults" },
  { line: "POST /__mock/worlds/{id}/rewind", json: { to: 1 }, read: "" },
  { line: "DELETE /__mock/worlds/{id}", read: "" },
];
/** The mock tries for 3.5 s to learn whether the store did a write. */
const longMs = 6000;
/** The milliseconds without responses, and the expected result. */
const outages = [
  [1000, "the connection goes on"],
  [2300, "another connection tells"],
  [longMs, "the mock cannot learn whether it was done"],
] as const;
const scripts = Object.entries({ create, acquire, confirm }).map(([name, { sha }]) => [name, sha] as const);

/** A mock in this process, with a relay between it and the store. */
interface Member {
  url: string;
  relay: Relay;
}

describeWith(debian, "a write, when the answer of the store does not arrive in time", () => {
  let store: Program;
  /** The address of a mock without a relay. */
  let other: string;
  const open: { close(): unknown }[] = [];
  /** The members for the tests that run at the same time, each with its prepared writes. Starting them would delay their answers. */
  const members = new Map<string, Member & { prepared: Awaited<ReturnType<typeof prepare>> }>();

  beforeAll(async () => {
    store = await startRedis();
    other = await startMember(store.port);
    for (const [, sha] of scripts) members.set(sha, { ...(await member()), prepared: [] });
    for (const [ms] of outages) {
      const ownMember = await member();
      members.set(`${ms}`, { ...ownMember, prepared: await prepare(ownMember.url, `l${ms}`) });
    }
  });
  afterAll(async () => {
    await Promise.all(open.map((one) => one.close()));
    await endAll();
  });

  it("is answered with 503 if the store stood still and did not perform it", async () => {
    const url = `http://127.0.0.1:${(await startReplica(store.port, await freePort())).port}`;
    const before = await prepare(url, "n");
    store.process.kill("SIGSTOP");
    const done = Promise.all(before.map((one) => send(...one.request)));
    await pause(2200);
    store.process.kill("SIGCONT");
    const responses = await compare(before, await done);
    for (const { line, status, text, isDone } of responses) {
      // a mock that is late sends a write when the store runs again
      expect([line, isDone, status === 503], text).toEqual([line, status < 300, status >= 300]);
    }
    expect(responses.some(({ status }) => status === 503)).toBe(true);
  });

  it.concurrent.each(outages)("for %i ms: every answer is true (%s)", async (ms) => {
    const responses = await writeDuring(ms);
    const isKnown = ms < longMs;
    for (const { line, status, text, isDone } of responses) {
      if (status < 300) expect([line, isDone]).toEqual([line, true]);
      else if (status === 503) expect([line, isDone], text).toEqual([line, false]);
      else {
        expect([line, status], text).toEqual([line, line.includes("/api/") ? 500 : 504]);
        expect(text).toContain("before you repeat");
      }
    }
    // some writes can be late on a busy machine
    expect(responses.some(({ status }) => (isKnown ? status < 300 : status === 500 || status === 504))).toBe(true);
  });

  it.concurrent.each(scripts)(
    "a world is created once if the answer to its %s is late, and is deleted if the answer does not arrive",
    async (name, sha) => {
      expect(await createDuring(1000, sha, `late-${name}`)).toBe(201);
      expect(await storedWorlds(`late-${name}`)).toBe(1);
      expect(await createDuring(longMs, sha, `lost-${name}`)).toBe(503);
      await waitUntil(async () => (await storedWorlds(`lost-${name}`)) === 0);
      const { url } = members.get(sha)!;
      await waitUntil(async () => (await send(`POST ${url}/__mock/worlds`, { json: { id: `lost-${name}` } })).status === 201);
    },
  );

  it.concurrent("a world is deleted if its mock dies before it answers", async () => {
    const [relay, port] = await Promise.all([startRelay(store.port), freePort()]);
    open.push(relay);
    const killedReplica = await startReplica(relay.port, port);
    relay.muteAt(acquire.sha);
    const response = send(`POST http://127.0.0.1:${port}/__mock/worlds`, { json: { id: "orphan" } }).catch(() => null);
    await waitUntil(async () => (await redis(store.port, "EXISTS", "counterpart:world:{orphan}")) === "1");
    killedReplica.process.kill("SIGKILL");
    relay.set("open");
    expect(await response).toBeNull();
    expect((await send(`GET ${other}/__mock/worlds`)).json.worlds).not.toContain("orphan");
    await waitUntil(async () => (await send(`POST ${other}/__mock/worlds`, { json: { id: "orphan" } })).status === 201);
  });

  it("of two requests that create a world of one name at once, one gets 201 and the other 409", async () => {
    const { url } = await member();
    for (const [one, two] of [
      [url, url],
      [url, other],
    ] as const) {
      const id = one === two ? "twice" : "twins";
      const responses = await Promise.all([one, two].map((at) => send(`POST ${at}/__mock/worlds`, { json: { id } })));
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });

  async function startMember(port: number): Promise<string> {
    const mock = await startMock({}, { store: `redis://127.0.0.1:${port}` });
    open.push(mock);
    return mock.api_url;
  }

  async function member(): Promise<Member> {
    const relay = await startRelay(store.port);
    open.push(relay);
    return { relay, url: await startMember(relay.port) };
  }

  /** Creates a world for each write and reads its state. */
  async function prepare(url: string, prefix: string) {
    return Promise.all(
      writes.map(async (write, i) => {
        const world = `${prefix}-${i}`;
        await foundWorld(url, world, { clock: "frozen" });
        const snapshot = (await send(`GET ${url}/__mock/worlds/${world}/snapshot`)).json;
        await submitJob(url, world, "key-0");
        const json = write.line.startsWith("PUT") ? snapshot : write.json;
        const [method, path] = write.line.replace("{id}", world).split(" ");
        const sent: Sent = { ...(json && { json }), ...(path!.startsWith("/api/") && { key: `mock_${world}_full` }) };
        return { write, world, state: await getState(url, write, world), request: [`${method} ${url}${path}`, sent] as const };
      }),
    );
  }

  /** Writes to worlds while the responses of the store do not arrive; returns the responses, and whether another mock reads a change. */
  async function writeDuring(ms: number) {
    const { relay, prepared } = members.get(`${ms}`)!;
    relay.set("mute");
    const timer = setTimeout(() => relay.set("open"), ms);
    const responses = await Promise.all(prepared.map(({ request }) => send(...request)));
    clearTimeout(timer);
    relay.set("open");
    return compare(prepared, responses);
  }

  /** Joins each response with whether another mock reads that its write changed the world. */
  async function compare(prepared: Awaited<ReturnType<typeof prepare>>, responses: Awaited<ReturnType<typeof send>>[]) {
    return Promise.all(
      prepared.map(async ({ write, world, state }, i) => {
        const isDone = JSON.stringify(await getState(other, write, world)) !== JSON.stringify(state);
        return { ...responses[i]!, line: write.line, isDone };
      }),
    );
  }

  async function createDuring(ms: number, sha: string, id: string): Promise<number> {
    const { url, relay } = members.get(sha)!;
    relay.muteAt(sha);
    const timer = setTimeout(() => relay.set("open"), ms);
    const { status } = await send(`POST ${url}/__mock/worlds`, { json: { id } });
    clearTimeout(timer);
    relay.set("open");
    return status;
  }

  async function storedWorlds(id: string): Promise<number> {
    const isListed = ((await send(`GET ${other}/__mock/worlds`)).json.worlds as string[]).includes(id);
    const keys = Number(await redis(store.port, "EXISTS", `counterpart:world:{${id}}`));
    return isListed ? keys : -keys;
  }

  /** Reads a part of the state of a world at a mock. */
  async function getState(at: string, { read }: Write, world: string): Promise<unknown> {
    let state: unknown;
    await waitUntil(async () => {
      const { status, json } = await send(`GET ${at}/__mock/worlds/${world}${read}`);
      const { calls: _, ...others } = json;
      state = status === 404 ? 404 : others;
      return status < 500;
    });
    return state;
  }
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
