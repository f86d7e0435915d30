import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { askAll } from "./exchanges.js";
import { atMost, type Figure, figure, figureWithin, median, ours } from "./figures.js";
import { mockLine, startMockServer } from "./mock.js";
import { type Server, startServer } from "./processes.js";
import { installRivals } from "./rivals.js";
import type { BenchContext, Section } from "./section.js";
import { sameBytes, startRival } from "./throughput.js";

/** Measures the cost of a start, and of an idle server. */
export const starts: Section = { name: "starts", title: "Starting and standing by", measure };

const bareServer = fileURLToPath(new URL("bare-server.js", import.meta.url));
const settlingMs = 1000;

async function measure(bench: BenchContext): Promise<Figure[]> {
  const mock = await startMockServer();
  try {
    const exchanges = await askAll(mock);
    const starters: [string, () => Promise<Server>][] = [
      [ours, () => startServer(mockLine, "/__mock/health")],
      [sameBytes, () => startServer((port) => [process.execPath, bareServer, `${port}`], "/")],
      ...installRivals(bench).map((rival): [string, () => Promise<Server>] => [
        rival.name,
        async () => (await startRival(rival, exchanges)).server,
      ]),
    ];
    const cold: Record<string, number> = {};
    const memory: Record<string, number> = {};
    for (const [name, begin] of starters) {
      bench.tell(`starts of ${name}`);
      [cold[name], memory[name]] = await timeStarts(begin, bench.quick ? 1 : 7);
    }
    return [
      atMost(figure("cold start to first answer", "ms", cold), 2.5, sameBytes),
      figure("memory at rest", "MB", memory),
      figureWithin(figure("a world, with its request", "ms", { [ours]: await timeWorlds(mock, bench.quick ? 50 : 300) }), 1),
    ];
  } finally {
    await mock.stop();
  }
}

/** Starts a server some times: to its first response, and once its memory behind that. */
async function timeStarts(begin: () => Promise<Server>, times: number): Promise<[cold: number, memory: number]> {
  const found: number[] = [];
  let memory = Number.NaN;
  for (let i = 0; i < times; i++) {
    const server = await begin();
    found.push(server.firstResponseMs);
    if (i === 0) {
      await sleep(settlingMs);
      memory = server.memory();
    }
    await server.stop();
  }
  return [median(found), memory];
}

async function timeWorlds({ url }: Server, times: number): Promise<number> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) {
    const begun = performance.now();
    const created = await request(`${url}/__mock/worlds`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const { id } = (await created.body.json()) as { id: string };
    found.push(performance.now() - begun);
    if (created.statusCode !== 201) throw new Error(`POST /__mock/worlds gave ${created.statusCode}`);
    await (await request(`${url}/__mock/worlds/${id}`, { method: "DELETE" })).body.dump();
  }
  return median(found);
}
