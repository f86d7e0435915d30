import { debian, end, endAll, freePort, type Program, redis, startRedis, startReplica } from "../mock/cluster/store/programs.js";
import { countJobs, foundWorld, submitJob } from "../mock/cluster/store/writer.js";
import { type Figure, figure, median, ours } from "./figures.js";
import { type Load, type LoadedServer, type LoadRequest, load } from "./load.js";
import { startMockServer } from "./mock.js";
import { adopt } from "./processes.js";
import type { BenchContext, Section } from "./section.js";

/** Measures the cost of a store for the worlds of a mock. */
export const store: Section = { name: "store", title: "With a store (one Redis, beside the load)", measure };

const takeovers = 5;
const world = "bench";
const kept = "with --store";

const headers = { authorization: `Bearer mock_${world}_full`, "content-type": "application/json" };
const shots: Record<string, LoadRequest> = {
  "GET a page of one": { method: "GET", path: "/api/repos?limit=1", headers, expect: 200 },
  "POST a job": {
    method: "POST",
    path: "/api/repos/acme/web/main/jobs",
    headers,
    body: '{"workflow":"audit","params":{"paths":["src/#.ts"]}}',
    expect: 201,
  },
};

async function measure(bench: BenchContext): Promise<Figure[]> {
  if (!debian.found) {
    bench.note(`Left out: ${debian.name} is not installed.`);
    return [];
  }
  try {
    const redisServer = await startRedis();
    adopt("load", redisServer.process);
    const first = await startStore(redisServer);
    const figures = await compareLoads(bench, first);
    bench.tell("takeovers");
    const bytes = await bytesPerCall(redisServer.port);
    const transferred = await transfer(redisServer.port, first.url);
    await end(first.program);
    const dead = await waitForExit(redisServer.port);
    return [
      ...figures,
      figure("a call in the store", "bytes", { [kept]: bytes }),
      figure(`a world of ${transferred.jobs} jobs transferred`, "ms", { [kept]: transferred.ms }),
      figure("first answer of a world whose mock was killed", "ms", { [kept]: dead }),
    ];
  } finally {
    await endAll();
  }
}

type Keeping = LoadedServer & { program: Program };

async function startStore({ port }: Program): Promise<Keeping> {
  const program = await startReplica(port, await freePort(), "--limits", "off");
  return { program, url: `http://127.0.0.1:${program.port}`, processorMs: adopt("server", program.process) };
}

async function compareLoads(bench: BenchContext, keeping: Keeping): Promise<Figure[]> {
  const alone = await startMockServer();
  const figures: Figure[] = [];
  try {
    for (const { url } of [alone, keeping]) await foundWorld(url, world);
    for (const [what, shot] of Object.entries(shots)) {
      bench.tell(what);
      const by = { [ours]: await runTwice(bench, alone, shot), [kept]: await runTwice(bench, keeping, shot) };
      const readAll = (pick: (load: Load) => number) =>
        Object.fromEntries(Object.entries(by).map(([name, one]) => [name, pick(one)]));
      figures.push(
        figure(
          what,
          "requests a second",
          readAll(({ perSecond }) => perSecond),
        ),
        figure(
          what,
          "p50 ms",
          readAll(({ p50 }) => p50),
        ),
        figure(
          what,
          "p99 ms",
          readAll(({ p99 }) => p99),
        ),
        figure(
          what,
          "processor µs a request",
          readAll(({ microseconds }) => microseconds),
        ),
      );
    }
  } finally {
    await alone.stop();
  }
  return figures;
}

/** The first load warms up. */
async function runTwice({ quick }: BenchContext, server: LoadedServer, shot: LoadRequest): Promise<Load> {
  await load(server, shot, 1);
  return load(server, shot, quick ? 1 : 5);
}

async function bytesPerCall(port: number): Promise<number> {
  const log = `counterpart:world:{${world}}:log`;
  const [bytes, entries] = [await redis(port, "MEMORY", "USAGE", log, "SAMPLES", "0"), await redis(port, "LLEN", log)];
  return Number(entries) === 0 ? Number.NaN : Number(bytes) / Number(entries);
}

/** Returns the time until the first response of another mock after the owner releases a world. */
async function transfer(redisPort: number, first: string): Promise<{ ms: number; jobs: number }> {
  const second = await startReplica(redisPort, await freePort(), "--limits", "off");
  const urls = [`http://127.0.0.1:${second.port}`, first];
  const times: number[] = [];
  for (let i = 0; i < takeovers; i++) {
    const begun = performance.now();
    await submitJob(urls[i % 2]!, world, `handed-${i}`);
    times.push(performance.now() - begun);
  }
  const jobs = await countJobs(first, world);
  await end(second);
  return { ms: median(times), jobs };
}

async function waitForExit(redisPort: number): Promise<number> {
  const [victim, heir] = [
    await startReplica(redisPort, await freePort(), "--limits", "off"),
    await startReplica(redisPort, await freePort(), "--limits", "off"),
  ];
  await submitJob(`http://127.0.0.1:${victim.port}`, world, "before");
  await end(victim, "SIGKILL");
  const begun = performance.now();
  await submitJob(`http://127.0.0.1:${heir.port}`, world, "after");
  return performance.now() - begun;
}
