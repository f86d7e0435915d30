import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { describeWith } from "../../meta/needs.js";
import { send } from "../../mock/client.js";
import { debian, endAll, startRedis, waitUntil } from "../../mock/cluster/store/programs.js";
import { submitJob } from "../../mock/cluster/store/writer.js";
import { endWorkers, isAlive, startWorkers } from "../../mock/cluster/workers/workers.js";
import { counterpart, counterpartProcess, type Ended } from "../counterpart.js";

/** Two seconds, and a margin for a busy machine. */
const stopMs = 2500;
const directory = mkdtempSync(join(tmpdir(), "workers-"));
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(endWorkers);

describe("counterpart mock --workers", () => {
  it("prints the line of one process, answers at all three addresses, and ends with all its processes", async () => {
    const mock = await startWorkers(2, "--clock", "frozen");
    const pids = mock.pids();
    expect([pids.length, mock.keys.full]).toEqual([2, "mock_full"]);
    const { base_url, docs_url } = (await send(`GET ${mock.url}/__mock/target`)).json;
    expect(base_url).toBe(mock.url);
    expect((await send(`GET ${docs_url}/openapi.json`)).json.servers).toEqual([expect.objectContaining({ url: mock.url })]);
    // a response that is held back does not hold the end up
    await send(`POST ${mock.url}/__mock/worlds/default/faults`, { json: { on: "GET /api/jobs", delay: "60s" } });
    const held = send(`GET ${mock.url}/api/jobs`, { key: "mock_full" }).catch(() => "cut off");
    await waitUntil(async () => (await send(`GET ${mock.url}/__mock/worlds/default/faults`)).json.faults[0].seen === 1);
    const { code, ms } = await mock.end("SIGTERM");
    expect([code, await held, mock.said(), pids.filter(isAlive)]).toEqual([0, "cut off", "", []]);
    expect(ms).toBeLessThan(stopMs);
  });

  it("ends in two seconds while a worker hangs", async () => {
    const mock = await startWorkers(2);
    const pids = mock.pids();
    process.kill(pids[1]!, "SIGSTOP");
    const { code, ms } = await mock.end("SIGINT");
    expect([code, pids.filter(isAlive)]).toEqual([0, []]);
    expect(ms).toBeLessThan(stopMs);
  });

  it("leaves no worker and prints nothing when its first process is killed", async () => {
    const mock = await startWorkers(2);
    const pids = mock.pids();
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 600)); // the workers get a message that they answer later
    await mock.end("SIGKILL");
    for (const pid of pids) process.kill(pid, "SIGCONT");
    await waitUntil(async () => !pids.some(isAlive));
    expect(mock.said()).toBe("");
  });

  it("writes one recording of all worlds, which can be replayed, and the default world at the end", async () => {
    const [recording, world] = [join(directory, "all.ndjson"), join(directory, "world.json")];
    const mock = await startWorkers(2, "--clock", "frozen", "--record", recording, "--export-on-exit", world);
    for (let i = 0; i < 4; i++) await send(`POST ${mock.url}/__mock/worlds`, { json: {} });
    for (const key of ["mock_full", "mock_w1_full", "mock_w2_full", "mock_w3_full", "mock_w4_full"])
      expect((await send(`GET ${mock.url}/api/jobs`, { key })).status).toBe(200);
    expect((await mock.end("SIGTERM")).code).toBe(0);
    const replay = await counterpart("replay", recording);
    expect(replay.out).toContain("5 entries of 5 worlds replayed, 5 answers compared, all equal.");
    expect(JSON.parse(readFileSync(world, "utf8"))).toMatchObject({ snapshot: 1, world: { id: "default" } });
  });

  const maxWorkers = 4 * availableParallelism();
  const ports = ["--port", "0", "--app-port", "0", "--docs-port", "0"];
  it.each([
    ["0", `It must be from 1 to ${maxWorkers}`],
    ["abc", "It must be a whole number"],
    [String(maxWorkers + 1), `It must be from 1 to ${maxWorkers}, four per core of this machine`],
  ])("refuses --workers %s in one sentence", async (number, description) => {
    expectRefusal(await counterpart("mock", ...ports, "--workers", number), description);
  });

  // A worker writes these sentences itself.
  it.concurrent.each([
    [["--workers", "2", "--fixture", "nowhere"], "There is no fixture 'nowhere'"],
    [["--workers", "2", "--store", "redis://127.0.0.1:1", "--record", "x"], "give only one of --record and --store"],
  ])("refuses %j in one sentence", async (args, description) => {
    expectRefusal(await counterpartProcess("mock", ...ports, ...args), description);
    expect(existsSync("x")).toBe(false);
  });

  it("names the port that is in use before it starts a worker", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, err } = await counterpartProcess(
      "mock",
      "--workers",
      "2",
      "--port",
      String(port),
      "--app-port",
      "0",
      "--docs-port",
      "0",
    );
    other.close();
    expect([code, err]).toEqual([
      2,
      `counterpart: Port ${port} of 127.0.0.1 is in use; choose another, or 0 for any free one.\n`,
    ]);
  });
});

describeWith(debian, "counterpart mock --workers with a store", () => {
  afterAll(endAll);

  it("continues the world of a killed worker after its last answered call", async () => {
    const store = await startRedis();
    const mock = await startWorkers(2, "--store", `redis://127.0.0.1:${store.port}`);
    const names = ["s1", "s2", "s3", "s4"];
    for (const id of names) await send(`POST ${mock.url}/__mock/worlds`, { json: { id } });
    const jobs = await Promise.all(names.map((id) => submitJob(mock.url, id, "before")));
    expect(jobs.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    process.kill(mock.pids()[1]!, "SIGKILL");
    await waitUntil(async () => mock.said().includes("continue from the store"));
    const again = await Promise.all(names.map((id) => submitJob(mock.url, id, "before")));
    expect(again.map(({ text }) => JSON.parse(text).id)).toEqual(jobs.map(({ text }) => JSON.parse(text).id));
    expect((await send(`GET ${mock.url}/__mock/worlds`)).json.worlds).toEqual(["default", ...names]);
  });
});

/** Expects that a command ended with 2 after one sentence that has these words. */
function expectRefusal({ code, err }: Ended, description: string): void {
  expect([code, err.replace("(--help lists the options)\n", "").trim().split("\n").length]).toEqual([2, 1]);
  expect(err).toContain(description);
}
