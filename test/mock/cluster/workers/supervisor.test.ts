import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { getSystemMs, type WorkerStart } from "../../../../src/mock/cluster/workers/messages.js";
import { findOwner } from "../../../../src/mock/cluster/workers/place.js";
import { openSupervisor } from "../../../../src/mock/cluster/workers/supervisor.js";
import { describeWith } from "../../../meta/needs.js";
import { type Sent, send } from "../../client.js";
import { debian, endAll, startRedis, waitUntil } from "../store/programs.js";
import { submitJob } from "../store/writer.js";
import { endWorkers, runsOwnProgram, startWorkersIn, type Workers } from "./workers.js";

const count = 3;
/** A world of each worker. */
const [firstWorld, secondWorld] = [0, 1].map((owner) => {
  for (let i = 0; ; i++) if (findOwner(`t${i}`, count) === owner) return `t${i}`;
}) as [string, string];
/** The supervisor kills a hanging worker after 6 s. The guard is generous, because the machine may be busy. */
const longestMs = 20_000;
/** A list waits half a second for a worker. */
const longestListMs = 5000;
/** Lets every process run an endless loop when it receives SIGUSR2. */
const loops = { NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGUSR2',()=>{for(;;);})" };

afterAll(endWorkers);
afterAll(endAll);

describe.concurrent("a worker that hangs", () => {
  it.each([
    // the supervisor prefers the first worker
    ["stands still", "SIGSTOP", 0],
    ["runs an endless loop", "SIGUSR2", 1],
  ] as const)("%s (%s, worker %i) is reported, killed and replaced", async (_how, signal, index) => {
    const mock = await startWithWorlds();
    const lost = [firstWorld, secondWorld][index]!;
    const hung = mock.pids()[index]!;
    const begun = performance.now();
    process.kill(hung, signal);
    // before the first heartbeat that the worker misses, and after it
    for (const beforeMs of [0, 600]) {
      await pause(beforeMs);
      const lines = ["health", "worlds"].map((path) => `GET ${mock.url}/__mock/${path}`);
      const responses = await Promise.all(lines.map((line) => measureTime(() => call(line))));
      for (const { status, json, ms } of responses) {
        // on a busy machine another worker may be too slow for a list
        expect([status, json.unresponsive_workers]).toEqual([200, expect.arrayContaining([index + 1])]);
        expect(ms).toBeLessThan(longestListMs);
      }
      expect(responses[0]!.json.status).toBe("ok");
      expect(responses[1]!.json.worlds).toContain([firstWorld, secondWorld][1 - index]);
    }
    // the worlds of the others go on
    const other = [firstWorld, secondWorld][1 - index]!;
    expect((await call(`GET ${mock.url}/api/jobs`, { key: `mock_${other}_full` })).status).toBe(200);

    await waitUntil(async () => mock.said().includes("\n"));
    expect(performance.now() - begun).toBeLessThan(longestMs);
    const named = index === 0 ? `default, ${lost}; the default world starts again` : lost;
    expect(mock.said()).toBe(
      `counterpart: worker ${index + 1} of 3 did not answer for 6 s, was killed and is started again. ` +
        `Its worlds are lost, because there is no --store: ${named}.\n`,
    );
    await waitUntil(async () => (await call(`GET ${mock.url}/__mock/health`)).json.unresponsive_workers === undefined);
    expect(mock.pids()).not.toContain(hung);
    expect((await call(`POST ${mock.url}/__mock/worlds`, { json: { id: lost } })).status).toBe(201);
    expect((await call(`GET ${mock.url}/api/jobs`, { key: "mock_full" })).status).toBe(200);
  });

  it("is killed sooner during a restart than at the first start", async () => {
    const mock = await startWithWorlds();
    const before = mock.pids();
    await pause(2000); // a worker that lives shorter is started again after a pause
    process.kill(before[1]!, "SIGKILL");
    let started: number | undefined;
    while (started === undefined) {
      await pause(5);
      started = mock.pids().find((pid) => !before.includes(pid));
    }
    const pid = started;
    await waitUntil(async () => runsOwnProgram(pid, mock.child.pid!));
    process.kill(pid, "SIGSTOP");
    await waitUntil(async () => mock.said().includes("worker 2 of 3 did not answer for 10 s, was killed"));
    await waitUntil(async () => (await call(`GET ${mock.url}/__mock/health`)).json.unresponsive_workers === undefined);
  });

  it("keeps its worlds if it answers again in time, and until then the client reports name it", async () => {
    const mock = await startWithWorlds();
    const [, stopped] = mock.pids() as [number, number];
    const stoppedAt = performance.now();
    process.kill(stopped, "SIGSTOP");
    const lines = ["GET", "DELETE"].map((method) => `${method} ${mock.url}/__mock/client-report`);
    for (const { status, json, ms } of await Promise.all(lines.map((line) => measureTime(() => call(line))))) {
      expect([status, json.detail]).toEqual([503, "Worker 2 does not answer, so the client reports are incomplete; try again."]);
      expect(ms).toBeLessThan(longestListMs);
    }
    // the supervisor reports that it does not answer
    for (const line of lines) expect((await call(line)).status).toBe(503);
    await pause(3000 - (performance.now() - stoppedAt));
    process.kill(stopped, "SIGCONT");
    await waitUntil(async () => (await call(`GET ${mock.url}/__mock/health`)).json.unresponsive_workers === undefined);
    expect((await call(`GET ${mock.url}/api/jobs`, { key: `mock_${secondWorld}_full` })).status).toBe(200);
    expect((await call(`GET ${mock.url}/__mock/worlds`)).json.worlds).toContain(secondWorld);
    expect([mock.said(), mock.pids()[1]]).toEqual(["", stopped]);

    // a new connection goes to another worker, and no client waits for ever
    process.kill(stopped, "SIGSTOP");
    const waiting = Array.from({ length: 5 }, () => call(`GET ${mock.url}/api/jobs`, { key: `mock_${secondWorld}_full` }));
    const responses = await measureTime(() => Promise.all(waiting.map((one) => one.catch(() => null))));
    expect(responses.ms).toBeLessThan(longestMs);
    await pause(100);
    const late = await measureTime(() => call(`GET ${mock.url}/api/jobs`, { key: `mock_${secondWorld}_full` }).catch(() => null));
    expect(late.ms).toBeLessThan(longestMs);
  });

  it("together with all others: health and the list of worlds name the state of each, and answer again afterwards", async () => {
    const mock = await startWithWorlds();
    for (const pid of mock.pids()) process.kill(pid, "SIGSTOP");
    // before the first heartbeat that the workers miss, and when the mock knows that they hang
    for (const beforeMs of [0, 2500]) {
      await pause(beforeMs);
      for (const line of ["GET /__mock/health", "GET /__mock/worlds", "HEAD /__mock/health"]) {
        const [method, path] = line.split(" ");
        const { status, text, json, ms } = await measureTime(() => call(`${method} ${mock.url}${path}`));
        expect([status, ms < longestListMs], line).toEqual([503, true]);
        if (method === "HEAD") expect(text).toBe("");
        else expect([json.status, json.unresponsive_workers]).toEqual([503, [1, 2, 3]]);
        if (method === "GET" && beforeMs > 0) expect(json.detail).toMatch(/worker 1 has not answered for [\d.]+ s, worker 2 has/);
      }
    }
    await waitUntil(async () => (await call(`GET ${mock.url}/__mock/health`)).json.status === "ok");
    await waitUntil(async () => (await call(`GET ${mock.url}/__mock/worlds`)).json.unresponsive_workers === undefined);
  });

  describeWith(debian, "a worker that hangs, with a store", () => {
    it.concurrent("loses no world: the other workers acquire them from the store", async () => {
      const store = await startRedis();
      const mock = await startWithWorlds("--store", `redis://127.0.0.1:${store.port}`);
      const { job } = await submitJob(mock.url, secondWorld, "key-1");
      process.kill(mock.pids()[1]!, "SIGSTOP");
      const begun = performance.now();
      await waitUntil(async () => (await submitJob(mock.url, secondWorld, "key-1", undefined, 1000)).job === job);
      expect(performance.now() - begun).toBeLessThan(longestMs);
      console.log(`The world of a hanging worker answered after ${Math.round(performance.now() - begun)} ms (goal: 5000 ms).`);
      await waitUntil(async () => mock.said().includes("\n"));
      expect(mock.said()).toBe(
        "counterpart: worker 2 of 3 did not answer for 6 s, was killed and is started again. Its worlds continue from the store.\n",
      );
    });
  });
});

/** Sends a request on a separate connection, because a connection to a hanging worker ends with the worker. */
function call(line: string, { headers, ...sent }: Sent = {}) {
  return send(line, { ...sent, headers: { ...headers, connection: "close" } });
}

async function startWithWorlds(...more: string[]): Promise<Workers> {
  const mock = await startWorkersIn(loops, count, ...more);
  for (const id of [firstWorld, secondWorld])
    expect((await call(`POST ${mock.url}/__mock/worlds`, { json: { id } })).status).toBe(201);
  return mock;
}

async function measureTime<T extends object>(work: () => Promise<T | null>): Promise<T & { ms: number }> {
  const begun = performance.now();
  const value = await work();
  return { ...(value as T), ms: performance.now() - begun };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Two workers. The first answers pings until it gets a connection, and then nothing. The second answers no ping before that. */
const hangingWorker = `
const { existsSync, writeFileSync } = require("node:fs");
let index;
process.on("message", (message, socket) => {
  if (message.start) ({ index } = message.start, process.send({ ready: {}, port: 1 }));
  const isHanging = existsSync(__dirname + "/hangs");
  if (message.ping && isHanging === (index === 1)) process.send({ pong: true });
  if (message.end) process.exit(0);
  if (message.take && index === 0) writeFileSync(__dirname + "/hangs", String(message.until));
  if (message.take && index === 1) {
    process.send({ took: message.number });
    socket.end("taken");
  }
});`;

it("another worker gets the connection if a worker hangs before it accepts a health check", async () => {
  const directory = mkdtempSync(join(tmpdir(), "supervisor-"));
  const program = join(directory, "worker.cjs");
  writeFileSync(program, hangingWorker);
  const messages: string[] = [];
  const starts = [0, 1].map((index) => ({ index }) as WorkerStart);
  const supervisor = openSupervisor(program, starts, (line) => messages.push(line));
  await supervisor.ready;
  const server = createServer((socket) => supervisor.release({ owner: null, host: "api", socket, head: Buffer.from("GET / ") }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  expect(await text(client)).toBe("taken");
  // the first worker got it, ignores it from now on, and was not killed
  expect(Number(readFileSync(join(directory, "hangs"), "utf8"))).toBeLessThan(getSystemMs());
  expect(messages).toEqual([]);
  server.close();
  await supervisor.end();
  rmSync(directory, { recursive: true });
});
